# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""SceneGraph: one BVH per mesh and one instance per object; updates touch only what changed."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from raycore import embree
from raycore.errors import RayCoreError
from raycore.mesh.mesh import box
from raycore.scene import scene_kernels
from raycore.scene.changes import ChangeLog, SceneChanges
from raycore.scene.instances import CHORD_M, Instances, MeshBoxes
from raycore.scene.records import CommittedScene, SceneCounts, SceneTables

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import ArrayLike, NDArray

    from raycore.mesh.mesh import Mesh

ANCHOR_LIMIT_M = 1000.0
"""Distance between sensor and anchor above which the anchor moves. [m]"""

_CONTENT = (
    "_meshes", "_boxes", "_origin_m", "_first_row", "_slot_of_primitive", "_instances", "_anchor_m",
    "_tables",
)  # fmt: skip
"""Attributes that a scene takes over from another scene in ``show``."""
MASK_TRANSPARENT = 2
"""Mask bit of the surfaces of transparent materials; laser rays do not have it."""


class SceneGraph:
    """The scene as Embree sees it: meshes, and their instances.

    Poses are float64 in the world frame. Embree's own coordinates are float32 and relative to an
    anchor near the sensor, so that large world coordinates cost no accuracy. ``commit`` sets the
    anchor, and moves it when the sensor is more than ``ANCHOR_LIMIT_M`` away from it.

    Changes take effect at the next ``commit``, which does nothing if there are none.

    An instance may move while rays are shot: each ray sees it at the ray's own time, 0 to 1.

    A pose that is not finite or flattens its mesh raises RayCoreError, and so does setting a pose
    or motion of an instance that does not exist.
    """

    def __init__(self) -> None:
        self._top = embree.EmbreeScene(dynamic=True)
        self._meshes: list[tuple[Mesh, embree.EmbreeScene]] = []
        self._boxes = MeshBoxes(center_m=np.zeros((0, 3)), half_m=np.zeros((0, 3)))
        self._origin_m = np.zeros((0, 3))
        self._first_row = np.zeros(0, np.int64)
        self._slot_of_primitive = np.empty(0, np.uint16)
        self._instances = Instances()
        self._anchor_m: NDArray[np.float64] | None = None
        self._changed = True
        self._everything = True
        self._counts = dict.fromkeys(asdict(SceneCounts()), 0)
        self._log = ChangeLog()
        self._tables: SceneTables | None = None
        self._frames: tuple[int, tuple[NDArray[np.float64], NDArray[np.float64]]] | None = None
        self._shows: tuple[SceneGraph, int] | None = None
        self._only = np.zeros(0, np.int64)

    @property
    def handle(self) -> int:
        """Embree's handle of the scene that contains all instances."""
        return self._top.handle

    @property
    def counts(self) -> SceneCounts:
        """Counts of what the graph has done since it was created."""
        return SceneCounts(**self._counts)

    @property
    def n_commits(self) -> int:
        """Number of commits so far, as in ``counts``."""
        return self._counts["commits"]

    def add_mesh(self, mesh: Mesh, *, transparent_slots: Collection[int] = ()) -> int:
        """Build the BVH of a mesh and return the mesh's index.

        ``transparent_slots`` are the material slots of ``mesh`` that laser rays pass through. Their
        faces go to a separate geometry, which laser rays ignore by its mask. So no callback per hit
        is needed.
        """
        scene = embree.EmbreeScene()
        opaque_faces = mesh.faces_of(transparent_slots, inverse=True).astype(np.uint32)
        for chosen, mask in (
            (opaque_faces, embree.MASK_LASER),
            (mesh.faces_of(transparent_slots), MASK_TRANSPARENT),
        ):
            if len(chosen):
                scene.attach(embree.triangles(mesh.vertices_m, mesh.faces[chosen], mask=mask))
        scene.commit()
        self._meshes.append((mesh, scene))
        lowest_m, highest_m = scene.bounds().astype(np.float64)
        self._boxes = MeshBoxes(
            center_m=np.vstack([self._boxes.center_m, 0.5 * (lowest_m + highest_m)]),
            half_m=np.vstack([self._boxes.half_m, 0.5 * (highest_m - lowest_m)]),
        )
        self._origin_m = np.vstack([self._origin_m, mesh.origin_m])
        self._first_row = np.append(self._first_row, len(self._slot_of_primitive))
        self._slot_of_primitive = np.append(self._slot_of_primitive, mesh.slot[opaque_faces])
        self._everything = True
        self._tables = None
        self._counts["meshes_built"] += 1
        return len(self._meshes) - 1

    def release(self, mesh_index: int) -> None:
        """Free the BVH and the triangles of a mesh without instances; its index is not used again.

        The mesh's rows in the look-up tables stay, at a few bytes for each triangle. ``mesh_index``
        is from `add_mesh`.

        Raises
        ------
        RayCoreError
            The mesh has an instance.
        """
        if (self._instances.mesh[self._instances.exists] == mesh_index).any():
            raise RayCoreError("SceneGraph: cannot release a mesh that still has an instance")
        self._meshes[mesh_index] = box(np.ones(3), "released"), embree.EmbreeScene()

    @property
    def instance_limit(self) -> int:
        """One more than the highest instance index in use."""
        used = np.flatnonzero(self._instances.exists)
        return int(used[-1]) + 1 if len(used) else 0

    def mesh(self, index: int) -> Mesh:
        """Return the mesh with an index that ``add_mesh`` returned."""
        return self._meshes[index][0]

    def mesh_of(self, instance_index: int) -> Mesh:
        """Return the mesh of an instance; ``instance_index`` is the index that `add` returned."""
        return self.mesh(int(self._instances.mesh[instance_index]))

    def add(self, mesh_index: int, world_from_mesh: NDArray[np.float64]) -> int:
        """Add an instance of a mesh, at rest; return its index, which is the lowest free one.

        ``mesh_index`` is from `add_mesh`. ``world_from_mesh`` is the pose of the mesh (4, 4) in the
        world frame [m]; it may scale the mesh.
        """
        world = _checked(world_from_mesh, (4, 4))
        geometry = embree.instance(self._meshes[mesh_index][1])
        index = self._top.attach(geometry)
        local = self._mesh_from_local(mesh_index)
        self._instances.add(index, geometry.handle, mesh_index, world, local)
        self._note("instances_added", 1)
        return index

    def remove(self, instance_index: int) -> None:
        """Remove the instance ``instance_index`` from the scene; `add` may use its index again."""
        self._top.detach(instance_index)
        self._instances.remove(instance_index)
        self._note("instances_removed", 1)

    def set_pose(self, instance_index: int, world_from_mesh: NDArray[np.float64]) -> None:
        """Move one instance to a pose, and leave it at rest there.

        ``instance_index`` is from `add`; ``world_from_mesh``, (4, 4), is the pose in the world
        frame [m].
        """
        self.set_poses([instance_index], np.asarray(world_from_mesh)[None])

    def set_poses(self, instances: ArrayLike, world_from_mesh: NDArray[np.float64]) -> None:
        """Move instances to poses and leave them at rest there.

        Parameters
        ----------
        instances : int (n,)
            Indices of the instances, each one once.
        world_from_mesh : float64 (n, 4, 4)
            New poses of the instances. [m]
        """
        index = self._existing(instances)
        world = _checked(world_from_mesh, (len(index), 4, 4))
        local = self._mesh_from_local(self._instances.mesh[index])
        self._instances.rest(index, world, local)
        self._note("poses_set", len(index))

    def set_motions(
        self,
        instances: ArrayLike,
        world_from_object: NDArray[np.float64],
        object_from_mesh: NDArray[np.float64],
        *,
        chord_m: float = CHORD_M,
    ) -> None:
        """Let instances move while rays are shot.

        Parameters
        ----------
        instances : int (n,)
            Indices of the instances, each one once.
        world_from_object : float64 (n, n_step, 4, 4)
            Poses of the objects, rotations and translations, at evenly spaced times from 0 to 1.
            At a commit, all moving instances need the same n_step, 2 to 129 (Embree's limit). [m]
        object_from_mesh : float64 (n, 4, 4)
            Poses of the meshes in their objects' frames. An object turns about its own origin.
        chord_m : float
            Largest error of points at which turning instances move along chords of their arcs. [m]
        """
        index = self._existing(instances)
        steps = _checked(world_from_object, (len(index), -1, 4, 4))
        local = _checked(object_from_mesh, (len(index), 4, 4))
        local = local @ self._mesh_from_local(self._instances.mesh[index])
        self._instances.move(index, steps, local, self._boxes, chord_m)
        self._note("poses_set", len(index))

    def pose(self, instance_index: int) -> NDArray[np.float64]:
        """Return the pose (4, 4) that was set for the instance ``instance_index``, world frame [m].

        It is ``world_from_mesh``, or ``world_from_object`` at time 0 if the instance moves.
        """
        pose: NDArray[np.float64] = self._instances.steps[instance_index, 0].copy()
        return pose

    def moves(self, instance_index: int) -> bool:
        """Return whether the instance ``instance_index`` moves while rays are shot."""
        return self._instances.moves(instance_index)

    def commit(self, sensor_position_m: NDArray[np.float64]) -> bool:
        """Make the changes visible to rays; return whether there were any.

        Parameters
        ----------
        sensor_position_m : float64 (3,)
            Approximate origin of the rays to be traced, in the world frame. [m]
        """
        anchor_m = self._move_anchor(sensor_position_m)
        if not self._changed:
            return False
        changes = self._instances.place(anchor_m, self._boxes, everything=self._everything)
        embree.device().check()
        self._top.commit()
        self._log.add(changes)
        self._changed = self._everything = False
        self._counts["commits"] += 1
        return True

    def show(self, of: SceneGraph, instances: NDArray[np.int64]) -> None:
        """Make this scene show only these instances (by index) of another, committed scene.

        Until `show` is called again, the tables, poses and counts of this scene are those of the
        other scene, and hits have its indices.
        """
        before, commits, state = self._only, self.n_commits, (of, of.n_commits)
        for index in before.tolist():
            self._top.detach(index)
        for index in instances.tolist():
            self._top.attach_of(of._top, index)
        self._top.commit()
        same = self._shows == state
        for name in _CONTENT:
            setattr(self, name, getattr(of, name))
        self._counts = {**of._counts, "commits": commits + 1}
        self._shows, self._only, self._changed = state, instances, False
        changed = np.concatenate([before if same else before[:0], instances])
        low_m, high_m = self._instances.lower_m[changed], self._instances.upper_m[changed]
        self._log.add(
            SceneChanges(everything=not same, instance=changed, lower_m=low_m, upper_m=high_m)
        )

    @property
    def shown(self) -> tuple[NDArray[np.float32], NDArray[np.float32]] | None:
        """Lower and upper box corners of the instances given to `show`, anchor frame, (n, 3) [m].

        None if `show` was never called.
        """
        if self._shows is None:
            return None
        return self._instances.lower_m[self._only], self._instances.upper_m[self._only]

    def bounds_m(self, instances: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return boxes around instances over all times from 0 to 1, world frame, (n, 2, 3) [m].

        The boxes are from the last commit, and include an allowance for rounding.
        """
        bounds = self._instances.lower_m[instances], self._instances.upper_m[instances]
        corners: NDArray[np.float64] = np.stack(bounds, axis=1).astype(np.float64)
        return corners - self.anchor_from_world(np.eye(4))[:3, 3]

    def changes_since(self, n_commits: int) -> SceneChanges:
        """Return the changes made after the first ``n_commits`` commits.

        ``everything`` is True if more than 16 commits followed.
        """
        return self._log.since(n_commits)

    def anchor_from_world(self, world_pose: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the poses ``world_pose``, (..., 4, 4) [m] in the world frame, in the anchor frame.

        Raise RayCoreError if `commit` was not called after the last change.
        """
        if self._anchor_m is None or self._changed:
            raise RayCoreError("SceneGraph: got a trace before commit(), expected commit() first")
        shifted: NDArray[np.float64] = world_pose.copy()
        shifted[..., :3, 3] -= self._anchor_m
        return shifted

    def committed_for(self, world_pose: NDArray[np.float64]) -> CommittedScene:
        """Return the committed scene for tracing rays of a sensor.

        ``world_pose``, float64 (n, 4, 4), has the poses of the sensor in the world frame. Raise
        RayCoreError if `commit` was not called after the last change.
        """
        anchor = self.anchor_from_world(world_pose)
        return CommittedScene(anchor, self.handle, self.tables, self.shown, self.n_commits)

    def frames(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the transform from the anchor frame to each instance's mesh, and its scale.

        A transform, float64 (n_instance, n_step, 3, 4), consists of A, (3, 3), and then c, (3, 1):
        a point p of the anchor frame is at A (p - c) in the frame of the mesh's file, in metres
        even if the instance is scaled. n_step is 1 if nothing moves, else the number of steps of
        the moving instances; instances at rest have equal steps. The scales, float64
        (n_instance, 3), are along the axes of the mesh.
        """
        anchor_m = -self.anchor_from_world(np.eye(4))[:3, 3]
        if self._frames is None or self._frames[0] != self.n_commits:
            self._frames = self.n_commits, self._instances.frames(self._origin_m, anchor_m)
        return self._frames[1]

    @property
    def tables(self) -> SceneTables:
        """The kernels' look-up tables of the committed scene."""
        if self._tables is None:
            self._tables = SceneTables(
                normal_from_mesh=self._instances.normal_from_mesh,
                turning_row=self._instances.turning_row,
                turn_rad=self._instances.turn_rad,
                mesh_of_instance=self._instances.mesh,
                first_row=self._first_row,
                slot_of_primitive=self._slot_of_primitive,
            )
        return self._tables

    def _note(self, name: str, n: int) -> None:
        """Count n changes of a kind, and mark the scene as changed for the next commit."""
        self._counts[name] += n
        self._changed = True
        self._tables = None

    def _existing(self, instances: ArrayLike) -> NDArray[np.int64]:
        """Return instance indices as an array; raise RayCoreError if one does not exist."""
        index = np.asarray(instances, np.int64)
        exists = self._instances.exists
        if len(index) and not (index.max() < len(exists) and exists[index].all()):
            raise RayCoreError("SceneGraph: cannot move an instance that is not in the scene")
        return index

    def _mesh_from_local(self, mesh: int | NDArray[np.uint32]) -> NDArray[np.float64]:
        """Return the pose (n, 4, 4) of meshes' local frames, to which vertices are relative."""
        origin_m = self._origin_m[np.atleast_1d(mesh)]
        poses = np.tile(np.eye(4), (len(origin_m), 1, 1))
        poses[:, :3, 3] = origin_m
        return poses

    def _move_anchor(self, sensor_position_m: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the anchor [m]; move it first if the sensor is too far away."""
        if self._anchor_m is not None:
            if np.abs(sensor_position_m - self._anchor_m).max() <= ANCHOR_LIMIT_M:
                return self._anchor_m
            self._counts["anchor_moves"] += 1
        self._anchor_m = np.rint(sensor_position_m, dtype=np.float64)
        self._instances.changed |= self._instances.exists
        self._changed = self._everything = True
        return self._anchor_m


def _checked(poses: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return poses as float64; raise RayCoreError if one is not a usable pose."""
    matrices = np.array(poses, np.float64)
    fits = matrices.ndim == len(shape) and all(
        want in (-1, got) for want, got in zip(shape, matrices.shape, strict=True)
    )
    if not fits or not np.isfinite(matrices).all():
        raise RayCoreError("SceneGraph: got another pose, expected a finite 4x4 matrix")
    if scene_kernels.flattens(matrices.reshape(-1, 4, 4)):
        raise RayCoreError(
            "SceneGraph: got a pose that flattens the mesh, expected a determinant other than 0"
        )
    return matrices
