# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The instances of a scene as columns, and their transfer to Embree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from raycore.errors import RayCoreError
from raycore.scene import scene_kernels
from raycore.scene.changes import SceneChanges
from raycore.scene.motion import decomposed, split

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHORD_M = 4e-6
"""Largest error in the position of points of a turning instance that Embree moves by matrices. [m]

Between two matrices points move along a chord of their arc. An instance that needs at most four
chords per time step for this error, and 128 in all, moves by matrices, unless `FEWEST_SEVERAL` says
otherwise. Other instances move by quaternions, which cost Embree several times as much. The value
is half the step of float32 ranges above 64 m."""
FEWEST_SEVERAL = 2 / 3
"""Limit on the mix of two ways in which Embree moves instances: by several chords per time step, or
by quaternions. If the first are fewer than this share of the second, all move by quaternions: a
few instances with many time steps make Embree split all others in time."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeshBoxes:
    """Bounding boxes of meshes in their local frames.

    Attributes
    ----------
    center_m, half_m : float64 (n_mesh, 3)
        Centre of each box, and half of its extent. [m]
    """

    center_m: NDArray[np.float64]
    half_m: NDArray[np.float64]


class Instances:
    """All instances of a scene as arrays; the row of an instance is its index in Embree.

    An instance at rest has one pose; a moving instance has ``steps.shape[1]`` poses. ``place``
    hands changed poses to Embree.

    Attributes
    ----------
    exists, shown : bool (n,)
        Whether the instance exists now, and whether it existed at the last ``place``.
    changed : bool (n,)
        Whether it was changed since the last ``place``.
    steps : float64 (n, n_step, 4, 4)
        Poses of the objects in the world. [m]
    local : float64 (n, 4, 4)
        Pose of the mesh's local frame, whose origin is the mesh's ``origin_m``, in the object. [m]
    turning_row : int32 (n,)
        The index of the instance itself if it turns; -1 for all others.
    turn_rad : float32 (n, n_step - 1, 3)
        Rotation vectors from each time step to the next one. [rad]
    normal_from_mesh : float32 (n, 3, 3)
        Matrix from the mesh's normals to the anchor frame at time 0.
    mesh : uint32 (n,)
        Index of its mesh.
    lower_m, upper_m : float32 (n, 3)
        Bounds over all times from 0 to 1 at the last ``place``, in the anchor frame, with an
        allowance for rounding. [m]
    """

    def __init__(self) -> None:
        self.exists = np.zeros(0, bool)
        self.shown = np.zeros(0, bool)
        self.changed = np.zeros(0, bool)
        self.steps = np.zeros((0, 1, 4, 4))
        self.local = np.zeros((0, 4, 4))
        self.turning_row = np.zeros(0, np.int32)
        self.turn_rad = np.zeros((0, 0, 3), np.float32)
        self.normal_from_mesh = np.zeros((0, 3, 3), np.float32)
        self.mesh = np.zeros(0, np.uint32)
        self.lower_m = np.zeros((0, 3), np.float32)
        self.upper_m = np.zeros((0, 3), np.float32)
        self._handle = np.zeros(0, np.int64)
        self._n_step = np.zeros(0, np.int64)
        self._pieces = np.zeros(0, np.int64)
        self._placed_pieces = np.zeros(0, np.int64)
        self._bulge_m = np.zeros(0)
        self._rotation = np.zeros((0, 3, 3))
        self._fixed = np.zeros((0, 9))
        self._is_split = np.zeros(0, bool)

    def add(
        self,
        index: int,
        handle: int,
        mesh: int,
        world: NDArray[np.float64],
        local: NDArray[np.float64],
    ) -> None:
        """Add an instance at rest.

        ``index`` is its row, ``handle`` its geometry in Embree, and ``mesh`` the index of its mesh;
        ``world`` and ``local`` are poses as for `rest`.
        """
        if index >= len(self.exists):
            self._grow(max(index + 1, 2 * len(self.exists)))
        self.exists[index] = True
        self._handle[index] = handle
        self.mesh[index] = mesh
        self.rest(np.array([index]), world, local)

    def frames(
        self, origin_m: NDArray[np.float64], anchor_m: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the transform from the anchor frame to each instance's mesh, and its scale.

        They have the form of ``SceneGraph.frames``. ``origin_m``, (n_mesh, 3), has the origins of
        the meshes' local frames, and ``anchor_m``, (3,), is the anchor in the world frame.
        """
        n_step = int(self._n_step[self.exists].max(initial=1))
        found, scale = np.zeros((len(self.exists), n_step, 3, 4)), np.ones((len(self.exists), 3))
        scene_kernels.write_frames(self._arrays(), self.exists, origin_m, anchor_m, found, scale)
        return found, scale

    def remove(self, index: int) -> None:
        """Remove the instance of the row ``index``; the row may be reused."""
        self.exists[index] = False
        self.changed[index] = True

    def rest(
        self, index: NDArray[np.int64], world: NDArray[np.float64], local: NDArray[np.float64]
    ) -> None:
        """Set instances to rest, each at a new pose.

        Parameters
        ----------
        index : int64 (n,)
            Rows of the instances.
        world : float64 (n, 4, 4)
            Poses of the objects in the world frame. [m]
        local : float64 (n, 4, 4)
            Poses of the meshes' local frames in the frames of their objects. [m]
        """
        self.steps[index, 0] = world
        self._set_local(index, local)
        self._n_step[index] = 1
        self.turning_row[index] = -1
        self._pieces[index] = 1
        self._bulge_m[index] = 0.0
        self.changed[index] = True

    def move(
        self,
        index: NDArray[np.int64],
        steps: NDArray[np.float64],
        local: NDArray[np.float64],
        boxes: MeshBoxes,
        chord_m: float,
    ) -> None:
        """Let instances move while rays are shot.

        Parameters
        ----------
        index : int64 (n,)
            Indices of the instances.
        steps : float64 (n, n_step, 4, 4)
            Poses of their objects in the world, at evenly spaced times from 0 to 1. [m]
        local : float64 (n, 4, 4)
            Poses of the meshes' local frames in the objects. [m]
        boxes : MeshBoxes
            Boxes of all meshes.
        chord_m : float
            Largest error of points that move along chords of their arcs, see `CHORD_M`. [m]
        """
        n_step = steps.shape[1]
        if n_step != self.steps.shape[1]:
            self._take_step_count(n_step)
        self.steps[index] = steps
        self._set_local(index, local)
        self._n_step[index] = n_step
        self.changed[index] = True
        of_boxes = scene_kernels.BoxArrays(boxes.center_m, boxes.half_m)
        scene_kernels.note_turns(self._arrays(), of_boxes, index, chord_m, self.turning_row)

    def moves(self, index: int) -> bool:
        """Return whether the instance of the row ``index`` has more than one pose."""
        return bool(self._n_step[index] > 1)

    def place(
        self, anchor_m: NDArray[np.float64], boxes: MeshBoxes, *, everything: bool
    ) -> SceneChanges:
        """Hand all poses changed since the previous call to Embree; return the changes.

        ``anchor_m``, (3,), is the anchor in the world frame, to which Embree's poses are relative.
        ``boxes`` has the boxes of all meshes. ``everything`` is passed on into the result. Raise
        RayCoreError if moving instances differ in their number of time steps.
        """
        n_step = self._n_step[self.exists]
        if ((n_step != 1) & (n_step != self.steps.shape[1])).any():
            raise RayCoreError(
                "SceneGraph: moving instances differ in their number of time steps, expected the "
                "same number"
            )
        self._choose_pieces()
        left = np.flatnonzero(self.changed & self.shown)
        left_lower_m, left_upper_m = self.lower_m[left], self.upper_m[left]
        placed = np.flatnonzero(self.changed & self.exists)
        self._hand_over(placed, anchor_m, boxes)
        self.changed[:] = False
        self.shown[:] = self.exists
        return SceneChanges(
            everything=everything,
            instance=np.concatenate([left, placed]),
            lower_m=np.concatenate([left_lower_m, self.lower_m[placed]]),
            upper_m=np.concatenate([left_upper_m, self.upper_m[placed]]),
        )

    def _choose_pieces(self) -> None:
        """Choose chords or quaternions for each instance; a new choice marks it as changed."""
        pieces, moves = self._pieces, self.exists & (self._n_step > 1)
        several = moves & (pieces > 1)
        n_by_quaternions = np.count_nonzero(moves & (pieces == 0))
        if np.count_nonzero(several) < FEWEST_SEVERAL * n_by_quaternions:
            pieces = np.where(several, 0, pieces)
        self.changed |= self.exists & (pieces != self._placed_pieces)
        self._placed_pieces = pieces.copy()

    def _hand_over(
        self, placed: NDArray[np.int64], anchor_m: NDArray[np.float64], boxes: MeshBoxes
    ) -> None:
        """Hand the poses of the instances ``placed`` to Embree; write their bounds and normals."""
        scene_kernels.place_instances(
            self._arrays()._replace(pieces=self._placed_pieces),
            scene_kernels.BoxArrays(boxes.center_m, boxes.half_m),
            placed,
            anchor_m,
            scene_kernels.PlacedArrays(self.lower_m, self.upper_m, self.normal_from_mesh),
        )
        turning = placed[self._placed_pieces[placed] == 0]
        if len(turning):
            self._split(turning)
            steps = self.steps[turning]
            steps[:, :, :3, 3] -= anchor_m
            scene_kernels.place_turning(
                self._handle[turning],
                decomposed(steps, self._rotation[turning], self._fixed[turning]),
            )

    def _arrays(self) -> scene_kernels.InstanceArrays:
        """Return the arrays as kernels take them."""
        return scene_kernels.InstanceArrays(
            self._handle, self._n_step, self.steps, self.local, self.turn_rad, self._pieces,
            self._bulge_m, self.mesh,
        )  # fmt: skip

    def _set_local(self, index: NDArray[np.int64], local: NDArray[np.float64]) -> None:
        self._is_split[index] &= (self.local[index] == local).all(axis=(1, 2))
        self.local[index] = local

    def _split(self, index: NDArray[np.int64]) -> None:
        """Split the local poses of turning instances (see `motion.split`), unless already done."""
        new = index[~self._is_split[index]]
        self._rotation[new], self._fixed[new] = split(self.local[new])
        self._is_split[new] = True

    def _take_step_count(self, n_step: int) -> None:
        """Change the number of time steps; moving instances lose their poses."""
        first = self.steps[:, :1]
        self.steps = np.zeros((len(first), n_step, 4, 4))
        self.steps[:, :1] = first
        self.turn_rad = np.zeros((len(first), n_step - 1, 3), np.float32)

    def _grow(self, n: int) -> None:
        """Extend every column to n rows."""
        for name, column in vars(self).items():
            grown = np.zeros((n, *column.shape[1:]), column.dtype)
            grown[: len(column)] = column
            setattr(self, name, grown)
