# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Vehicles from mesh files whose wheels are separate nodes or bones (articulation.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.articulation.wheel_parts import ROUND
from lidar_scenery.articulation.wheels import WheeledVehicle, rolling_vehicle
from raycore.mesh.bones import is_wheel
from raycore.mesh.parts import bone_of_vertices, part_of, vertices_m

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_scenery.articulation.records import Floats
    from raycore.mesh.mesh import Mesh

_ON_AXLE = 0.02  # largest distance of an axle's node from the middle of its box, over the radius


class _Wheel(NamedTuple):
    """A wheel of a mesh: its bones, its bounds (2, 3) and its nodes' origins in the object [m]."""

    bones: tuple[int, ...]
    box_m: Floats
    origins_m: tuple[Floats, ...]

    @property
    def centre_m(self) -> Floats:
        return np.asarray(self.box_m.mean(axis=0))

    @property
    def radius_m(self) -> float:
        return 0.5 * float(self.box_m[1, 2] - self.box_m[0, 2])

    @property
    def hub_m(self) -> Floats:
        """Centre of the wheel: its node's origin, or the middle of its box if that is off-axle."""
        near = _ON_AXLE * self.radius_m
        low, high = self.box_m[:, 1]
        for origin in self.origins_m:
            off = origin - self.centre_m
            if np.hypot(off[0], off[2]) <= near and low <= origin[1] <= high:
                return origin
        return self.centre_m

    def joined(self, other: _Wheel) -> _Wheel:
        """Return this wheel joined with the other, such as a tyre with the rim within it."""
        low = np.minimum(self.box_m[0], other.box_m[0])
        high = np.maximum(self.box_m[1], other.box_m[1])
        origins = self.origins_m + other.origins_m
        return _Wheel(self.bones + other.bones, np.stack([low, high]), origins)


def vehicle_of_mesh(mesh: Mesh, object_from_mesh: Floats, name: str) -> WheeledVehicle | None:
    """Return a vehicle from a mesh file, cut into its body and its wheels.

    Return None if the mesh has no round wheels, or nothing but wheels.

    Parameters
    ----------
    mesh : Mesh
        The whole vehicle, whose wheels are separate nodes or bones.
    object_from_mesh : float64 (4, 4)
        Pose and scale of the mesh in the box of the object. [m]
    name : str
        Name of the built-in shape for such an object, which decides whether wheels are steered;
        see `rolling_vehicle`.

    Notes
    -----
    The caller must multiply the vertices of the parts by ``object_from_mesh[:3, :3]``. The mesh of
    a wheel is already corrected for the scale along x, so that the multiplied wheel is as round as
    in the file. The radius of a wheel is half its height.
    """
    of_vertex = _wheel_bones(mesh)[bone_of_vertices(mesh)]
    corners = of_vertex[mesh.faces]
    of_face = np.where((corners == corners[:, :1]).all(axis=1), corners[:, 0], -1)
    factors = np.linalg.norm(object_from_mesh[:3, :3], axis=1)
    squeeze = float(factors[2] / factors[0])
    found = [_wheel(mesh, object_from_mesh, of_face, bone) for bone in np.unique(of_face).tolist()]
    wheels = [each for each in _together(found) if _is_round(each, squeeze)]
    on_wheel = np.isin(of_face, [bone for each in wheels for bone in each.bones])
    if not wheels or on_wheel.all():
        return None
    parts = [part_of(mesh, np.flatnonzero(~on_wheel))]
    for each in wheels:
        pose = _round_again(object_from_mesh, each.hub_m, squeeze)
        parts.append(part_of(mesh, np.flatnonzero(np.isin(of_face, each.bones)), pose))
    hub_m = np.array([each.hub_m for each in wheels])
    radius_m = np.array([each.radius_m for each in wheels])
    return rolling_vehicle(name, tuple(parts), hub_m, radius_m, object_from_mesh[:3, 3].copy())


def _round_again(object_from_mesh: Floats, hub_m: Floats, squeeze: float) -> Floats:
    """Return the pose of the mesh in the frame of a wheel, with the scale along x undone [m]."""
    linear = object_from_mesh[:3, :3]
    pose = np.eye(4)
    pose[:3, :3] = np.linalg.solve(linear, np.diag([squeeze, 1.0, 1.0]) @ linear)
    pose[:3, 3] = -pose[:3, :3] @ np.linalg.solve(linear, hub_m - object_from_mesh[:3, 3])
    return pose


def _wheel_bones(mesh: Mesh) -> np.ndarray:
    """Return for each bone the outermost wheel bone above it, or -1; last, -1 for no bone."""
    wheel = np.full(len(mesh.bones) + 1, -1)
    for k in range(len(mesh.bones)):
        at, steps = k, 0
        while at >= 0 and steps <= len(mesh.bones):
            if is_wheel(mesh.bones[at].name):
                wheel[k] = at
            at, steps = mesh.bones[at].parent, steps + 1
    return wheel


def _wheel(mesh: Mesh, object_from_mesh: Floats, of_face: np.ndarray, bone: int) -> _Wheel | None:
    """Return the wheel with the faces of a bone; None for -1, which is no bone."""
    if bone < 0:
        return None
    used = np.unique(mesh.faces[of_face == bone])
    places = vertices_m(mesh, object_from_mesh)[used]
    origin = object_from_mesh[:3, :3] @ mesh.bones[bone].origin_m + object_from_mesh[:3, 3]
    return _Wheel((bone,), np.stack([places.min(axis=0), places.max(axis=0)]), (origin,))


def _together(found: Sequence[_Wheel | None]) -> list[_Wheel]:
    """Return the wheels, with those about one centre joined: tyre and rim, or twin tyres."""
    wheels: list[_Wheel] = []
    for each in sorted((w for w in found if w is not None), key=lambda w: -w.radius_m):
        for k, other in enumerate(wheels):
            if np.linalg.norm(each.centre_m - other.centre_m) < other.radius_m:
                wheels[k] = other.joined(each)
                break
        else:
            wheels.append(each)
    return sorted(wheels, key=lambda w: w.bones)


def _is_round(wheel: _Wheel, squeeze: float) -> bool:
    """Return whether a wheel is round and no wider than high, after undoing the scale along x."""
    length, width, height = wheel.box_m[1] - wheel.box_m[0]
    if height <= 0.0 or width > height or abs(squeeze - 1.0) > ROUND:
        return False
    return bool(abs(length * squeeze / height - 1.0) <= ROUND)
