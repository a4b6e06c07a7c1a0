# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ray packets in Embree's format: filled from rays, and read into hits, all lanes at once.

The loops over lanes are short, have a length that is known when they are compiled, and do one thing
each. So the compiler can vectorise them. Indices are unsigned, as a signed one might be negative.
"""

from __future__ import annotations

import llvmlite.binding
import numpy as np
from numba import types

from lidar_base.compiled import njit
from lidar_base.memory_kernels import seen_as
from raycore.embree import MASK_LASER, device, function_address
from raycore.records import NOTHING
from raycore.scene.motion_kernels import rotate

# Rows of a packet, each as long as the packet is wide: RTCRayHit4/8/16 of Embree 4, in words.
ORG, TNEAR, DIR, TIME, TFAR, MASK, ID, FLAGS = 0, 3, 4, 7, 8, 9, 10, 11
NG, PRIM, GEOM, INST = 12, 17, 18, 19
PACKET_ROWS = 21

RAY_QUERY_COHERENT = 1 << 16
FEATURES_ALL = 0xFFFFFFFF

PARALLEL = np.float32(1e-18)
"""Least size of a direction's component: smaller ones are replaced by it, to have an inverse."""
SLACK_M, SLACK_PER_M = np.float32(1e-4), np.float32(1e-5)
"""How near a ray passes a box that it may meet: more than float32 rounds. [m, 1]"""

_INTERSECT = types.void(types.intp, types.intp, types.intp, types.intp)


def _external(name: str) -> types.ExternalFunction:
    """Make an Embree function callable by symbol, which keeps compiled kernels cacheable."""
    llvmlite.binding.add_symbol(name, function_address(name))
    return types.ExternalFunction(name, _INTERSECT)


_rtc_intersect_4 = _external("rtcIntersect4")
_rtc_intersect_8 = _external("rtcIntersect8")
_rtc_intersect_16 = _external("rtcIntersect16")


def packet_lanes(width: int | None = None) -> tuple[int, ...]:
    """Return the lanes of a packet, (0, 1, .., `width` - 1), as a tuple: numba knows its length.

    `width` is 4, 8 or 16; by default, it is the processor's native width.
    """
    return tuple(range(device().native_packet_width() if width is None else width))


@njit(cache=True, nogil=True, inline="always")
def aligned(size_in_words):
    """Return float32 zeros (size_in_words,) that start at a 64-byte boundary, as Embree demands."""
    raw = np.zeros(size_in_words + 16, np.float32)
    skip = (64 - raw.ctypes.data % 64) % 64 // 4
    return raw[skip : skip + size_in_words]


@njit(cache=True, nogil=True, inline="always")
def new_packet(width, coherent):
    """Return a packet for ``width`` rays, float32, its memory as uint32, and two arrays for Embree.

    They are the mask of valid rays, and the query's arguments, which tell ``coherent`` to Embree.
    """
    packet = aligned(PACKET_ROWS * width)
    words = seen_as(packet, np.uint32)
    valid = seen_as(aligned(width), np.int32)
    for lane in range(width):
        valid[lane] = -1
        words[MASK * width + lane] = MASK_LASER
        words[FLAGS * width + lane] = 0
    # RTCIntersectArguments: flags, feature mask, then null context and functions
    arguments = np.zeros(6, np.uint64)
    seen_as(arguments, np.uint32)[0] = RAY_QUERY_COHERENT if coherent else 0
    seen_as(arguments, np.uint32)[1] = FEATURES_ALL
    return packet, words, valid, arguments


