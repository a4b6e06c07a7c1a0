# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The clouds of a run, laid together in the world."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lidar_base.given import given
from lidar_base.near_match import near_match
from osi_bridge import NO_OBJECT
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.errors import InputError
from osi_lidar.output.frame_table import TABLE_NAME, FrameRow, read_frame_table
from osi_lidar.output.point_clouds import DESKEWED
from raycore.scene.motion import Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    Rows: TypeAlias = NDArray[Any]  # structured

LEAST_VOXEL_M = 1e-4
"""Coordinates of a cloud are single precision: finer cells would separate nothing. [m]"""
_PLACES = (("x", "y", "z"), ("true_x", "true_y", "true_z"))
_NORMAL = ("normal_x", "normal_y", "normal_z")


class Accumulated(NamedTuple):
    """Clouds of a run in the world.

    Attributes
    ----------
    points : structured (n_point,)
        See `accumulate`.
    ways_m : dict of str to float64 (n_cloud, 3)
        Positions of each sensor in the world, by its name: one position for each of its clouds, at
        the end of the scan, in order of time. [m]
    start : float64 (4, 4)
        Pose of the first cloud's sensor at the end of the scan, as world_from_sensor. [m]
    """

    points: Rows
    ways_m: dict[str, NDArray[np.float64]]
    start: NDArray[np.float64]


def accumulate(
    run: str | Path,
    *,
    sensors: Sequence[str] | None = None,
    frames: slice = slice(None),
    voxel_m: float | None = None,
) -> Rows:
    """Lay the clouds of a run together in the world.

    Each point is placed by the pose that the sensor had when it measured the point.

    Parameters
    ----------
    run : str or Path
        The folder of the run, with PCD files.
    sensors : sequence of str, optional
        Names of the sensors; default: all.
    frames : slice
        The frames to use, by their numbers in frames.csv.
    voxel_m : float, optional
        Keep only one point in each cube with edges of this length: a point of the earliest scan.
        [m]

    Returns
    -------
    structured (n_point,)
        Fields x y z [float64, m, world], frame, sensor (its name), and all other fields that every
        cloud has. Normals and true_x true_y true_z are in the world, too; object_id is uint64; the
        rest is as in the clouds. A cloud that several frames repeat is included once, with the
        number of the first of these frames.

    Raises
    ------
    InputError
        If the folder holds no such clouds, its frames.csv has no poses or lacks a named sensor, or
        ``voxel_m`` is below 0.0001.

    Notes
    -----
    Deskewed clouds are used if the run has them: they are exact, to the single precision of
    their coordinates. Otherwise points are deskewed here. The known poses are the begin and the end
    of the scan, and the ends of earlier scans in between; positions are interpolated linearly and
    rotations spherically. The model interpolates the vehicle, not the sensor, so there is an error
    of up to r a^2 / 8 + b t^2 / 8. Here r is the distance of the sensor from the vehicle's centre;
    a is the turn of the vehicle from one known pose to the next, t the time between them, and b
    the acceleration of the vehicle (if messages are closer than t).

    Examples
    --------
    >>> osi_lidar.accumulate("run", voxel_m=0.5).dtype.names[:3]
    ('x', 'y', 'z')
    """
    return accumulated(run, sensors=sensors, frames=frames, voxel_m=voxel_m).points


def accumulated(
    run: str | Path,
    *,
    sensors: Sequence[str] | None = None,
    frames: slice = slice(None),
    voxel_m: float | None = None,
) -> Accumulated:
    """Lay the clouds of a run together in the world, and return the sensors' positions, too.

    Parameters
    ----------
    run : str or Path
        The folder of the run, with PCD files.
    sensors : sequence of str, optional
        Names of the sensors; default: all.
    frames : slice
        The frames to use, by their numbers in frames.csv.
    voxel_m : float, optional
        Keep only one point in each cube with edges of this length, at least 0.0001; default: keep
        all points. [m]

    Returns
    -------
    Accumulated
        The points of `accumulate`, the position of each sensor at the end of each of its scans, and
        the pose of the first cloud's sensor at the end of its scan.

    Raises
    ------
    InputError
        As for `accumulate`: no such clouds, no poses, an unknown sensor, or ``voxel_m`` too small.
    """
    folder = Path(run)
    if voxel_m is not None and not voxel_m >= LEAST_VOXEL_M:
        raise InputError(f"voxel size: got {voxel_m:g} m, expected at least {LEAST_VOXEL_M:g} m")
    rows = read_frame_table(folder)
    for row in rows:
        end_pose_of(folder, row)
    chosen = list(_chosen(rows, _known(folder, rows, sensors), frames))
    if not chosen:
        has_some = any(row.file for row in rows)
        why = "in these frames" if has_some else "(was it run with output.pcd: none?)"
        raise InputError(f"{folder}: has no clouds {why}")
    clouds = []
    for row, earlier in chosen:
        cloud = cloud_in_world(folder, row, earlier)
        clouds.append((row, cloud if voxel_m is None else thinned(cloud, voxel_m)))
    points = _joined(clouds)
    ways: dict[str, list[NDArray[np.float64]]] = {}
    for row, _ in chosen:
        ways.setdefault(row.sensor, []).append(matrix_of(row.end_pose)[:3, 3])
    return Accumulated(
        points=points if voxel_m is None else thinned(points, voxel_m),
        ways_m={sensor: np.array(way) for sensor, way in ways.items()},
        start=matrix_of(chosen[0][0].end_pose),
    )


