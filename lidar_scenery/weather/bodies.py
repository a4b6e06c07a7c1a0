# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bodies of water drops or dust in the world: their places, and their extinction."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lidar_base.columns import Column, check_columns
from lidar_base.compiled import read_only
from lidar_scenery.weather.fog import DUST_LIDAR_RATIO_SR, lidar_ratio_sr

Bytes: TypeAlias = NDArray[np.uint8]
Floats: TypeAlias = NDArray[np.float64]

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lidar_scenery.weather.state import DustBox

LN_20 = math.log(20.0)
"""Optical depth at which 5 % of the light is left, which is how visibility is defined. [1]"""


class BodyKind(IntEnum):
    """Content of a body: SPRAY is water drops, DUST is dust, smoke or exhaust."""

    SPRAY = 0
    DUST = 1


class BodyArrays(NamedTuple):
    """Places and shapes of n bodies in the world, for kernels.

    `center_m` (n, 3) are the centres [m]. `radius_m` (n,) are radii of spheres, or of the spheres
    around boxes [m]. `half_size_m` (n, 3) is half the size of a box, 0 for a sphere [m]. `turn` (n,
    2) has the cosine and sine of a box's yaw.
    """

    center_m: Floats  # (n, 3)
    radius_m: Floats  # (n,) of the sphere, or of the sphere around the box
    half_size_m: Floats  # (n, 3) half of a box's extent; 0 for a sphere
    turn: Floats  # (n, 2) cosine and sine of the yaw


@dataclass(frozen=True, slots=True, kw_only=True)
class Bodies:
    """Spheres and boxes of drops or dust in the air of the world at one moment.

    Attributes
    ----------
    center_m : float64 (n, 3)
        Centres in the world. [m]
    radius_m : float64 (n,)
        Radius of a sphere, or of the sphere around a box. [m]
    half_size_m : float64 (n, 3)
        Half the length, width and height of a box; 0 for a sphere. [m]
    yaw_rad : float64 (n,)
        Rotation of a box about the vertical, positive to the left. [rad]
    extinction_per_m : float64 (n,)
        Extinction coefficient inside. [1/m]
    weight : float64 (n,)
        1 at first; falls as spray ages, and is 1 for dust. [1]
    kind : uint8 (n,)
        `BodyKind`: SPRAY or DUST.
    """

    center_m: Annotated[Floats, Column("f8", ("n", 3), "m", "in the world")]
    radius_m: Annotated[
        Floats, Column("f8", ("n",), "m", "of the sphere, or of that around the box")
    ]
    half_size_m: Annotated[
        Floats, Column("f8", ("n", 3), "m", "half of a box's extent; 0 for a sphere")
    ]
    yaw_rad: Annotated[Floats, Column("f8", ("n",), "rad", "of a box, about the vertical")]
    extinction_per_m: Annotated[Floats, Column("f8", ("n",), "1/m", "inside")]
    weight: Annotated[Floats, Column("f8", ("n",), "1", "what age has left of it, 1 at first")]
    kind: Annotated[Bytes, Column("u1", ("n",), "", "BodyKind")]

    def __post_init__(self) -> None:
        check_columns(self)

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def arrays(self) -> BodyArrays:
        """Places and shapes as read-only arrays for kernels."""
        turn = np.stack([np.cos(self.yaw_rad), np.sin(self.yaw_rad)], axis=1)
        own = self.center_m, self.radius_m, self.half_size_m, turn
        return BodyArrays._make(read_only(np.ascontiguousarray(each)) for each in own)

    def backscatter(self, wavelength_nm: float) -> Floats:
        """Return the backscatter coefficients inside the bodies, float64 (n,) [1/(m sr)].

        Each is the extinction over the lidar ratio of water drops or dust. `wavelength_nm` is the
        wavelength of the lidar; only the value for drops depends on it. [nm]
        """
        ratio_sr = np.empty(len(BodyKind))
        ratio_sr[BodyKind.SPRAY] = lidar_ratio_sr(wavelength_nm)
        ratio_sr[BodyKind.DUST] = DUST_LIDAR_RATIO_SR
        return np.asarray(self.extinction_per_m / ratio_sr[self.kind], np.float64)

    @classmethod
    def joined(cls, parts: Iterable[Bodies]) -> Bodies:
        """Return one record with the bodies of several records, in the same order.

        `parts` are the records. Without any, the result has no bodies.
        """
        columns = [[getattr(part, each.name) for each in fields(cls)] for part in (NONE, *parts)]
        joined = map(np.concatenate, zip(*columns, strict=True))
        return cls(**{each.name: column for each, column in zip(fields(cls), joined, strict=True)})


NONE = Bodies(
    center_m=np.empty((0, 3)),
    radius_m=np.empty(0),
    half_size_m=np.empty((0, 3)),
    yaw_rad=np.empty(0),
    extinction_per_m=np.empty(0),
    weight=np.empty(0),
    kind=np.empty(0, np.uint8),
)
"""Bodies of length 0, for a world without spray and dust."""


def dust_bodies(boxes: Sequence[DustBox]) -> Bodies:
    """Return boxes of dust, smoke or exhaust as a record of bodies, one for each of `boxes`.

    Notes
    -----
    The extinction is ln 20 / V, where V is the visibility: 5 % of the light is left after the
    distance V, as in the WMO's definition of the meteorological optical range [1]_.

    References
    ----------
    .. [1] WMO, Guide to Instruments and Methods of Observation, WMO-No. 8, chapter on visibility
    """
    n = len(boxes)
    half_m = 0.5 * np.array([box.size_m for box in boxes], np.float64).reshape(n, 3)
    return Bodies(
        center_m=np.array([box.center_m for box in boxes], np.float64).reshape(n, 3),
        radius_m=np.linalg.norm(half_m, axis=1),
        half_size_m=half_m,
        yaw_rad=np.array([box.yaw_rad for box in boxes], np.float64),
        extinction_per_m=np.array([LN_20 / box.visibility_m for box in boxes], np.float64),
        weight=np.ones(n),
        kind=np.full(n, BodyKind.DUST, np.uint8),
    )
