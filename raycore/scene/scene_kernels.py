# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of the scene graph: hand the poses of many instances to Embree at once."""

from __future__ import annotations

import math
from typing import NamedTuple

import llvmlite.binding
import numpy as np
from numba import types

from lidar_base.compiled import njit
from raycore.embree import FORMAT_FLOAT4X4_COLUMN_MAJOR, function_address
from raycore.scene.motion_kernels import rotate, turn_between

ROUNDING_M = 1e-3
"""Bounds are widened by this, plus ``ROUNDING_SHARE`` times the largest coordinate. [m]"""
ROUNDING_SHARE = 4e-6
"""64 times the relative rounding error of single precision."""
ARC_SHARE = 1e-3
"""Largest error of Embree's quaternion interpolation, as a fraction of the mesh's radius."""
MOST_CHORDS = 128
"""Largest number of chords, over all time steps, along which Embree can move an instance."""
MOST_PIECES = 4
"""Largest number of chords per time step along which a turning instance moves. An instance that
needs more of them, to keep near its arc, moves by quaternions."""


def _external(name: str, *arguments: types.Type) -> types.ExternalFunction:
    """Make an Embree function callable by symbol, which keeps compiled kernels cacheable."""
    llvmlite.binding.add_symbol(name, function_address(name))
    return types.ExternalFunction(name, types.void(*arguments))


_set_step_count = _external("rtcSetGeometryTimeStepCount", types.intp, types.uint32)
_set_transform = _external(
    "rtcSetGeometryTransform", types.intp, types.uint32, types.int32, types.intp
)
_set_quaternion = _external(
    "rtcSetGeometryTransformQuaternion", types.intp, types.uint32, types.intp
)
_commit = _external("rtcCommitGeometry", types.intp)


@njit(cache=True, nogil=True, inline="always")
def _product(first, second, matrix_out):
    """Write the product of two matrices (4, 4)."""
    for row in range(4):
        for column in range(4):
            total = 0.0
            for k in range(4):
                total += first[row, k] * second[k, column]
            matrix_out[row, column] = total


@njit(cache=True, nogil=True, inline="always")
def _widen(matrix, center, half, bulge, lower_out, upper_out):
    """Widen bounds to include a box after a transform, with ``bulge`` and rounding as margins."""
    for axis in range(3):
        middle, reach = matrix[axis, 3], bulge
        largest = abs(matrix[axis, 3]) + bulge
        for k in range(3):
            middle += matrix[axis, k] * center[k]
            reach += abs(matrix[axis, k]) * half[k]
            largest += abs(matrix[axis, k]) * (abs(center[k]) + half[k])
        reach += ROUNDING_M + ROUNDING_SHARE * largest
        lower_out[axis] = min(lower_out[axis], middle - reach)
        upper_out[axis] = max(upper_out[axis], middle + reach)


@njit(cache=True, nogil=True, inline="always")
def _write_normals(matrix, normals_out):
    """Write the matrix that transforms normals; return the determinant.

    The matrix is the inverse transpose times |determinant|, which fits into float32. It equals the
    matrix of cofactors times the sign of the determinant.
    """
    determinant = 0.0
    for row in range(3):
        below, above = (row + 1) % 3, (row + 2) % 3
        for column in range(3):
            right, left = (column + 1) % 3, (column + 2) % 3
            cofactor = matrix[below, right] * matrix[above, left]
            cofactor -= matrix[below, left] * matrix[above, right]
            normals_out[row, column] = cofactor
            if row == 0:
                determinant += matrix[0, column] * cofactor
    if determinant < 0.0:
        for row in range(3):
            for column in range(3):
                normals_out[row, column] = -normals_out[row, column]
    return determinant


@njit(cache=True, nogil=True)
def flattens(
    matrix,  # float64 (n, 4, 4)
):
    """Return whether at least one of the transforms ``matrix``, (n, 4, 4), has the determinant 0.

    Such a transform flattens a mesh, so it cannot be the pose of an instance.
    """
    flattens_any, normals = False, np.empty((3, 3))
    for n in range(matrix.shape[0]):
        flattens_any |= _write_normals(matrix[n], normals) == 0.0
    return flattens_any


class InstanceArrays(NamedTuple):
    """The columns of `Instances` that kernels take, with a row for each instance.

    Attributes
    ----------
    handle : int64 (n_instance,)
        Address of Embree's geometry.
    n_step : int64 (n_instance,)
        Number of poses in use; 1: the instance rests.
    steps : float64 (n_instance, n, 4, 4)
        Poses of the object in the world at evenly spaced times from 0 to 1. [m]
    local : float64 (n_instance, 4, 4)
        Pose of the mesh's local frame in the object. [m]
    turn : float32 (n_instance, n - 1, 3)
        Rotation vectors from each pose to the next one. [rad]
    pieces : int64 (n_instance,)
        Number of chords per time step along which Embree moves points; 0: moves by quaternions.
    bulge : float64 (n_instance,)
        Upper bound of the distance of points from the chords. [m]
    mesh : uint32 (n_instance,)
        Index of the mesh.
    """

    handle: object  # int64 (n_instance,) of Embree's geometry
    n_step: object  # int64 (n_instance,) number of poses in use; 1: the instance rests
    steps: object  # float64 (n_instance, n, 4, 4) world from object [m]
    local: object  # float64 (n_instance, 4, 4) object from the mesh's local frame [m]
    turn: object  # float32 (n_instance, n - 1, 3) from each step to the next one [rad]
    pieces: object  # int64 (n_instance,) number of chords per step; 0: see ``place_turning``
    bulge: object  # float64 (n_instance,) upper bound of the distance of points from chords [m]
    mesh: object  # uint32 (n_instance,) index of the mesh


