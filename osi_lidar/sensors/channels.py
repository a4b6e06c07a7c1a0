# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The lasers of a known sensor: their directions, firing times and starting points."""

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from osi_lidar.sensors.physical import Strict
from raycore.pattern.origins import before_exit, beside_beams


class BesideOrigin(Strict):
    """Lasers that pass above and beside the sensor's origin, as in Velodyne's files.

    Attributes
    ----------
    kind : "beside_origin"
        Marks this class in a file of a known sensor.
    vertical_offset_m, horizontal_offset_m : tuple of float
        Offset of each laser's start from the sensor's origin, at right angles to its beam: upwards,
        and to the left. [m]
    source : str
        Where the figures were read.
    """

    kind: Literal["beside_origin"]
    vertical_offset_m: tuple[float, ...]
    horizontal_offset_m: tuple[float, ...]
    source: str

    def points_m(
        self, elevation_rad: NDArray[np.float64], azimuth_rad: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return where each laser starts, in the sensor frame, float64 (n_laser, 3) [m].

        ``elevation_rad`` and ``azimuth_rad``, float64 (n_laser,), are the direction of each laser
        for a head that points forward.
        """
        return beside_beams(
            up_m=np.array(self.vertical_offset_m),
            left_m=np.array(self.horizontal_offset_m),
            elevation_rad=elevation_rad,
            azimuth_rad=azimuth_rad,
        )


class OnCircle(Strict):
    """Lasers that leave the head on a circle about its axis, as in Ouster's metadata.

    Attributes
    ----------
    kind : "on_circle"
        Marks this class in a file of a known sensor.
    radius_m : float
        Radius of the circle. Ranges count from a point on the beam, this far before it leaves. [m]
    height_m : float
        Height of the circle above the sensor's origin. [m]
    source : str
        Where the figures were read.
    """

    kind: Literal["on_circle"]
    radius_m: float = Field(ge=0)
    height_m: float
    source: str

    def points_m(
        self, elevation_rad: NDArray[np.float64], azimuth_rad: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return where each laser's range counts from, in the sensor frame, (n_laser, 3) [m].

        ``elevation_rad`` and ``azimuth_rad``, float64 (n_laser,), are the direction of each laser
        for a head that points forward.
        """
        return before_exit(
            (self.radius_m, 0.0, self.height_m),
            self.radius_m,
            elevation_rad=elevation_rad,
            azimuth_rad=azimuth_rad,
        )


class UnitSpread(Strict):
    """How much the angles of several units of a sensor differ, as standard deviations.

    Attributes
    ----------
    n_units : int
        Number of units whose angles are known.
    common_elevation_deg : float
        Standard deviation of the tilt that all lasers of a unit have in common. [deg]
    elevation_deg, azimuth_deg : float, float or None
        Standard deviations of single lasers, without the common tilt; None: not known. [deg]
    source : str
        Where the angles were read.
    """

    n_units: int = Field(ge=2)
    common_elevation_deg: float = Field(ge=0)
    elevation_deg: float = Field(ge=0)
    azimuth_deg: float | None = Field(default=None, ge=0)
    source: str


class Channels(Strict):
    """The lasers of a sensor; unless said otherwise, tuples have an entry per laser or are empty.

    Attributes
    ----------
    angles : {"nominal", "unit"}
        Whether the angles are nominal (by design), or were calibrated for one real unit.
    elevation_deg, azimuth_offset_deg : tuple of float
        Direction of each laser, relative to the head; ``azimuth_offset_positive`` has its sense.
        [deg]
    azimuth_window_deg : tuple of (float, float)
        Headings of the head between which each laser fires; a single pair holds for all. [deg]
    even_columns_only, odd_columns_only : tuple of int
        Numbers, from 0, of lasers that fire only in even columns, or only in odd columns.
    firing_step_us : float
        Laser k fires k of these steps after the begin of a column. [us]
    firing_time_us : tuple of float
        Time of each laser after the begin of a column, in place of ``firing_step_us``. [us]
    origin : BesideOrigin, OnCircle or None
        Points from which ranges count; None: the sensor's origin.
    source : str
        Where the figures were read.
    """

    angles: Literal["nominal", "unit"]
    elevation_deg: tuple[float, ...] = Field(min_length=1)
    azimuth_offset_deg: tuple[float, ...] = ()
    azimuth_offset_positive: Literal["clockwise", "counter-clockwise"] = "counter-clockwise"
    azimuth_window_deg: tuple[tuple[float, float], ...] = ()
    even_columns_only: tuple[Annotated[int, Field(ge=0)], ...] = ()
    odd_columns_only: tuple[Annotated[int, Field(ge=0)], ...] = ()
    firing_step_us: float = Field(default=0.0, ge=0)  # laser k fires k steps after the begin
    firing_time_us: tuple[float, ...] = ()  # or each laser's own time, after the first one
    origin: Annotated[BesideOrigin | OnCircle, Field(discriminator="kind")] | None = None
    source: str

    @model_validator(mode="after")
    def _one_entry_per_channel(self) -> "Channels":
        names = ("azimuth_offset_deg", "azimuth_window_deg", "firing_time_us")
        n_entries = {name: len(getattr(self, name)) for name in names}
        n_entries = {name: n_entry for name, n_entry in n_entries.items() if n_entry}
        if len(self.azimuth_window_deg) == 1:
            del n_entries["azimuth_window_deg"]
        if isinstance(self.origin, BesideOrigin):
            n_entries["vertical_offset_m"] = len(self.origin.vertical_offset_m)
            n_entries["horizontal_offset_m"] = len(self.origin.horizontal_offset_m)
        for name, n_entry in n_entries.items():
            if n_entry != len(self.elevation_deg):
                raise ValueError(
                    f"{name} has {n_entry} entries, expected {len(self.elevation_deg)}, one for "
                    "each laser"
                )
        alternating = (*self.even_columns_only, *self.odd_columns_only)
        if max(alternating, default=0) >= len(self.elevation_deg):
            raise ValueError(
                f"even_columns_only or odd_columns_only: there is no laser {max(alternating)}"
            )
        return self

    def windows_rad(self) -> list[tuple[float, float]] | None:
        """Return the headings of the head between which each laser fires [rad]; None: always.

        The list has a pair (first, last) for each laser.
        """
        windows = [(low, high) for low, high in np.radians(self.azimuth_window_deg)]
        return windows * len(self.elevation_deg) if len(windows) == 1 else windows or None

    def fires(
        self, laser: NDArray[np.integer], column: NDArray[np.integer]
    ) -> NDArray[np.bool_] | None:
        """Return whether each beam fires, bool (n_beam,); None: all of them do.

        ``laser`` and ``column`` are the numbers of the beam's laser and column, (n_beam,).
        """
        if not (self.even_columns_only or self.odd_columns_only):
            return None
        rest = np.full(len(self.elevation_deg), -1)
        rest[list(self.even_columns_only)] = 0
        rest[list(self.odd_columns_only)] = 1
        fires: NDArray[np.bool_] = (rest[laser] < 0) | (rest[laser] == column % 2)
        return fires

    def azimuth_offset_rad(self) -> NDArray[np.float64]:
        """Return the azimuth of each laser relative to the head's heading, (n_laser,) [rad].

        It is positive counter-clockwise. If ``azimuth_offset_deg`` is empty, the result is a single
        0.
        """
        sign = -1.0 if self.azimuth_offset_positive == "clockwise" else 1.0
        return np.radians([sign * offset for offset in self.azimuth_offset_deg] or [0.0])

    def beam_origin_m(self) -> NDArray[np.float64] | None:
        """Return the point from which each laser's range counts, float64 (n_laser, 3) [m].

        Its coordinates are forward, left, up, in the sensor frame, for a head that points forward.
        None stands for the sensor's origin, for all lasers.
        """
        if self.origin is None:
            return None
        elevation_rad = np.radians(self.elevation_deg)
        azimuth_rad = np.broadcast_to(self.azimuth_offset_rad(), elevation_rad.shape)
        return self.origin.points_m(elevation_rad, azimuth_rad)
