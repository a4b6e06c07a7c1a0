# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""SceneGraph: one BVH per mesh, one instance per object, touched only where something changed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from raycore import embree
from raycore.errors import RayCoreError
from raycore.motion import decomposed, turns_rad

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from raycore.mesh import Mesh

ANCHOR_LIMIT_M = 1000.0
"""Distance of the sensor from the anchor at which the anchor moves. [m]"""

MASK_TRANSPARENT = 2
"""Bit of the surfaces of transparent materials; laser rays do not carry it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneCounts:
    """What the graph has done since it was made."""

    meshes_built: int = 0
    instances_added: int = 0
    instances_removed: int = 0
    poses_set: int = 0
    commits: int = 0
    anchor_moves: int = 0

    def __add__(self, other: SceneCounts) -> SceneCounts:
        mine, others = asdict(self), asdict(other)
        return SceneCounts(**{name: mine[name] + others[name] for name in mine})


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneTables:
    """Look-up tables by which kernels turn Embree's indices into ours.

    Attributes
    ----------
    normal_from_mesh : float32 (n_instance, 3, 3)
        Takes a mesh's normals to the anchor frame, but for their length, as at time 0.
    turning_row : int32 (n_instance,)
        Row of ``turn_rad`` of an instance that turns, -1 of all others.
    turn_rad : float32 (n_turning, n_step - 1, 3)
        Rotation vectors from each time step to the next one, in the anchor frame. [rad]
    mesh_of_instance : uint32 (n_instance,)
        A row of an instance that does not exist is never read.
    first_face : int64 (n_mesh,)
        Where a mesh's rows start in the two columns below.
    face_of_primitive : uint32 (n_row,)
        Face of the mesh, by Embree's primitive.
    slot_of_primitive : uint16 (n_row,)
        Material slot of that face.
    """

    normal_from_mesh: NDArray[np.float32]
    turning_row: NDArray[np.int32]
    turn_rad: NDArray[np.float32]
    mesh_of_instance: NDArray[np.uint32]
    first_face: NDArray[np.int64]
    face_of_primitive: NDArray[np.uint32]
    slot_of_primitive: NDArray[np.uint16]


@dataclass(slots=True)
class _Instance:
    """An instance: at rest it has one pose; each of more is the one of an object that moves.

    A mesh's vertices are relative to an origin of its own, which makes its local frame.
    """

    geometry: embree.Geometry
    mesh: int
    world_from_object: NDArray[np.float64]  # (n_step, 4, 4)
    object_from_local: NDArray[np.float64]  # (4, 4)
    turn_rad: NDArray[np.float64] | None = None  # (n_step - 1, 3), None if it does not turn


class SceneGraph:
    """The scene as Embree sees it.

    Poses are float64 in the world frame. Embree's own coordinates are float32 and relative to an
    anchor near the sensor, so that world coordinates of any size cost no accuracy. The anchor is
    part of ``commit`` and moves when the sensor is more than ``ANCHOR_LIMIT_M`` away from it.

    Changes take effect at the next ``commit``, which does nothing if there are none.

    An instance may move while rays are shot: their times, 0 to 1, say where it is for each ray.
    """

    def __init__(self) -> None:
        self._top = embree.Scene(dynamic=True)
        self._meshes: list[tuple[Mesh, embree.Scene]] = []
        self._first_face: list[int] = []
        self._face_of_primitive = np.empty(0, np.uint32)
        self._slot_of_primitive = np.empty(0, np.uint16)
        self._normal_from_mesh = np.zeros((0, 3, 3), np.float32)
        self._mesh_of_instance = np.zeros(0, np.uint32)
        self._instances: dict[int, _Instance] = {}
        self._anchor_m: NDArray[np.float64] | None = None
        self._changed = True
        self.counts = SceneCounts()

    @property
    def handle(self) -> int:
        """Embree's handle of the top scene."""
        return self._top.handle

    def add_mesh(self, mesh: Mesh, *, transparent_slots: Collection[int] = ()) -> int:
        """Build the BVH of a mesh and return the mesh's index.

        Faces of transparent slots go to a geometry of their own that laser rays pass: no
        callback per hit is needed.
        """
        scene = embree.Scene()
        opaque_faces = mesh.faces_of(transparent_slots, inverse=True).astype(np.uint32)
        for chosen, mask in (
            (opaque_faces, embree.MASK_LASER),
            (mesh.faces_of(transparent_slots), MASK_TRANSPARENT),
        ):
            if len(chosen):
                scene.attach(embree.triangles(mesh.vertices_m, mesh.faces[chosen], mask=mask))
        scene.commit()
        self._meshes.append((mesh, scene))
        self._first_face.append(len(self._face_of_primitive))
        self._face_of_primitive = np.append(self._face_of_primitive, opaque_faces)
        self._slot_of_primitive = np.append(self._slot_of_primitive, mesh.slot[opaque_faces])
        self._count("meshes_built")
        return len(self._meshes) - 1

    @property
    def instance_limit(self) -> int:
        """One more than the highest instance index in use."""
        return max(self._instances, default=-1) + 1

    def mesh(self, index: int) -> Mesh:
        """Return the mesh of an index that ``add_mesh`` gave."""
        return self._meshes[index][0]

    def add(self, mesh_index: int, world_from_mesh: NDArray[np.float64]) -> int:
        """Place a mesh and return the instance's index (the lowest free one)."""
        geometry = embree.instance(self._meshes[mesh_index][1])
        instance = _Instance(
            geometry, mesh_index, _checked(world_from_mesh)[None], self._shift(mesh_index)
        )
        self._place(instance)
        index = self._top.attach(geometry)
        self._instances[index] = instance
        self._write_row(index, instance)
        self._changed = True
        self._count("instances_added")
        return index

    def remove(self, instance_index: int) -> None:
        """Take an instance out of the scene."""
        self._top.detach(instance_index)
        del self._instances[instance_index]
        self._changed = True
        self._count("instances_removed")

    def set_pose(self, instance_index: int, world_from_mesh: NDArray[np.float64]) -> None:
        """Move an instance, which then rests."""
        instance = self._instances[instance_index]
        self._set(instance_index, _checked(world_from_mesh)[None], self._shift(instance.mesh), None)

    def set_motion(
        self,
        instance_index: int,
        world_from_object: NDArray[np.float64],
        object_from_mesh: NDArray[np.float64],
    ) -> None:
        """Let an instance move while rays are shot.

        Parameters
        ----------
        instance_index : int
            The instance.
        world_from_object : float64 (n_step, 4, 4)
            Poses of the object, rotations and translations, at evenly spaced times from 0 to 1;
            the same number for all that move, 2 to 129 (Embree's limit). [m]
        object_from_mesh : float64 (4, 4)
            Where the mesh is in the object's frame. The object turns about its own origin.
        """
        steps = np.stack([_checked(pose) for pose in world_from_object])
        local = _checked(object_from_mesh) @ self._shift(self._instances[instance_index].mesh)
        turn_rad = turns_rad(steps[:, :3, :3])
        self._set(instance_index, steps, local, turn_rad if turn_rad.any() else None)

    def moves(self, instance_index: int) -> bool:
        """Return whether an instance moves while rays are shot."""
        return len(self._instances[instance_index].world_from_object) > 1

    def commit(self, sensor_position_m: NDArray[np.float64]) -> bool:
        """Make the changes visible to rays that start near a place; return whether there were any.

        Parameters
        ----------
        sensor_position_m : float64 (3,)
            Where the rays will start, in the world frame. [m]
        """
        self._move_anchor(sensor_position_m)
        if not self._changed:
            return False
        self._top.commit()
        self._changed = False
        self._count("commits")
        return True

    def anchor_from_world(self, world_pose: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a world pose (4, 4) in the anchor frame, subtracted in float64."""
        if self._anchor_m is None or self._changed:
            raise RayCoreError("SceneGraph: traced before commit()")
        return _shifted(world_pose, self._anchor_m)

    @property
    def tables(self) -> SceneTables:
        """The kernels' look-up tables for the scene as it is."""
        turning = {n: each for n, each in self._instances.items() if each.turn_rad is not None}
        row = np.full(len(self._mesh_of_instance), -1, np.int32)
        row[list(turning)] = np.arange(len(turning))
        turns = [each.turn_rad for each in turning.values() if each.turn_rad is not None]
        return SceneTables(
            normal_from_mesh=self._normal_from_mesh,
            turning_row=row,
            turn_rad=np.array(turns or np.zeros((0, 1, 3)), np.float32),
            mesh_of_instance=self._mesh_of_instance,
            first_face=np.array(self._first_face, np.int64),
            face_of_primitive=self._face_of_primitive,
            slot_of_primitive=self._slot_of_primitive,
        )

    def _count(self, name: str) -> None:
        self.counts = replace(self.counts, **{name: getattr(self.counts, name) + 1})

    def _shift(self, mesh_index: int) -> NDArray[np.float64]:
        """Return mesh_from_local, where a mesh's vertices are relative to its own origin."""
        pose = np.eye(4)
        pose[:3, 3] = self._meshes[mesh_index][0].origin_m
        return pose

    def _set(
        self,
        index: int,
        world_from_object: NDArray[np.float64],
        object_from_local: NDArray[np.float64],
        turn_rad: NDArray[np.float64] | None,
    ) -> None:
        instance = self._instances[index]
        instance.world_from_object = world_from_object
        instance.object_from_local = object_from_local
        instance.turn_rad = turn_rad
        self._place(instance)
        self._write_row(index, instance)
        self._changed = True
        self._count("poses_set")

    def _place(self, instance: _Instance) -> None:
        """Hand an instance's poses to Embree; before the first commit there is no anchor yet."""
        if self._anchor_m is None:
            return
        anchor_from_object = _shifted(instance.world_from_object, self._anchor_m)
        if instance.turn_rad is None:
            poses = anchor_from_object @ instance.object_from_local
            embree.set_transform(instance.geometry, poses)
        else:
            steps = decomposed(anchor_from_object, instance.object_from_local)
            embree.set_turning_transform(instance.geometry, steps)

    def _move_anchor(self, sensor_position_m: NDArray[np.float64]) -> None:
        if self._anchor_m is not None:
            if np.abs(sensor_position_m - self._anchor_m).max() <= ANCHOR_LIMIT_M:
                return
            self._count("anchor_moves")
        self._anchor_m = np.rint(sensor_position_m, dtype=np.float64)
        for instance in self._instances.values():
            self._place(instance)
        self._changed = True

    def _write_row(self, index: int, instance: _Instance) -> None:
        """Write an instance's row of the tables, which grow by doubling."""
        n = len(self._mesh_of_instance)
        if index >= n:
            more = max(index + 1 - n, n)
            grown = np.zeros((more, 3, 3), np.float32)
            self._normal_from_mesh = np.concatenate([self._normal_from_mesh, grown])
            self._mesh_of_instance = np.append(self._mesh_of_instance, np.zeros(more, np.uint32))
        linear = (instance.world_from_object[0] @ instance.object_from_local)[:3, :3]
        # normals follow the inverse transpose; times |det| it stays in float32's range
        inverse = np.linalg.inv(linear).T * abs(np.linalg.det(linear))
        self._normal_from_mesh[index] = inverse
        self._mesh_of_instance[index] = instance.mesh


def _checked(pose: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a pose as float64, refused if it is none."""
    matrix = np.array(pose, np.float64)
    if matrix.shape != (4, 4) or not np.isfinite(matrix).all():
        raise RayCoreError("SceneGraph: a pose is a finite 4x4 matrix")
    if not np.linalg.det(matrix[:3, :3]):
        raise RayCoreError("SceneGraph: a pose must not flatten the mesh (determinant 0)")
    return matrix


def _shifted(pose: NDArray[np.float64], origin_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return poses (.., 4, 4) relative to another origin, subtracted in float64."""
    shifted: NDArray[np.float64] = pose.copy()
    shifted[..., :3, 3] -= origin_m
    return shifted