class BoxArrays(NamedTuple):
    """Bounding boxes of meshes in their local frames.

    Attributes
    ----------
    center, half : float64 (n_mesh, 3)
        Centre of each box, and half of its extent. [m]
    """

    center: object  # float64 (n_mesh, 3) [m]
    half: object  # float64 (n_mesh, 3) half of the extent [m]


class PlacedArrays(NamedTuple):
    """Bounds of instances in the anchor frame, and the matrices of their normals.

    Attributes
    ----------
    lower, upper : float32 (n_instance, 3)
        Corners of a box around each instance. [m]
    normals : float32 (n_instance, 3, 3)
        Matrix from the mesh's normals to the anchor frame at time 0; it does not preserve lengths.
    """

    lower: object  # float32 (n_instance, 3) [m]
    upper: object  # float32 (n_instance, 3) [m]
    normals: object  # float32 (n_instance, 3, 3) normals from mesh to anchor frame, at time 0


@njit(cache=True, nogil=True, inline="always")
def _turns(steps):
    """Return whether the rotations of poses (n, 4, 4) differ."""
    for step in range(1, steps.shape[0]):
        for row in range(3):
            for column in range(3):
                if steps[step, row, column] != steps[0, row, column]:
                    return True
    return False


@njit(cache=True, nogil=True, inline="always")
def _reach(local, center, half):
    """Return an upper bound of the distance of a mesh from its object's origin [m]."""
    total = 0.0
    for axis in range(3):
        middle, extent = local[axis, 3], 0.0
        for k in range(3):
            middle += local[axis, k] * center[k]
            extent += abs(local[axis, k]) * half[k]
        total += (abs(middle) + extent) ** 2
    return math.sqrt(total)


@njit(cache=True, nogil=True)
def note_turns(
    # Scene:
    instances,  # see InstanceArrays; turn, pieces and bulge are written
    boxes,  # see BoxArrays
    # In:
    index,  # int64 (n,) instances that move
    chord,  # largest allowed distance of points from their arcs [m]
    # Out:
    turning_row_out,  # int32 (n_instance,) the index of an instance that turns, else -1
):
    """Write the turns of moving instances, and along how many chords per time step they move.

    ``index`` selects the instances; ``boxes`` has the boxes of the meshes. ``turn``, ``pieces`` and
    ``bulge`` of ``instances`` change in place, and ``turning_row_out`` gets the index of each
    instance that turns, -1 for one that does not.

    Between two matrices, points move along the chord instead of the arc; ``chord`` is the largest
    error allowed [m]. The error is at most reach * angle^2 / 8, as for linear interpolation of
    exp(i angle s) in s. With n chords instead of one, the error is n^2 times smaller.
    """
    _, n_step, steps, local, turn, pieces, bulge, mesh = instances
    relative = np.empty((3, 3))
    for i in index:
        turning_row_out[i], pieces[i], bulge[i] = -1, 1, 0.0
        if not _turns(steps[i, : n_step[i]]):
            continue
        largest = 0.0
        for step in range(n_step[i] - 1):
            x, y, z = turn_between(steps[i, step], steps[i, step + 1], relative)
            turn[i, step, 0], turn[i, step, 1], turn[i, step, 2] = x, y, z
            largest = max(largest, x * x + y * y + z * z)
        reach = _reach(local[i], boxes.center[mesh[i]], boxes.half[mesh[i]])
        off = reach * largest / 8.0
        n_piece = max(math.ceil(math.sqrt(off / chord)), 1)
        is_enough = n_piece <= MOST_PIECES and n_piece * (n_step[i] - 1) <= MOST_CHORDS
        turning_row_out[i], pieces[i] = i, n_piece if is_enough else 0
        bulge[i] = off + ARC_SHARE * reach


@njit(cache=True, nogil=True, inline="always")
def _write_pose(steps, turn, step, share, anchor, pose_out):
    """Write the pose (4, 4) of an instance, relative to an anchor, at a fraction after a step."""
    for row in range(4):
        for column in range(4):
            pose_out[row, column] = steps[step, row, column]
    if share > 0.0:
        for column in range(3):
            axis = steps[step, 0, column], steps[step, 1, column], steps[step, 2, column]
            x, y, z = rotate(turn[step], share, axis)
            pose_out[0, column], pose_out[1, column], pose_out[2, column] = x, y, z
        for axis in range(3):
            pose_out[axis, 3] += share * (steps[step + 1, axis, 3] - steps[step, axis, 3])
    for axis in range(3):
        pose_out[axis, 3] -= anchor[axis]