def thinned(points: Rows, voxel_m: float) -> Rows:
    """Return the points that are the first ones in their cube of a grid, in the given order.

    Parameters
    ----------
    points : structured (n_point,)
        Points with fields x y z [m].
    voxel_m : float
        Length of the edges of the cubes. A corner of a cube is at the origin. [m]

    Returns
    -------
    structured (n_chosen,)
        A copy of the chosen rows.
    """
    cell = np.floor(np.stack([points[axis] for axis in "xyz"]) / voxel_m)
    order = np.lexsort(cell)  # stable: the first of a cube comes first
    is_new = np.ones(len(order), bool)
    is_new[1:] = (np.diff(cell[:, order], axis=1) != 0.0).any(axis=0)
    return points[np.sort(order[is_new])]


def end_pose_of(folder: Path, row: FrameRow) -> NDArray[np.float64]:
    """Return the pose of the sensor in the world at the end of a scan: x y z [m], qw qx qy qz.

    ``row`` is the row of the scan in frames.csv, and ``folder`` the run's folder, for the error.

    Raises
    ------
    InputError
        If the frames.csv of the run's folder has no poses.
    """
    if row.end_pose is None:
        raise InputError(
            f"{folder / TABLE_NAME}: has no poses, as an older version of osi-lidar wrote it; run "
            "again"
        )
    return row.end_pose


def _known(
    folder: Path, rows: Sequence[FrameRow], sensors: Sequence[str] | None
) -> dict[str, None]:
    """Return the names of the chosen sensors; raise InputError if the table lacks one."""
    present = dict.fromkeys(row.sensor for row in rows)
    for name in sensors or ():
        if name not in present:
            hint = near_match(name, present)
            raise InputError(
                f"{folder}: got sensor {name!r}, expected one of {', '.join(present)}{hint}"
            )
    return present if sensors is None else dict.fromkeys(sensors)


def _chosen(
    rows: Sequence[FrameRow], sensors: dict[str, None], frames: slice
) -> Iterator[tuple[FrameRow, list[FrameRow]]]:
    """Yield the first row of each chosen cloud, with the rows that `scans_within` finds for it."""
    wanted = range(*frames.indices(max((row.frame for row in rows), default=-1) + 1))
    of_sensor: dict[str, list[FrameRow]] = {}
    taken: set[str] = set()
    for row in rows:
        earlier = of_sensor.setdefault(row.sensor, [])
        is_new = row.file and row.file not in taken
        if is_new and row.sensor in sensors and row.frame in wanted:
            taken.add(row.file)
            yield row, scans_within(row, earlier)
        earlier.append(row)


def scans_within(row: FrameRow, earlier: Sequence[FrameRow]) -> list[FrameRow]:
    """Return the rows of earlier scans that end while a scan is in progress, in order of time.

    Parameters
    ----------
    row : FrameRow
        Row of the scan in frames.csv.
    earlier : sequence of FrameRow
        All rows of the same sensor that precede ``row``.
    """
    found: list[FrameRow] = []
    for each in reversed(earlier):
        end_ns = found[-1].end_ns if found else row.end_ns
        if not row.begin_ns < each.end_ns <= end_ns:
            break
        if each.end_ns < end_ns:  # if equal, a message was repeated
            found.append(each)
    return found[::-1]


