# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What the world notes of an object in the scene."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from raycore.mesh.mesh import Mesh


@dataclass(slots=True)
class Placed:
    """An object in the scene: what it is, which instance, and where its mesh lies."""

    type_name: str
    instance: int
    shape: Shape


@dataclass(frozen=True, slots=True)
class Shape:
    """A mesh for an object, its place in the object's frame, and what chose it."""

    mesh: int
    object_from_mesh: NDArray[np.float64]
    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectInScene:
    """What an OSI object is in the scene.

    Attributes
    ----------
    object_id : int
        OSI id.
    type_name : str
        OSI's subtype, or type.
    mesh, reason : str
        Mesh file or box, and what chose it.
    size_m : float64 (3,)
        Length, width, height of the mesh as placed. [m]
    """

    object_id: int
    type_name: str
    mesh: str
    reason: str
    size_m: NDArray[np.float64]


def bounds(mesh: Mesh, target_from_mesh: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the bounds of a mesh's bounding box in another frame, (2, 3) in metres."""
    low, high = mesh.bounds_m
    corners = np.array(list(product(*zip(low, high, strict=True))))
    placed = corners @ target_from_mesh[:3, :3].T + target_from_mesh[:3, 3]
    return np.stack([placed.min(axis=0), placed.max(axis=0)])
