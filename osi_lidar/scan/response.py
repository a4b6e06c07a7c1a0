# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""From hits to points: the infrared response of the surfaces and the reach of the sensor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_base.block_kernels import BLOCK, workers
from lidar_base.buffers import Buffers
from lidar_base.renewal import Renewal
from osi_lidar.scan import cloud_kernels
from osi_lidar.scan import response_kernels as kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from material_mapping import MaterialTable, RangeLimit
    from osi_lidar.world.surfaces import Surfaces
    from raycore.pattern.scan_pattern import ScanPattern
    from raycore.records import Traced

_NO_TIME, _FIRST = np.empty(0, np.uint32), np.zeros(1, np.int64)

NONE_LOST = np.zeros(1, np.bool_)
"""For sensors that report what they see."""


@cache
def point_type(object_id: str = "<u4", *, timed: bool = False) -> np.dtype[np.void]:
    """Return the row of a point, the fields of a PCD file in their order.

    x y z [m, sensor frame], intensity [%, 0..100], reflectivity [1], normal_x normal_y normal_z
    [1, sensor frame, towards the sensor], range [m], ring, column, object_id (the largest value
    of its type where the surface is no OSI object), material_id (row of the material table); timed
    ones have time_ns too [ns after the start of the scan].
    """
    floats = ("x", "y", "z", "intensity", "reflectivity", "normal_x", "normal_y", "normal_z")
    return np.dtype(
        [(name, "<f4") for name in (*floats, "range")]
        + [("ring", "<u2"), ("column", "<u4"), ("object_id", object_id), ("material_id", "<u2")]
        + ([("time_ns", "<u4")] if timed else [])
    )


POINT = point_type()
POINT_WITH_WIDE_ID = point_type("<u8")
"""The row where an OSI id does not fit into 32 bits (PCL reads it from version 1.13 on)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """The points of one scan, in the order of their beams; arrays of n_point.

    They are not to be changed, but copied: a later scan may take over what has stayed the same.

    Attributes
    ----------
    points : structured (n_point,)
        See ``point_type``.
    beam : uint32 (n_point,)
        Index of the beam in the scan pattern.
    object_id : uint64 (n_point,)
        OSI id, ``NO_OBJECT`` where there is none.
    true_range_m : float32 (n_point,) or None
        Without the sensor's errors; None if it has none. [m]
    true_xyz_m : float32 (n_point, 3) or None
        Where the surface was met, in the sensor frame; None as above. [m]
    along_beams : bool
        Whether each point lies on its beam as the pattern says, seen from the sensor's origin.
    renewal : Renewal or None
        Which blocks of points may differ from an earlier cloud's; None where that is not known.
    start_of_block : int64 (n_block + 1,) or None
        Row of the first point of each block of beams, and behind the last one; None as above.
    """

    points: NDArray[Any]
    beam: NDArray[np.uint32]
    object_id: NDArray[np.uint64]
    true_range_m: NDArray[np.float32] | None = None
    true_xyz_m: NDArray[np.float32] | None = None
    along_beams: bool = True
    renewal: Renewal | None = None
    start_of_block: NDArray[np.int64] | None = None

    def rows(self, chosen: NDArray[np.bool_]) -> Cloud:
        """Return some of the points."""
        start = np.empty(-(-len(chosen) // BLOCK) + 1, np.int64)
        cloud_kernels.count_chosen(chosen, workers(), start)
        if start[-1] == len(chosen):
            return self
        columns: dict[str, Any] = {
            name: _chosen_of(value, chosen, start)
            for name in ("points", "beam", "object_id", "true_range_m", "true_xyz_m")
            if (value := getattr(self, name)) is not None
        }
        return replace(self, **columns, renewal=None, start_of_block=None)


def _chosen_of(
    column: NDArray[Any], chosen: NDArray[np.bool_], start: NDArray[np.int64]
) -> NDArray[Any]:
    """Return the chosen rows of a column; `cloud_kernels.count_chosen` tells where they start."""
    kept = np.empty((int(start[-1]), *column.shape[1:]), column.dtype)
    rows, rows_out = (
        each.view(np.uint8).reshape(len(each), column.strides[0]) for each in (column, kept)
    )
    cloud_kernels.copy_chosen(chosen, start, rows, workers(), rows_out)
    return kept


def no_points() -> Cloud:
    """Return a cloud without a point."""
    return Cloud(
        points=np.empty(0, POINT), beam=np.empty(0, np.uint32), object_id=np.empty(0, np.uint64)
    )


def spherical(
    points: NDArray[Any],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return distance [m], azimuth and elevation [rad] of points as seen from the sensor."""
    distance_m, azimuth_rad, elevation_rad = np.empty((3, len(points)))
    cloud_kernels.to_spherical(points, workers(), distance_m, azimuth_rad, elevation_rad)
    return distance_m, azimuth_rad, elevation_rad


