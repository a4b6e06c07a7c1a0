# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Shots and hits: the rays that go into the tracer, and the surfaces that they meet."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray  # noqa: TC002  read by get_type_hints

from lidar_base.columns import Column, check_columns, columns_of
from lidar_base.compiled import as_read_only
from raycore.errors import RayCoreError
from raycore.pattern.fan_kernels import N_PARTS, some_rays

NOTHING = 0xFFFFFFFF
"""Instance of a ray that meets nothing: Embree's RTC_INVALID_GEOMETRY_ID."""

ALL_OF_IT = np.ones(1, np.float32)
"""Weight of the only ray of a beam."""


NO_FAN = np.zeros((0, N_PARTS, 1), np.float32)
NO_FAN_OF_BEAM = np.zeros(0, np.uint16)
"""Value of ``Shots.fan_of_beam`` for beams without sub-rays, each of which is a single ray."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shots:
    """Rays to trace, in the sensor frame at the moment at which each ray is fired.

    A beam may consist of several rays, its sub-rays; ``fan_of_beam`` selects the fan that defines
    them. The row of a ray is ``beam * n_sub + sub``, so that the sub-rays of a beam share a packet.
    Sub-rays are not stored, but computed when needed. An origin_m, time, start_m or moment with a
    single row holds for all beams.

    Attributes
    ----------
    origin_m : float32 (1 or n_beam, 3)
        Start of each beam. [m]
    direction : float32 (3, n_beam)
        Unit vector along each beam.
    time : float32 (1 or n_beam,)
        Firing time of each beam, 0..1 within the shutter interval.
    start_m, max_range_m : float32 (1 or n_beam,), and float
        Surfaces nearer than ``start_m`` or farther than ``max_range_m`` are not met. [m]
    moment : uint32 (1 or n_beam,)
        Index of the sensor's pose when the beam fires, among the poses given to the tracer.
    weight : float32 (n_sub,)
        Fraction of the beam's power in each of its rays.
    coherent : bool
        Whether rays in neighbouring rows have similar directions; Embree is then told so.
    fan : float32 (n_fan, 5, n_sub)
        Directions and starts of sub-rays relative to their beam, as from `Footprint.fans`; n_fan is
        0 if each beam is a single ray.
    fan_of_beam : uint16 (n_beam,)
        Row of ``fan`` for each beam; empty without fans.
    ray_arrays : RayArrays
        Read-only views of the four columns that define the rays; not an argument.
    """

    origin_m: Annotated[
        NDArray[np.float32], Column("f4", ("n_origin", 3), "m", "start of the beam")
    ]
    direction: Annotated[
        NDArray[np.float32], Column("f4", (3, "n_beam"), "1", "unit vector along the beam")
    ]
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
    fan: Annotated[
        NDArray[np.float32],
        Column("f4", ("n_fan", N_PARTS, "n_sub"), "1, m", "sub-rays, see Footprint.fans"),
    ] = field(default_factory=lambda: NO_FAN)
    fan_of_beam: Annotated[
        NDArray[np.uint16], Column("u2", ("n_fanned",), "", "row of the beam's fan")
    ] = field(default_factory=lambda: NO_FAN_OF_BEAM)
    ray_arrays: RayArrays = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        lengths = check_columns(self)
        n_beam = lengths["n_beam"]
        for name in ("n_origin", "n_time", "n_start", "n_moment"):
            if lengths[name] not in {1, n_beam}:
                raise RayCoreError(
                    f"Shots: {name} = {lengths[name]}, expected 1 or n_beam = {n_beam}"
                )
        expected = n_beam if lengths["n_fan"] else 0
        if lengths["n_fanned"] != expected:
            raise RayCoreError(f"Shots: n_fanned = {lengths['n_fanned']}, expected {expected}")
        rays = RayArrays(self.origin_m, self.direction, self.fan, self.fan_of_beam)
        object.__setattr__(self, "ray_arrays", as_read_only(rays))

    def __len__(self) -> int:
        return int(self.direction.shape[1]) * self.n_sub

    @property
    def n_sub(self) -> int:
        """Number of rays of a beam."""
        return len(self.weight)

    def rows(self, index: NDArray[np.integer[Any]], **others: object) -> Shots:
        """Return some rays as shots in which each ray is a beam of its own.

        A column with a single row for all beams keeps it, except that origins are written out if
        beams have sub-rays.

        Parameters
        ----------
        index : int (n,)
            Rows of the rays.
        others : object
            Fields of the result that replace its own, by name, such as ``max_range_m``.
        """
        chosen: dict[str, Any] = {"weight": ALL_OF_IT, "fan": NO_FAN}
        for name in ("origin_m", "time", "start_m", "moment"):
            column = getattr(self, name)
            if len(column) > 1:
                chosen[name] = column[index // self.n_sub]
        if len(self.fan):
            direction, origin_m = (
                np.empty((3, len(index)), np.float32),
                np.empty((len(index), 3), np.float32),
            )
            some_rays(index.astype(np.int64), *self.ray_arrays, direction, origin_m)
            chosen.update(direction=direction, origin_m=origin_m, fan_of_beam=NO_FAN_OF_BEAM)
        else:
            chosen["direction"] = np.ascontiguousarray(self.direction[:, index])
        return replace(self, **chosen | others)

    def of_beams(self, beams: NDArray[np.uint32]) -> Shots:
        """Return some beams as shots, with all their rays.

        ``beams``, uint32 (n,), has the indices of the beams, in the order of the result. A column
        with a single row for all beams keeps it.
        """
        chosen: dict[str, Any] = {"direction": np.ascontiguousarray(self.direction[:, beams])}
        for name in ("origin_m", "time", "start_m", "moment", "fan_of_beam"):
            column = getattr(self, name)
            if len(column) > 1:
                chosen[name] = column[beams]
        return replace(self, **chosen)

    def rays(self) -> Shots:
        """Return all rays, each as a beam of its own."""
        return self.rows(np.arange(len(self))) if len(self.fan) else self


class RayArrays(NamedTuple):
    """The columns of `Shots` from which kernels compute directions and starts of rays.

    Attributes
    ----------
    origin_m : float32 (1 or n_beam, 3)
        Start of each beam in the sensor frame; a single row is for all beams. [m]
    direction : float32 (3, n_beam)
        Unit vector along each beam in the sensor frame.
    fan : float32 (n_fan, 5, n_sub)
        Directions and starts of sub-rays relative to their beam; n_fan is 0 without sub-rays.
    fan_of_beam : uint16 (n_beam,)
        Row of ``fan`` for each beam; empty without sub-rays.
    """

    origin_m: NDArray[np.float32]  # (n_beam | 1, 3)
    direction: NDArray[np.float32]  # (3, n_beam)
    fan: NDArray[np.float32]  # (n_fan, 5, n_sub), see footprint.Footprint.fans
    fan_of_beam: NDArray[np.uint16]  # (n_beam | 0,)


class HitArrays(NamedTuple):
    """The columns of `Hits` as a tuple for kernels: the first surface that each of n rays meets.

    Attributes
    ----------
    range_m : float32 (n,)
        Distance from the ray's start. [m]
    normal : float32 (3, n)
        Geometric unit normal towards the sensor, in the sensor frame.
    cos_incidence : float32 (n,)
        Cosine of the angle between normal and ray, 0..1.
    instance : uint32 (n,)
        Index of the instance in `SceneGraph`; `NOTHING` if the ray meets nothing. The other columns
        are then undefined.
    primitive : uint32 (n,)
        Index of the triangle in Embree.
    """

    range_m: NDArray[np.float32]
    normal: NDArray[np.float32]
    cos_incidence: NDArray[np.float32]
    instance: NDArray[np.uint32]
    primitive: NDArray[np.uint32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """The first surface that each ray meets, one row per ray.

    Attributes
    ----------
    range_m : float32 (n,)
        Distance from the ray's start. [m]
    normal : float32 (3, n)
        Geometric unit normal towards the sensor, in the sensor frame.
    cos_incidence : float32 (n,)
        Cosine of the angle between normal and ray, 0..1.
    instance : uint32 (n,)
        Index of the instance in `SceneGraph`; `NOTHING` if the ray meets nothing. The other columns
        are then undefined.
    primitive : uint32 (n,)
        Index of the triangle in Embree.
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

    def rows(self, index: NDArray[np.int64]) -> Hits:
        """Return some hits as a copy; ``index``, int64 (n,), has their rows in the order wanted."""
        chosen = {name: getattr(self, name)[..., index] for name, _, _ in columns_of(Hits)}
        return Hits(**chosen | {"normal": np.ascontiguousarray(chosen["normal"])})

    def copy(self) -> Hits:
        """Return a copy, including all arrays."""
        return Hits(**{name: getattr(self, name).copy() for name, _, _ in columns_of(Hits)})

    def put(
        self, index: NDArray[np.integer[Any]], others: Hits, rows: NDArray[np.integer[Any]] | slice
    ) -> None:
        """Overwrite some rows by rows of other hits, in place.

        Parameters
        ----------
        index : int (n,)
            Rows of this object, which are overwritten.
        others : Hits
            The other hits.
        rows : int (n,) or slice
            Their rows to take, in the order of ``index``.
        """
        for name, _, _ in columns_of(Hits):
            getattr(self, name)[..., index] = getattr(others, name)[..., rows]
