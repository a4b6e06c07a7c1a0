# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Data that the stages of `lidar_gap` pass on: point clouds, range images, and pairs of both."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lidar_base.unfollowed import ALL_FOLLOWED, Unfollowed
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from lidar_base.unfollowed import NotFollowed

REPORTED = "as the sensors report them"
FROM_ORIGIN = "from the origin of the sensor's frame, as not all clouds state their sensor's"
"""Value of `PairGroups.ranges`, the point from which ranges count in words, if the ranges are
distances from the origin of the sensor frame. The other value is `REPORTED`.
"""
NO_POINT = -1
"""Value of ``RangeImage.point`` for a pixel without a point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanCloud:
    """Point cloud of one scan of a sensor, real or simulated, in the sensor's coordinate frame.

    A column is None if the file does not contain it.

    Attributes
    ----------
    name : str
        Name of the frame in tables, such as the stem of its file name.
    points_m : float64 (n_point, 3)
        Positions: x forward, y to the left, z up. [m]
    range_m : float64 (n_point,)
        Range as the sensor reports it. If the file has no ranges, the distance of the point from
        the frame's origin. [m]
    states_range : bool
        Whether ``range_m`` is as reported by the sensor. Sensors count ranges from the laser's
        origin, or from a point within the optics.
    intensity : float32 (n_point,) or None
        Intensity as in the file, in the maker's unit.
    signal : float32 (n_point,) or None
        Strength of the echo: photons for Ouster sensors, ``snr`` for simulated sensors.
    ring : int32 (n_point,) or None
        Number of the laser, in the maker's order.
    column : int32 (n_point,) or None
        Number of the firing within the turn.
    azimuth_deg : float64 (n_point,) or None
        Heading of the sensor's head at the firing, without the laser's own offset,
        counter-clockwise from x. [deg]
    time_s : float64 (n_point,) or None
        Time since the first firing of the frame. [s]
    echo, n_echoes : uint8 (n_point,) or None
        Number of the echo, 0 for the nearest echo of its beam; number of echoes of the beam.
    normal : float32 (n_point, 3) or None
        Normal of the surface, towards the sensor; only simulated clouds have it. [1]
    not_followed : tuple of NotFollowed
        Columns of the file that were ignored.
    assumed : tuple of str
        Facts that the file does not state and that were inferred from its numbers, in words.
    """

    name: str
    points_m: NDArray[np.float64]
    range_m: NDArray[np.float64]
    states_range: bool = False
    intensity: NDArray[np.float32] | None = None
    signal: NDArray[np.float32] | None = None
    ring: NDArray[np.int32] | None = None
    column: NDArray[np.int32] | None = None
    azimuth_deg: NDArray[np.float64] | None = None
    time_s: NDArray[np.float64] | None = None
    echo: NDArray[np.uint8] | None = None
    n_echoes: NDArray[np.uint8] | None = None
    normal: NDArray[np.float32] | None = None
    not_followed: tuple[NotFollowed, ...] = ALL_FOLLOWED
    assumed: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.points_m)

    def rows(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> ScanCloud:
        """Return the cloud with only the points chosen by a mask or by indices, in their order."""
        columns: dict[str, Any] = {
            each.name: value[chosen]
            for each in fields(self)
            if isinstance(value := getattr(self, each.name), np.ndarray)
        }
        return replace(self, **columns)

    def from_origin(self) -> ScanCloud:
        """Return the cloud with the points' distances from the frame's origin as ranges."""
        if not self.states_range:
            return self
        return replace(self, range_m=np.sqrt((self.points_m**2).sum(axis=1)), states_range=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeImage:
    """A cloud as a range image: rows are rings from top to bottom, columns are firings in order.

    Attributes
    ----------
    range_m : float64 (n_ring, n_column)
        Range of the nearest point in each pixel; NaN without a point. [m]
    point : int64 (n_ring, n_column)
        Index of this nearest point in the cloud, or ``NO_POINT``.
    n_points : int32 (n_ring, n_column)
        Number of points in each pixel.
    pixel_of_point : int64 (n_point,)
        Pixel of every point of the cloud, as ring * n_column + column; -1 outside the image.
    elevation_deg : float64 (n_ring,)
        Elevation of each ring, descending. [deg]
    azimuth_deg : float64 (n_column,)
        Heading of the sensor head at each column, counter-clockwise from x. [deg]
    """

    range_m: NDArray[np.float64]
    point: NDArray[np.int64]
    n_points: NDArray[np.int32]
    pixel_of_point: NDArray[np.int64]
    elevation_deg: NDArray[np.float64]
    azimuth_deg: NDArray[np.float64]

    @property
    def returned(self) -> NDArray[np.bool_]:
        """Whether each pixel has a point, (n_ring, n_column)."""
        return np.asarray(self.point != NO_POINT)

    def of_points(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return values of the cloud's points as an image; NaN in pixels without a point.

        ``values`` has a value for each point. The image (n_ring, n_column) has the values of the
        points in `point`.
        """
        image = np.full(self.point.shape, np.nan)
        image[self.returned] = values[self.point[self.returned]]
        return image


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A real and a simulated cloud of one frame, with their range images of equal shape.

    Attributes
    ----------
    real, sim : ScanCloud
        The clouds.
    real_image, sim_image : RangeImage
        The range image of each cloud.
    """

    real: ScanCloud
    sim: ScanCloud
    real_image: RangeImage
    sim_image: RangeImage

    def __post_init__(self) -> None:
        real, sim = self.real_image.point.shape, self.sim_image.point.shape
        if real != sim:
            raise InputError(
                f"{self.sim.name}: an image of {sim[0]} x {sim[1]} pixels, "
                f"expected {real[0]} x {real[1]} as of {self.real.name}"
            )


class CloudReading(NamedTuple):
    """What was ignored or inferred in reading the files of the real and of the simulated clouds.

    The keys of both mappings are "real clouds" and "simulated clouds"; `ALL_READ` has no keys.

    Attributes
    ----------
    not_followed : mapping of str to tuple of NotFollowed
        Columns of the files that were ignored.
    assumed : mapping of str to tuple of str
        Facts that the files do not state and that were inferred from their numbers, in words.
    """

    not_followed: Mapping[str, tuple[NotFollowed, ...]]
    assumed: Mapping[str, tuple[str, ...]]


ALL_READ = CloudReading({}, {})


@dataclass(frozen=True, slots=True, kw_only=True)
class PairGroups:
    """Pairs of clouds to compare, in up to three groups; all range images have the same pixels.

    Attributes
    ----------
    sim : sequence of Pair
        Real and simulated frames.
    again : sequence of Pair
        Real frames, and other real frames of the same place in the role of simulated ones. They
        show the best agreement that a simulation can reach.
    null : sequence of Pair
        The null test: simulated frames in the role of real ones, and frames simulated in a digital
        twin that was built from them. Their difference is the gap of the method itself, without the
        sensor model.
    rings : str
        Numbers of the rings of all images and the source of these numbers, in words; empty if not
        known.
    """

    sim: Sequence[Pair]
    again: Sequence[Pair] = ()
    null: Sequence[Pair] = ()
    rings: str = ""

    @property
    def ranges(self) -> str:
        """From where ranges count, in words for the report: `REPORTED` or `FROM_ORIGIN`.

        `REPORTED` if all clouds have ranges as their sensors report them, else `FROM_ORIGIN`: the
        ranges are distances from the origin of the sensor's frame.
        """
        pairs = (*self.sim, *self.again, *self.null)
        stated = all(each.states_range for pair in pairs for each in (pair.real, pair.sim))
        return REPORTED if stated else FROM_ORIGIN

    @property
    def reading(self) -> CloudReading:
        """Remarks on the files of the real and of the simulated clouds in `sim`."""
        sides = {
            "real clouds": [pair.real for pair in self.sim],
            "simulated clouds": [pair.sim for pair in self.sim],
        }
        assumed = {
            side: tuple(dict.fromkeys(each for cloud in clouds for each in cloud.assumed))
            for side, clouds in sides.items()
        }
        return CloudReading({side: _not_read(clouds) for side, clouds in sides.items()}, assumed)


def _not_read(clouds: Sequence[ScanCloud]) -> tuple[NotFollowed, ...]:
    """Return the columns that are not read, each with the number of clouds that have it."""
    unknown = Unfollowed()
    for cloud in clouds:
        for kind in cloud.not_followed:
            unknown.add(kind.what, cloud.name, kind.times)
    return unknown.kinds


def kept_points(cloud: ScanCloud, image: RangeImage, kept: NDArray[np.bool_]) -> ScanCloud:
    """Return the cloud without the points in pixels where ``kept`` is False.

    ``kept`` has the shape of the cloud's range image. Points outside the image stay.
    """
    pixel = image.pixel_of_point
    return cloud.rows((pixel < 0) | kept.ravel()[pixel])