def matrix_of(pose: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return a pose as the matrix world_from_sensor, float64 (4, 4) [m].

    ``pose`` is float64 (7,): x y z [m] and the quaternion qw qx qy qz, as in `FrameRow`. It must
    not be None.
    """
    from scipy.spatial.transform import Rotation  # noqa: PLC0415  slow to import

    pose = given(pose)
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_quat(np.roll(pose[3:], -1)).as_matrix()
    matrix[:3, 3] = pose[:3]
    return matrix


def _motion(row: FrameRow, within: Sequence[FrameRow]) -> Trajectory:
    """Return the poses of the sensor during a sweep, over the time after its begin [ns]."""
    begin, end = matrix_of(row.begin_pose), matrix_of(row.end_pose)
    if row.end_ns <= row.begin_ns or np.array_equal(begin, end):
        return Trajectory(time=np.zeros(1), world_from_body=end[None])
    times_ns = [0, *(each.end_ns - row.begin_ns for each in (*within, row))]
    poses = [begin, *(matrix_of(each.end_pose) for each in within), end]
    return Trajectory(time=np.array(times_ns, np.float64), world_from_body=np.array(poses))


def cloud_in_world(folder: Path, row: FrameRow, within: Sequence[FrameRow]) -> Rows:
    """Read the cloud of a scan, and return its points with positions and normals in the world.

    If the run has a deskewed cloud of the scan, that one is read.

    Parameters
    ----------
    folder : Path
        The folder of the run.
    row : FrameRow
        Row of the scan in frames.csv, with its poses.
    within : sequence of FrameRow
        Rows of scans that end during the scan, as `scans_within` returns them.

    Returns
    -------
    structured (n_point,)
        The rows of the file, as in `accumulate` but without frame and sensor.

    Raises
    ------
    InputError
        If the file is absent or damaged, has no field x, y or z, or its object ids are not uint.
    """
    path = folder / row.file
    deskewed = path.parent / DESKEWED / path.name
    is_deskewed = deskewed.is_file()
    points = read_pcd(deskewed if is_deskewed else path)
    names = points.dtype.names or ()
    if not set(_PLACES[0]) <= set(names):
        raise InputError(f"{path}: has no field x, y or z; it has {', '.join(names)}")
    if "object_id" in names and points.dtype["object_id"].kind != "u":
        raise InputError(
            f"{path}: field object_id has the type {points.dtype['object_id']}, expected uint"
        )
    motion = _motion(row, within)
    if is_deskewed or len(motion.time) == 1 or "time_ns" not in names:
        return _placed(points, motion.world_from_body[-1:])
    moments_ns, moment = np.unique(points["time_ns"], return_inverse=True)
    return _placed(points, motion.at(moments_ns)[moment])


@np.errstate(invalid="ignore")  # signalling NaNs, which are looked for later
def _placed(points: Rows, pose: NDArray[np.float64]) -> Rows:
    """Return points in the world, by one pose of the sensor or by one pose for each point."""
    names = points.dtype.names or ()
    placed = np.empty(len(points), _wide(points.dtype))
    for name in names:
        placed[name] = points[name]
    for vector in (*_PLACES, _NORMAL):
        if set(vector) <= set(names):
            columns = np.stack([points[name].astype(np.float64) for name in vector], axis=1)
            turned = (pose[:, :3, :3] @ columns[:, :, None])[:, :, 0]
            turned += 0.0 if vector is _NORMAL else pose[:, :3, 3]
            for axis, name in enumerate(vector):
                placed[name] = turned[:, axis]
    if "object_id" in names:
        none = points["object_id"] == np.iinfo(points["object_id"].dtype).max
        placed["object_id"][none] = NO_OBJECT
    return placed


def _wide(row: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of a point in the world: with float64 coordinates, and ids of 64 bits."""
    wide = {**dict.fromkeys(sum(_PLACES, ()), "<f8"), "object_id": "<u8"}
    return np.dtype([(name, wide.get(name, row[name])) for name in row.names or ()])


def _joined(clouds: Sequence[tuple[FrameRow, Rows]]) -> Rows:
    """Return the points of all clouds, with the fields that all have."""
    rows = [cloud.dtype for _, cloud in clouds]
    names = [row.names or () for row in rows]
    shared = [name for name in names[0] if all(name in others for others in names)]
    kinds = {name: np.result_type(*{row[name] for row in rows}) for name in shared}
    sensor = f"<U{max(len(row.sensor) for row, _ in clouds)}"
    own = {**{axis: kinds.pop(axis) for axis in "xyz"}, "frame": "<u4", "sensor": sensor}
    points = np.empty(sum(len(cloud) for _, cloud in clouds), [*own.items(), *kinds.items()])
    first = 0
    for row, cloud in clouds:
        part = points[first : first + len(cloud)]
        part["frame"], part["sensor"] = row.frame, row.sensor
        for name in shared:
            part[name] = cloud[name]
        first += len(cloud)
    return points