class Responder:
    """Turns what beams have met into points; keeps its arrays from scan to scan.

    Parameters
    ----------
    min_range_m : float
        Nearest range that the sensor reports. [m]
    range_limit : RangeLimit
        Farthest range that the sensor reports, by reflectivity.
    keeps : bool
        Whether clouds stay as they are, so that parts of them may be taken for the next.
    """

    def __init__(self, *, min_range_m: float, range_limit: RangeLimit, keeps: bool = True) -> None:
        self._min_range_m = min_range_m
        self._keeps = keeps
        self._range_limit = range_limit.kernel_arguments(), range_limit.kernel_bounds()
        self._buffers = Buffers()
        self._material = np.empty(0, np.uint16)
        self._reflectivity = np.empty(0, np.float32)
        self._count = np.empty(0, np.int64)
        self._cloud = no_points()
        self._answered: int | None = None
        self._made_of: tuple[object, ...] = (None,) * 5

    def respond(  # noqa: PLR0913  as many inputs
        self,
        traced: Traced,
        share: NDArray[np.float32],
        surfaces: Surfaces,
        table: MaterialTable,
        pattern: ScanPattern,
        *,
        lost: NDArray[np.bool_] = NONE_LOST,
        time_ns: NDArray[np.uint32] | None = None,
    ) -> Cloud:
        """Return the points that a sensor reports for the surfaces that its beams met.

        A hit is reported where its range r satisfies min_range <= r <= r_L(R), with R the
        reflectivity of its material at its angle of incidence (Rott et al. 2024, LiMOX, 4.2); a
        beam that meets an absorbent material, or a surface nearer than min_range, ends there.
        Intensity is 100 R, at most 100 %: like a sensor whose intensity is corrected for range.

        Parameters
        ----------
        traced : Traced
            What the pattern's rays have met.
        share : float32 (n_beam,) or (1,)
            Which part of the light comes back through what lies before the hit. [1]
        surfaces : Surfaces
            Look-up tables of the scene.
        table : MaterialTable
            Materials at the sensor's wavelength.
        pattern : ScanPattern
            The sensor's beams.
        lost : bool (n_beam,) or (1,), optional
            Of which beams nothing is reported; default: none.
        time_ns : uint32 (n_beam,), optional
            When each beam fires, after the start of the scan; points then tell it. [ns]
        """
        if len(self._material) != len(traced):
            self._material = np.empty(len(traced), np.uint16)
            self._reflectivity = np.empty(len(traced), np.float32)
            self._count = np.zeros(-(-len(traced) // BLOCK), np.int64)
        renewal = self._renewal(traced, (share, surfaces, table, pattern, time_ns))
        start = np.empty(len(self._count) + 1, np.int64)
        kernels.find_returns(
            surfaces.first_row_of_instance,
            surfaces.material_of_row,
            table.reflectance,
            table.lookup,
            self._min_range_m,
            *self._range_limit,
            renewal.changed,
            traced.instance,
            traced.primitive,
            traced.range_m,
            traced.cos_incidence,
            share,
            lost,
            workers(),
            self._count,
            start,
            self._material,
            self._reflectivity,
        )
        object_id = "<u8" if surfaces.wide_ids else "<u4"
        empty, n_points = self._buffers.empty, int(start[-1])
        cloud = Cloud(
            points=empty(n_points, point_type(object_id, timed=time_ns is not None)),
            beam=empty(n_points, np.uint32),
            object_id=empty(n_points, np.uint64),
            along_beams=pattern.has_one_origin,
            renewal=renewal,
            start_of_block=start,
        )
        old = cloud if renewal.after is None else self._cloud
        kernels.write_points(
            pattern.origin_m,
            pattern.direction,
            pattern.ring,
            pattern.column,
            _NO_TIME if time_ns is None else time_ns,
            surfaces.object_of_instance,
            traced.range_m,
            traced.normal,
            traced.instance,
            self._material,
            self._reflectivity,
            start,
            renewal.changed,
            _FIRST if old.start_of_block is None else old.start_of_block,
            old.points,
            old.beam,
            old.object_id,
            workers(),
            cloud.points,
            _NO_TIME if time_ns is None else cloud.points["time_ns"],
            cloud.beam,
            cloud.object_id,
        )
        if self._keeps:
            self._cloud = cloud
        return cloud

    def _renewal(self, traced: Traced, others: tuple[object, ...]) -> Renewal:
        """Return which blocks of points are to be made anew."""
        same = all(one is other for one, other in zip(others, self._made_of, strict=True))
        self._made_of = others
        known, self._answered = self._answered, traced.renewal.number
        after = traced.renewal.after
        if not (same and self._keeps) or after is None or after != known:
            changed = traced.renewal.changed
            return Renewal.of(changed if after is None else np.ones_like(changed))
        last = self._cloud.renewal
        return Renewal.of(traced.renewal.changed, after=None if last is None else last.number)
