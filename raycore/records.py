# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Column records: what one stage of the model hands to the next.

A record is a frozen dataclass whose fields are numpy columns. Each field is annotated with its
dtype, shape and unit, and ``check_columns`` holds the values against that annotation, so the
documentation of a record is also its run-time check.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray  # noqa: TC002  read by get_type_hints

from lidar_base.columns import Column, check_columns, columns_of
from lidar_base.renewal import Renewal
from raycore.errors import RayCoreError

if TYPE_CHECKING:
    from raycore.scene.graph import SceneTables


NOTHING = 0xFFFFFFFF
"""Instance of a ray that met nothing: Embree's RTC_INVALID_GEOMETRY_ID."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rays:
    """Rays to trace, in the sensor frame at the moment each one is fired.

    A single origin, time, start or moment stands for all rays.
    """

    origin_m: Annotated[
        NDArray[np.float32], Column("f4", ("n_origin", 3), "m", "where a ray starts")
    ]
    direction: Annotated[NDArray[np.float32], Column("f4", ("n_ray", 3), "1", "unit vector")]
    time: Annotated[
        NDArray[np.float32], Column("f4", ("n_time",), "1", "0..1 within the shutter interval")
    ]
    start_m: Annotated[
        NDArray[np.float32], Column("f4", ("n_start",), "m", "range from which on surfaces count")
    ]
    moment: Annotated[
        NDArray[np.uint32], Column("u4", ("n_moment",), "", "which of the sensor's poses")
    ]
    max_range_m: float
    coherent: bool

    def __post_init__(self) -> None:
        lengths = check_columns(self)
        for name in ("n_origin", "n_time", "n_start", "n_moment"):
            if lengths[name] not in (1, lengths["n_ray"]):
                raise RayCoreError(
                    f"Rays: {name} = {lengths[name]}, expected 1 or n_ray = {lengths['n_ray']}"
                )

    def rows(self, index: NDArray[np.integer[Any]]) -> Rays:
        """Return some of the rays, each with its own values of all columns; one for all stays."""
        n_ray = len(self.direction)
        columns = {name: getattr(self, name) for name, _, _ in columns_of(Rays)}
        return replace(
            self,
            **{name: each[index] for name, each in columns.items() if len(each) == n_ray},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """What each ray met, a row for each; where nothing was met the other columns are undefined.

    Attributes
    ----------
    renewal : Renewal
        Which blocks of rays may differ from an earlier result.
    n_rays : int
        How many rays were traced for it.
    """

    range_m: Annotated[NDArray[np.float32], Column("f4", ("n_ray",), "m", "origin to hit")]
    normal: Annotated[
        NDArray[np.float32],
        Column("f4", (3, "n_ray"), "1", "geometric unit normal, sensor frame, towards the sensor"),
    ]
    cos_incidence: Annotated[
        NDArray[np.float32], Column("f4", ("n_ray",), "1", "cosine of normal and beam, 0..1")
    ]
    instance: Annotated[
        NDArray[np.uint32], Column("u4", ("n_ray",), "", "SceneGraph's instance, or NOTHING")
    ]
    primitive: Annotated[
        NDArray[np.uint32], Column("u4", ("n_ray",), "", "Embree's primitive of the mesh")
    ]
    barycentric: Annotated[
        NDArray[np.float32], Column("f4", (2, "n_ray"), "1", "u, v of the hit in its triangle")
    ]
    renewal: Renewal
    n_rays: int = 0

    def __len__(self) -> int:
        return len(self.range_m)

    def hits(self, tables: SceneTables) -> Hits:
        """Return those rays that met something, by the tables of the scene."""
        beam = np.flatnonzero(self.instance != NOTHING)
        instance, primitive = self.instance[beam], self.primitive[beam]
        mesh = tables.mesh_of_instance[instance]
        row = tables.first_face[mesh] + primitive
        return Hits(
            beam=beam.astype(np.uint32),
            range_m=self.range_m[beam],
            normal=np.ascontiguousarray(self.normal[:, beam].T),
            cos_incidence=self.cos_incidence[beam],
            instance=instance,
            mesh=mesh,
            face=tables.face_of_primitive[row],
            slot=tables.slot_of_primitive[row],
            barycentric=np.ascontiguousarray(self.barycentric[:, beam].T),
        )

    def copy(self) -> Traced:
        """Return the same as a result of its own, all of it new."""
        columns = {name: getattr(self, name).copy() for name, _, _ in columns_of(Traced)}
        renewal = Renewal.of(np.ones_like(self.renewal.changed))
        return Traced(**columns, renewal=renewal, n_rays=self.n_rays)

    def put(self, index: NDArray[np.integer[Any]], others: Traced, rows: Any) -> None:  # noqa: ANN401
        """Write rows of others in place of some of these."""
        for name, _, _ in columns_of(Traced):
            getattr(self, name)[..., index] = getattr(others, name)[..., rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """The rays that met a surface, in the order of their beams."""

    beam: Annotated[NDArray[np.uint32], Column("u4", ("n_hit",), "", "index of the ray")]
    range_m: Annotated[NDArray[np.float32], Column("f4", ("n_hit",), "m", "origin to hit")]
    normal: Annotated[
        NDArray[np.float32],
        Column("f4", ("n_hit", 3), "1", "geometric unit normal, sensor frame, towards the sensor"),
    ]
    cos_incidence: Annotated[
        NDArray[np.float32], Column("f4", ("n_hit",), "1", "cosine of normal and beam, 0..1")
    ]
    instance: Annotated[NDArray[np.uint32], Column("u4", ("n_hit",), "", "SceneGraph's instance")]
    mesh: Annotated[NDArray[np.uint32], Column("u4", ("n_hit",), "", "SceneGraph's mesh")]
    face: Annotated[NDArray[np.uint32], Column("u4", ("n_hit",), "", "face of the mesh")]
    slot: Annotated[NDArray[np.uint16], Column("u2", ("n_hit",), "", "material slot of the face")]
    barycentric: Annotated[
        NDArray[np.float32], Column("f4", ("n_hit", 2), "1", "u, v of the hit in its triangle")
    ]

    def __post_init__(self) -> None:
        check_columns(self)

    def __len__(self) -> int:
        return len(self.beam)
