# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""From hits to points: the infrared response of the surfaces and the reach of the sensor."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from osi_lidar import kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from material_mapping import MaterialTable, RangeLimit
    from raycore.pattern import ScanPattern
    from raycore.records import Hits

NO_OBJECT = np.uint64(0xFFFFFFFFFFFFFFFF)
"""Object id of what is no OSI object: ground and environment (OSI's MAX(uint64))."""


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
class Surfaces:
    """What the response needs to know of the scene: look-up tables by Embree's indices."""

    object_of_instance: NDArray[np.uint64]
    first_slot: NDArray[np.int64]
    material_of_slot: NDArray[np.uint16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """The points of one scan, in the order of their beams; arrays of n_point.

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
    """

    points: NDArray[Any]
    beam: NDArray[np.uint32]
    object_id: NDArray[np.uint64]
    true_range_m: NDArray[np.float32] | None = None
    true_xyz_m: NDArray[np.float32] | None = None
    along_beams: bool = True

    def rows(self, chosen: NDArray[np.bool_]) -> Cloud:
        """Return some of the points."""
        if chosen.all():
            return self
        columns: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                columns[field.name] = value[chosen]
        return replace(self, **columns)


def no_points() -> Cloud:
    """Return a cloud without a point."""
    return Cloud(
        points=np.empty(0, POINT), beam=np.empty(0, np.uint32), object_id=np.empty(0, np.uint64)
    )


def spherical(
    points: NDArray[Any],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return distance [m], azimuth and elevation [rad] of points as seen from the sensor."""
    x, y, z = (points[axis].astype(np.float64) for axis in "xyz")
    across = np.hypot(x, y)
    return np.hypot(across, z), np.arctan2(y, x), np.arctan2(z, across)


def respond(  # noqa: PLR0913  as many inputs
    hits: Hits,
    share: NDArray[np.float32],
    surfaces: Surfaces,
    table: MaterialTable,
    pattern: ScanPattern,
    *,
    min_range_m: float,
    range_limit: RangeLimit,
    time_ns: NDArray[np.uint32] | None = None,
) -> Cloud:
    """Return the points that a sensor reports for the surfaces that its beams met.

    A hit is reported where its range r satisfies min_range <= r <= r_L(R), with R the
    reflectivity of its material at its angle of incidence (Rott et al. 2024, LiMOX, 4.2); a beam
    that meets an absorbent material, or a surface nearer than min_range, ends there. Intensity
    is 100 R, at most 100 %: like a sensor whose intensity is corrected for range.

    Parameters
    ----------
    hits : Hits
        As traced with the pattern's rays.
    share : float32 (n_hit,) or (1,)
        Which part of the light comes back through what lies before the hit. [1]
    surfaces : Surfaces
        Look-up tables of the scene.
    table : MaterialTable
        Materials at the sensor's wavelength.
    pattern : ScanPattern
        The sensor's beams.
    min_range_m : float
        Nearest range that the sensor reports. [m]
    range_limit : RangeLimit
        Farthest range that the sensor reports, by reflectivity.
    time_ns : uint32 (n_beam,), optional
        When each beam fires, after the start of the scan; points then tell it. [ns]
    """
    n_blocks = -(-len(hits) // kernels.BLOCK)
    count = np.zeros(n_blocks, np.int64)
    material = np.empty(len(hits), np.uint16)
    reflectivity = np.empty(len(hits), np.float32)
    kernels.find_returns(
        surfaces.first_slot,
        surfaces.material_of_slot,
        table.reflectance,
        table.lookup,
        min_range_m,
        range_limit.kernel_arguments(),
        hits.mesh,
        hits.slot,
        hits.range_m,
        hits.cos_incidence,
        share,
        count,
        material,
        reflectivity,
    )
    n_points = int(count.sum())
    ids = surfaces.object_of_instance
    wide = bool(((ids >= 0xFFFFFFFF) & (ids != NO_OBJECT)).any())
    cloud = Cloud(
        points=np.empty(n_points, point_type("<u8" if wide else "<u4", timed=time_ns is not None)),
        beam=np.empty(n_points, np.uint32),
        object_id=np.empty(n_points, np.uint64),
        along_beams=pattern.has_one_origin,
    )
    kernels.write_points(
        pattern.origin_m,
        pattern.direction,
        pattern.ring,
        pattern.column,
        ids,
        hits.beam,
        hits.range_m,
        hits.normal,
        hits.instance,
        material,
        reflectivity,
        np.cumsum(count) - count,
        cloud.points,
        cloud.beam,
        cloud.object_id,
    )
    if time_ns is not None:
        cloud.points["time_ns"] = time_ns[cloud.beam]
    return cloud