@njit(cache=True, nogil=True)
def place_instances(
    # Scene:
    instances,  # see InstanceArrays
    boxes,  # see BoxArrays
    # In:
    index,  # int64 (n,) which instances
    anchor,  # float64 (3,) [m]
    # Out:
    placed_out,  # see PlacedArrays
):
    """Hand the matrices of the instances ``index`` to Embree; write their bounds and normals.

    ``boxes`` has the boxes of the meshes, and ``anchor``, (3,) [m], is the anchor in the world
    frame, to which the matrices are relative. Bounds and matrices of normals go to the rows
    ``index`` of ``placed_out``; for instances that move by quaternions only these are written.
    """
    handle, n_step, steps, local, turn, pieces, bulge, mesh = instances
    lower_out, upper_out, normals_out = placed_out
    matrix = np.empty((4, 4))
    shifted = np.empty((4, 4))
    columns = np.empty((4, 4), np.float32)
    for i in index:
        is_chord, n_piece = pieces[i] > 0, max(pieces[i], 1)
        n_matrix = (n_step[i] - 1) * n_piece + 1
        if is_chord:
            _set_step_count(handle[i], np.uint32(n_matrix))
        for axis in range(3):
            lower_out[i, axis] = np.inf
            upper_out[i, axis] = -np.inf
        for k in range(n_matrix):
            step = k // n_piece
            _write_pose(steps[i], turn[i], step, k / n_piece - step, anchor, shifted)
            _product(shifted, local[i], matrix)
            if k == 0:
                _write_normals(matrix, normals_out[i])
            center, half = boxes.center[mesh[i]], boxes.half[mesh[i]]
            _widen(matrix, center, half, bulge[i], lower_out[i], upper_out[i])
            if is_chord:
                for row in range(4):
                    for column in range(4):
                        columns[column, row] = matrix[row, column]
                _set_transform(
                    handle[i],
                    np.uint32(k),
                    np.int32(FORMAT_FLOAT4X4_COLUMN_MAJOR),
                    columns.ctypes.data,
                )
        if is_chord:
            _commit(handle[i])


@njit(cache=True, nogil=True)
def write_frames(
    # Scene:
    instances,  # see InstanceArrays
    exists,  # bool (n_instance,)
    origin,  # float64 (n_mesh, 3) of a mesh's local frame, in the mesh's own [m]
    # In:
    anchor,  # float64 (3,) [m]
    # Out:
    frame_out,  # float64 (n_instance, n_out, 3, 4) A, (3, 3), and then c, (3, 1)
    scale_out,  # float64 (n_instance, 3)
):
    """Write the transform from the anchor frame to the mesh of each instance at each time step.

    A transform is A, (3, 3), and c, (3, 1), in ``frame_out``: a point p of the anchor frame is at A
    (p - c) in the frame of the mesh's file. ``exists`` masks the instances, ``origin``, (n_mesh,
    3), has the origins of the meshes' local frames, and ``anchor`` is the anchor in the world frame
    [m].

    c is the origin of the mesh in the anchor frame. A is the inverse of the transform from mesh to
    anchor frame, with each row multiplied by |a_k|, the length of that transform's column k. So A
    gives metres even if the mesh is scaled. The lengths are written to ``scale_out``.
    """
    matrix, normals = np.empty((4, 4)), np.empty((3, 3))
    for i in range(len(exists)):
        if not exists[i]:
            continue
        for s in range(frame_out.shape[1]):
            step = min(s, instances.n_step[i] - 1)
            _product(instances.steps[i, step], instances.local[i], matrix)
            _write_normals(matrix, normals)  # the inverse transposed, times |determinant|
            of_mesh = origin[instances.mesh[i]]
            for row in range(3):
                length = volume = 0.0
                centre = matrix[row, 3] - anchor[row]
                for k in range(3):
                    length += matrix[k, row] * matrix[k, row]
                    volume += matrix[k, row] * normals[k, row]
                    centre -= matrix[row, k] * of_mesh[k]
                scale = math.sqrt(length) / volume
                scale_out[i, row] = math.sqrt(length)
                for column in range(3):
                    frame_out[i, s, row, column] = scale * normals[column, row]
                frame_out[i, s, row, 3] = centre


@njit(cache=True, nogil=True)
def place_turning(
    handle,  # int64 (n,) of Embree's geometry
    decomposed,  # float32 (n, n_step, 16) see ``raycore.scene.motion.decomposed``
):
    """Hand the poses of instances that move by quaternions to Embree.

    ``handle``, int64 (n,), has Embree's geometries; ``decomposed``, float32 (n, n_step, 16), has
    the poses in Embree's decomposed form, from `raycore.scene.motion.decomposed`.
    """
    n_step = decomposed.shape[1]
    for i in range(handle.shape[0]):
        _set_step_count(handle[i], np.uint32(n_step))
        for step in range(n_step):
            _set_quaternion(handle[i], np.uint32(step), decomposed[i, step].ctypes.data)
        _commit(handle[i])
