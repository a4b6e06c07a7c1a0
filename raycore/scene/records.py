# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of a scene graph: counts of its changes, its look-up tables, and a committed scene."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneCounts:
    """Counts of a scene graph's work since it was created. Two counts can be added.

    Attributes
    ----------
    meshes_built : int
        Meshes whose BVH was built.
    instances_added, instances_removed : int
        Instances added to the scene, and removed from it.
    poses_set : int
        Poses and motions set for instances after they were added.
    commits : int
        Commits that had changes to make visible, and calls of `SceneGraph.show`.
    anchor_moves : int
        Moves of the anchor, the origin of Embree's coordinates, after it was first set.
    """

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
    """Look-up tables with which kernels interpret Embree's hits.

    Attributes
    ----------
    normal_from_mesh : float32 (n_instance, 3, 3)
        Matrix from a mesh's normals to the anchor frame at time 0; it does not preserve lengths.
    turning_row : int32 (n_instance,)
        Row of ``turn_rad`` of an instance that turns; -1 for all others.
    turn_rad : float32 (n_instance, n_step - 1, 3)
        Rotation vectors from each time step to the next one, in the anchor frame. [rad]
    mesh_of_instance : uint32 (n_instance,)
        Index of the instance's mesh. Rows of instances that do not exist are never read.
    first_row : int64 (n_mesh,)
        First row of each mesh in ``slot_of_primitive``.
    slot_of_primitive : uint16 (n_row,)
        Material slot of each of Embree's primitives, mesh by mesh.
    """

    normal_from_mesh: NDArray[np.float32]
    turning_row: NDArray[np.int32]
    turn_rad: NDArray[np.float32]
    mesh_of_instance: NDArray[np.uint32]
    first_row: NDArray[np.int64]
    slot_of_primitive: NDArray[np.uint16]


class CommittedScene(NamedTuple):
    """A committed scene, for tracing the rays of a sensor from its poses.

    Attributes
    ----------
    anchor_from_pose : float64 (n, 4, 4)
        The n poses of the sensor in the scene's anchor frame. [m]
    handle : int
        Embree's handle of the scene that contains all instances.
    tables : SceneTables
        The kernels' look-up tables.
    shown : (float32 (n_box, 3), float32 (n_box, 3)) or None
        Lower and upper corners of the boxes around the instances that were passed to
        `SceneGraph.show`, in the anchor frame; None if `show` was never called. [m]
    n_commits : int
        Number of commits of the scene graph since it was created.
    """

    anchor_from_pose: NDArray[np.float64]
    handle: int
    tables: SceneTables
    shown: tuple[NDArray[np.float32], NDArray[np.float32]] | None
    n_commits: int