@njit(cache=True, nogil=True, inline="always")
def pack(
    # In:
    first,
    width,
    n_sub,  # number of sub-rays of a beam
    ray,  # float32 (6 * width,) direction and start, see fan_kernels.fan_out
    time,  # this and the following are fields of arguments.ShotArrays
    start,
    moment,
    pose,
    max_range,
    # Out:
    packet_out,  # this and the next: see new_packet
    words_out,
):
    """Write the ``width`` rays from row ``first`` on into a packet, moved to the anchor frame.

    ``ray`` is of `fan_out`, with ``n_sub`` rays a beam. ``time``, ``start``, ``moment``, ``pose``,
    ``max_range`` are of `ShotArrays`, and ``packet_out``, ``words_out`` of `new_packet`.
    """
    beam = np.uint64(first // n_sub)
    if moment.shape[0] == 1 or n_sub > 1:
        at_once = moment[beam if moment.shape[0] > 1 else np.uint64(0)]
        _pack_from_one_pose(width, ray, pose[at_once], packet_out)
    else:
        _pack_from_poses(first, width, ray, moment, pose, packet_out)
    if start.shape[0] == 1 or n_sub > 1:
        from_m = start[beam if start.shape[0] > 1 else np.uint64(0)]
        for lane in range(width):
            packet_out[TNEAR * width + lane] = from_m
    else:
        for lane in range(width):
            packet_out[TNEAR * width + lane] = start[np.uint64(first + lane)]
    if time.shape[0] == 1 or n_sub > 1:
        same = time[beam if time.shape[0] > 1 else np.uint64(0)]
        for lane in range(width):
            packet_out[TIME * width + lane] = same
    else:
        for lane in range(width):
            packet_out[TIME * width + lane] = time[np.uint64(first + lane)]
    for lane in range(width):
        packet_out[TFAR * width + lane] = max_range
        words_out[GEOM * width + lane] = NOTHING
        words_out[INST * width + lane] = NOTHING


@njit(cache=True, nogil=True, inline="always")
def _pack_from_one_pose(width, ray, pose, packet_out):
    xx, xy, xz, x = pose[0, 0], pose[0, 1], pose[0, 2], pose[0, 3]
    yx, yy, yz, y = pose[1, 0], pose[1, 1], pose[1, 2], pose[1, 3]
    zx, zy, zz, z = pose[2, 0], pose[2, 1], pose[2, 2], pose[2, 3]
    for lane in range(width):
        dx, dy, dz = ray[lane], ray[width + lane], ray[2 * width + lane]
        packet_out[DIR * width + lane] = xx * dx + xy * dy + xz * dz
        packet_out[(DIR + 1) * width + lane] = yx * dx + yy * dy + yz * dz
        packet_out[(DIR + 2) * width + lane] = zx * dx + zy * dy + zz * dz
    for lane in range(width):
        ox, oy, oz = ray[3 * width + lane], ray[4 * width + lane], ray[5 * width + lane]
        packet_out[ORG * width + lane] = (xx * ox + xy * oy + xz * oz) + x
        packet_out[(ORG + 1) * width + lane] = (yx * ox + yy * oy + yz * oz) + y
        packet_out[(ORG + 2) * width + lane] = (zx * ox + zy * oy + zz * oz) + z


@njit(cache=True, nogil=True, inline="always")
def _pack_from_poses(first, width, ray, moment, pose, packet_out):
    for lane in range(width):
        at = moment[np.uint64(first + lane)]
        dx, dy, dz = ray[lane], ray[width + lane], ray[2 * width + lane]
        ox, oy, oz = ray[3 * width + lane], ray[4 * width + lane], ray[5 * width + lane]
        xx, xy, xz, x = pose[at, 0, 0], pose[at, 0, 1], pose[at, 0, 2], pose[at, 0, 3]
        yx, yy, yz, y = pose[at, 1, 0], pose[at, 1, 1], pose[at, 1, 2], pose[at, 1, 3]
        zx, zy, zz, z = pose[at, 2, 0], pose[at, 2, 1], pose[at, 2, 2], pose[at, 2, 3]
        packet_out[DIR * width + lane] = xx * dx + xy * dy + xz * dz
        packet_out[(DIR + 1) * width + lane] = yx * dx + yy * dy + yz * dz
        packet_out[(DIR + 2) * width + lane] = zx * dx + zy * dy + zz * dz
        packet_out[ORG * width + lane] = (xx * ox + xy * oy + xz * oz) + x
        packet_out[(ORG + 1) * width + lane] = (yx * ox + yy * oy + yz * oz) + y
        packet_out[(ORG + 2) * width + lane] = (zx * ox + zy * oy + zz * oz) + z


@njit(cache=True, nogil=True, inline="always")
def intersect(width, valid, scene, packet, arguments):
    """Let Embree find the nearest hit of each ray of ``packet``, and write it into the packet."""
    if width == 16:
        _rtc_intersect_16(valid.ctypes.data, scene, packet.ctypes.data, arguments.ctypes.data)
    elif width == 8:
        _rtc_intersect_8(valid.ctypes.data, scene, packet.ctypes.data, arguments.ctypes.data)
    else:
        _rtc_intersect_4(valid.ctypes.data, scene, packet.ctypes.data, arguments.ctypes.data)


@njit(cache=True, nogil=True, error_model="numpy")
def may_point_at(number, packets, boxes):
    """Return whether a packet's cone overlaps the cone of any box; True if there are no boxes.

    ``number`` is the packet's index; ``packets`` and ``boxes`` are `Cones`.
    """
    axis, cos_half, sin_half = packets
    to_box, cos_box, sin_box = boxes
    packet = np.uint64(number)
    meets = to_box.shape[0] == 0
    for box in range(to_box.shape[0]):
        b = np.uint64(box)
        cosine = (
            axis[packet, 0] * to_box[b, 0]
            + axis[packet, 1] * to_box[b, 1]
            + axis[packet, 2] * to_box[b, 2]
        )
        meets |= cosine >= cos_half[packet] * cos_box[b] - sin_half[packet] * sin_box[b]
    return meets


@njit(cache=True, nogil=True, error_model="numpy")
def may_meet_a_box(
    # In:
    lower,  # this and the next are of arguments.ChangedRegion
    upper,
    first,
    width,
    packet,  # see new_packet
    max_range,
    range_m,  # this and the next: previous hits, see records.HitArrays
    instance,
    # Work:
    inverse,  # float32 (3 * width,)
):
    """Return whether a ray may reach a changed box before its previous hit; True in doubt.

    ``lower``, ``upper``: box corners. ``packet``: ``width`` rays, from row ``first`` on of the hits
    ``range_m`` and ``instance`` (no hit: ``max_range``). ``inverse``: work array (3 * width,).
    """
    for axis in range(3):
        for lane in range(width):
            along = packet[(DIR + axis) * width + lane]
            inverse[axis * width + lane] = 1.0 / (along if abs(along) > PARALLEL else PARALLEL)
    for box in range(lower.shape[0]):
        any_lane = False
        for lane in range(width):
            ray = np.uint64(first + lane)
            x, y, z = packet[lane], packet[width + lane], packet[2 * width + lane]
            to_low = (lower[box, 0] - x) * inverse[lane]
            to_high = (upper[box, 0] - x) * inverse[lane]
            enter, leave = min(to_low, to_high), max(to_low, to_high)
            to_low = (lower[box, 1] - y) * inverse[width + lane]
            to_high = (upper[box, 1] - y) * inverse[width + lane]
            enter, leave = max(enter, min(to_low, to_high)), min(leave, max(to_low, to_high))
            to_low = (lower[box, 2] - z) * inverse[2 * width + lane]
            to_high = (upper[box, 2] - z) * inverse[2 * width + lane]
            enter, leave = max(enter, min(to_low, to_high)), min(leave, max(to_low, to_high))
            until = max_range if instance[ray] == NOTHING else range_m[ray]
            slack = SLACK_M + SLACK_PER_M * until
            any_lane |= (enter <= leave + slack) & (leave >= -slack) & (enter <= until + slack)
        if any_lane:
            return True
    return False


@njit(cache=True, nogil=True)
def _turn(turn, width, lane, time, normal_out):
    """Rotate a normal as its instance has turned from time 0 to ``time``, step by step."""
    vector = normal_out[lane], normal_out[width + lane], normal_out[2 * width + lane]
    n_steps = turn.shape[0]
    done = time * n_steps
    for step in range(n_steps):
        share = min(done - step, 1.0)
        if share > 0.0:
            vector = rotate(turn[step], share, vector)
    normal_out[lane], normal_out[width + lane], normal_out[2 * width + lane] = vector


@njit(cache=True, nogil=True, inline="always")
def _turn_normals(
    # Scene:
    turning_row,
    turn,
    # In:
    width,
    packet,
    words,
    # In and out:
    normal,  # float64 (4 * width,)
):
    """Rotate the normals of a packet's hits on turning instances to the time of each ray."""
    for lane in range(width):
        instance = words[INST * width + lane]
        row = np.int32(-1) if instance == NOTHING else turning_row[instance]
        if row >= 0:
            _turn(turn[row], width, lane, packet[TIME * width + lane], normal)


@njit(cache=True, nogil=True, inline="always")
def unpack(
    # Scene: see arguments.SceneArrays
    normal_from_mesh,
    turning_row,
    turn,
    # In: some are of arguments.ShotArrays
    first,
    width,
    n_sub,  # number of sub-rays of a beam
    ray,  # float32 (6 * width,) direction and start
    moment,
    pose,
    packet,  # this and the next: see new_packet
    words,
    # Work:
    normal,  # float64 (4 * width,)
    # Out: see records.HitArrays
    range_out,
    normal_out,
    cosine_out,
    instance_out,
    primitive_out,
):
    """Write the hits of a packet to its rays' rows; without a hit, only ``instance_out`` counts.

    The last five arguments are the columns of `Hits`, ``packet`` and ``words`` are of `new_packet`,
    ``ray`` is of `fan_out`, the first three are of `SceneArrays`, and ``normal`` is a work array.
    """
    any_hit = False
    for lane in range(width):
        instance = words[INST * width + lane]
        any_hit |= instance != NOTHING
        instance_out[np.uint64(first + lane)] = instance
    if not any_hit:
        return
    for lane in range(width):
        range_out[np.uint64(first + lane)] = packet[TFAR * width + lane]
    for lane in range(width):
        primitive_out[np.uint64(first + lane)] = words[PRIM * width + lane]
    _normals_to_anchor(width, normal_from_mesh, packet, words, normal)
    if turn.shape[0] > 0:
        _turn_normals(turning_row, turn, width, packet, words, normal)
    _normals_to_sensor(first, width, n_sub, moment, pose, normal)
    # of unit length, towards the sensor
    for lane in range(width):
        nx, ny, nz = normal[lane], normal[width + lane], normal[2 * width + lane]
        dot = nx * ray[lane] + ny * ray[width + lane] + nz * ray[2 * width + lane]
        length = np.sqrt(nx * nx + ny * ny + nz * nz)
        scale = np.float32((-1.0 if dot > 0.0 else 1.0) / length)
        normal[lane] = nx * scale
        normal[width + lane] = ny * scale
        normal[2 * width + lane] = nz * scale
        normal[3 * width + lane] = min(abs(dot) / length, 1.0)
    for lane in range(width):
        cosine_out[np.uint64(first + lane)] = normal[3 * width + lane]
    for lane in range(width):
        normal_out[0, np.uint64(first + lane)] = normal[lane]
    for lane in range(width):
        normal_out[1, np.uint64(first + lane)] = normal[width + lane]
    for lane in range(width):
        normal_out[2, np.uint64(first + lane)] = normal[2 * width + lane]


@njit(cache=True, nogil=True, inline="always")
def _normals_to_anchor(width, normal_from_mesh, packet, words, normal_out):
    """Convert Embree's normals from the frames of the meshes to the anchor frame."""
    one = words[INST * width]
    same = one != NOTHING
    for lane in range(width):
        same &= words[INST * width + lane] == one
    if same:
        matrix = normal_from_mesh[one]
        xx, xy, xz = matrix[0, 0], matrix[0, 1], matrix[0, 2]
        yx, yy, yz = matrix[1, 0], matrix[1, 1], matrix[1, 2]
        zx, zy, zz = matrix[2, 0], matrix[2, 1], matrix[2, 2]
        for lane in range(width):
            gx = packet[NG * width + lane]
            gy = packet[(NG + 1) * width + lane]
            gz = packet[(NG + 2) * width + lane]
            normal_out[lane] = xx * gx + xy * gy + xz * gz
            normal_out[width + lane] = yx * gx + yy * gy + yz * gz
            normal_out[2 * width + lane] = zx * gx + zy * gy + zz * gz
        return
    for lane in range(width):
        instance = words[INST * width + lane]
        instance = np.uint32(0) if instance == NOTHING else instance
        gx = packet[NG * width + lane]
        gy = packet[(NG + 1) * width + lane]
        gz = packet[(NG + 2) * width + lane]
        matrix = normal_from_mesh[instance]
        normal_out[lane] = matrix[0, 0] * gx + matrix[0, 1] * gy + matrix[0, 2] * gz
        normal_out[width + lane] = matrix[1, 0] * gx + matrix[1, 1] * gy + matrix[1, 2] * gz
        normal_out[2 * width + lane] = matrix[2, 0] * gx + matrix[2, 1] * gy + matrix[2, 2] * gz


@njit(cache=True, nogil=True, inline="always")
def _normals_to_sensor(
    # In:
    first,
    width,
    n_sub,
    moment,
    pose,
    # In and out:
    normal,  # float64 (4 * width,)
):
    """Convert normals from the anchor frame to the sensor frame at the moment of each ray."""
    if moment.shape[0] == 1 or n_sub > 1:
        turn = pose[moment[np.uint64(first // n_sub) if moment.shape[0] > 1 else np.uint64(0)]]
        xx, xy, xz = turn[0, 0], turn[1, 0], turn[2, 0]
        yx, yy, yz = turn[0, 1], turn[1, 1], turn[2, 1]
        zx, zy, zz = turn[0, 2], turn[1, 2], turn[2, 2]
        for lane in range(width):
            ax, ay, az = normal[lane], normal[width + lane], normal[2 * width + lane]
            normal[lane] = xx * ax + xy * ay + xz * az
            normal[width + lane] = yx * ax + yy * ay + yz * az
            normal[2 * width + lane] = zx * ax + zy * ay + zz * az
        return
    for lane in range(width):
        at = moment[np.uint64(first + lane)]
        ax, ay, az = normal[lane], normal[width + lane], normal[2 * width + lane]
        turn = pose[at]
        normal[lane] = turn[0, 0] * ax + turn[1, 0] * ay + turn[2, 0] * az
        normal[width + lane] = turn[0, 1] * ax + turn[1, 1] * ay + turn[2, 1] * az
        normal[2 * width + lane] = turn[0, 2] * ax + turn[1, 2] * ay + turn[2, 2] * az
