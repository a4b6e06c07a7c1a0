# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Shots and hits: the rays that go into the tracer, and the surfaces that they meet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray  # noqa: TC002  read by get_type_hints

from lidar_base.columns import Column, check_columns, columns_of
from raycore.errors import RayCoreError

NOTHING = 0xFFFFFFFF
"""Instance of a ray that meets nothing: Embree's RTC_INVALID_GEOMETRY_ID."""

ALL_OF_IT = np.ones(1, np.float32)
"""Weight of the only ray of a beam."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shots:
    """Rays to trace, in the sensor frame at the moment each one is fired.

    A beam may consist of several rays, its sub-rays. They are neighbours, ``row = beam * n_sub +
    sub``, so that they share a packet. A single origin, time, start or moment stands for all rays.
    Times and moments may have a row per beam, which all its sub-rays share.
    """

    origin_m: Annotated[NDArray[np.float32], Column("f4", ("n_origin", 3), "m", "start of the ray")]
    direction: Annotated[NDArray[np.float32], Column("f4", (3, "n_shot"), "1", "unit vector")]
    time: Annotated[
        NDArray[np.float32], Column("f4", ("n_time",), "1", "0..1 within the shutter interval")
    ]
    start_m: Annotated[
        NDArray[np.float32], Column("f4", ("n_start",), "m", "range from which on surfaces count")
    ]
    moment: Annotated[
        NDArray[np.uint32], Column("u4", ("n_moment",), "", "index of the sensor's pose")
    ]
    weight: Annotated[
        NDArray[np.float32],
        Column("f4", ("n_sub",), "1", "fraction of the beam's power in each of its rays"),
    ]
    max_range_m: float
    coherent: bool

    def __post_init__(self) -> None:
        lengths = check_columns(self)
        n_shot, n_sub = lengths["n_shot"], lengths["n_sub"]
        if n_shot % n_sub:
            raise RayCoreError(f"Shots: n_shot = {n_shot}, expected a multiple of n_sub = {n_sub}")
        for name in ("n_origin", "n_time", "n_start", "n_moment"):
            expected = {1: "1", n_shot: f"n_shot = {n_shot}"}
            if name in ("n_time", "n_moment"):
                expected[n_shot // n_sub] = f"one per beam = {n_shot // n_sub}"
            if lengths[name] not in expected:
                raise RayCoreError(
                    f"Shots: {name} = {lengths[name]}, expected {' or '.join(expected.values())}"
                )

    def __len__(self) -> int:
        return int(self.direction.shape[1])

    @property
    def n_sub(self) -> int:
        """Rays of a beam."""
        return len(self.weight)

    def rows(self, index: NDArray[np.integer[Any]]) -> Shots:
        """Return some of the rays, each as a beam of its own; what is single stays as it is."""
        chosen: dict[str, NDArray[Any]] = {}
        for name in ("origin_m", "time", "start_m", "moment"):
            column = getattr(self, name)
            if len(column) > 1:
                chosen[name] = column[index // (len(self) // len(column))]
        chosen["direction"] = np.ascontiguousarray(self.direction[:, index])
        columns: dict[str, Any] = {**chosen, "weight": ALL_OF_IT}
        return replace(self, **columns)


class HitArrays(NamedTuple):
    """The columns of `Hits`, as kernels take them."""

    range_m: NDArray[np.float32]
    normal: NDArray[np.float32]
    cos_incidence: NDArray[np.float32]
    instance: NDArray[np.uint32]
    primitive: NDArray[np.uint32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """The first surface that each ray meets, one row per ray.

    Where a ray meets nothing, `instance` is ``NOTHING`` and the other columns are undefined.
    """

    range_m: Annotated[NDArray[np.float32], Column("f4", ("n_shot",), "m", "origin to hit")]
    normal: Annotated[
        NDArray[np.float32],
        Column("f4", (3, "n_shot"), "1", "geometric unit normal, sensor frame, towards the sensor"),
    ]
    cos_incidence: Annotated[
        NDArray[np.float32], Column("f4", ("n_shot",), "1", "cosine of normal and beam, 0..1")
    ]
    instance: Annotated[
        NDArray[np.uint32], Column("u4", ("n_shot",), "", "SceneGraph's instance, or NOTHING")
    ]
    primitive: Annotated[
        NDArray[np.uint32], Column("u4", ("n_shot",), "", "Embree's primitive of the mesh")
    ]

    def __len__(self) -> int:
        return len(self.range_m)

    @property
    def arrays(self) -> HitArrays:
        """The columns, as kernels take them."""
        return HitArrays(
            self.range_m, self.normal, self.cos_incidence, self.instance, self.primitive
        )

    def copy(self) -> Hits:
        """Return a copy with arrays of its own."""
        return Hits(**{name: getattr(self, name).copy() for name, _, _ in columns_of(Hits)})

    def put(self, index: NDArray[np.integer[Any]], others: Hits, rows: Any) -> None:  # noqa: ANN401
        """Overwrite the rows at `index` with `rows` of other hits."""
        for name, _, _ in columns_of(Hits):
            getattr(self, name)[..., index] = getattr(others, name)[..., rows]
