# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of sensor poses: CSV with a header, TUM, KITTI and 4x4 matrices."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.transform import Rotation

from lidar_base.files.whole_files import check_regular, replacing
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

LONGEST_S = 1e9
"""Times over more than this, 30 years, cannot be seconds. [s]"""
_LARGEST_SKEW = 1e-3  # of a rotation matrix: files round to a few digits
_POSITION = ("x", "y", "z")
_QUATERNION = ("qx", "qy", "qz", "qw")
_ANGLES = ("roll_deg", "pitch_deg", "yaw_deg")
_TURNS = ("q", "roll", "pitch", "yaw")  # beginnings of the names of columns that turn the sensor
_FARTHEST_M = 1e8  # beyond the coordinates of any map
_TIMES = ("time_s", "time", "timestamp", "t")


@dataclass(frozen=True, slots=True, kw_only=True)
class Poses:
    """Poses of a sensor in the world.

    Attributes
    ----------
    world_from_sensor : float64 (n_pose, 4, 4)
        Rotation and position [m]; ``p_world = world_from_sensor @ p_sensor``.
    time_s : float64 (n_pose,) or None
        Time of each pose [s]; None if the file has no times.
    scans : bool (n_pose,) or None
        Whether a scan ends at the pose, or the sensor only passes it; None: scans at all poses.
    """

    world_from_sensor: NDArray[np.float64]
    time_s: NDArray[np.float64] | None = None
    scans: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.world_from_sensor)


def read_poses(path: Path) -> Poses:
    """Return the sensor poses in a text file.

    Numbers are separated by ``,`` or ``;`` or blanks, and ``#`` starts a comment. A first line with
    letters names the columns: ``x y z`` (also ``x_m`` ..) and optionally ``qx qy qz qw`` or some of
    ``roll_deg pitch_deg yaw_deg``, ``time_s``, and ``scan``, which is 0 at poses that the sensor
    only passes. Without such a line, the number of columns decides. 8: time, position and
    quaternion (TUM). 12: a 3x4 matrix (KITTI). 13: a time and a 3x4 matrix. 16: a 4x4 matrix. 4:
    four lines for each 4x4 matrix. The last number of each 4x4 matrix is the pose's time, unless it
    is 1 in all matrices. Positions are in metres, times in seconds.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    InputError
        If the file cannot be read, has no pose, or its numbers are not poses with rising times over
        at most `LONGEST_S`.
    """
    try:
        check_regular(path)
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise InputError(f"{path}: cannot be read: {reason}") from None
    header, rows = _rows(path, text)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is none of these
        poses = _named(path, header, rows) if header else _unnamed(path, rows)
        return _checked(path, poses)


def _rows(path: Path, text: str) -> tuple[list[str], NDArray[np.float64]]:
    """Return the column names (empty without a header) and the numbers, (n_row, n_column)."""
    without_comments = (line.split("#")[0] for line in text.splitlines())
    lines = [line.replace(",", " ").replace(";", " ").split() for line in without_comments]
    numbered = [(number, words) for number, words in enumerate(lines, 1) if words]
    header: list[str] = []
    if numbered and not _is_number(numbered[0][1][0]):
        header = [word.lower() for word in numbered.pop(0)[1]]
    if not numbered:
        raise InputError(f"{path}: has no pose, expected at least one")
    width = len(header) or len(numbered[0][1])
    for number, words in numbered:
        if len(words) != width or not all(_is_number(word) for word in words):
            raise InputError(
                f"{path}: line {number}: expected {width} numbers, as in the first row"
            )
    return header, np.array([words for _, words in numbered], dtype=np.float64)


def _is_number(word: str) -> bool:
    try:
        return bool(np.isfinite(float(word)))
    except ValueError:
        return False


def _named(path: Path, header: list[str], rows: NDArray[np.float64]) -> Poses:
    columns = {name.removesuffix("_m"): rows[:, index] for index, name in enumerate(header)}
    time = next((columns[name] for name in _TIMES if name in columns), None)
    for name in _POSITION:
        if name not in columns:
            raise InputError(f"{path}: has no column {name}; got {', '.join(header)}")
    position = np.stack([columns[name] for name in _POSITION], axis=1)
    _check_turns(path, header)
    scans = columns["scan"] != 0 if "scan" in columns else None
    if set(_QUATERNION) <= columns.keys():
        quaternion = np.stack([columns[name] for name in _QUATERNION], axis=1)
        matrix = _from_quaternion(path, position, quaternion)
    else:
        zeros = np.zeros(len(rows))
        roll, pitch, yaw = (columns.get(name, zeros) for name in _ANGLES)
        turns = np.stack((yaw, pitch, roll), axis=1)
        rotation = Rotation.from_euler("ZYX", turns, degrees=True)
        matrix = _matrices(rotation.as_matrix(), position)
    return Poses(world_from_sensor=matrix, time_s=time, scans=scans)


def _check_turns(path: Path, header: list[str]) -> None:
    """Raise InputError if a column occurs twice, or orientation columns do not fit together."""
    double = next((name for name in header if header.count(name) > 1), None)
    if double is not None:
        raise InputError(f"{path}: has the column {double} twice, expected it once")
    turns = {name for name in header if name.startswith(_TURNS)}
    if turns and turns != set(_QUATERNION) and not turns <= set(_ANGLES):
        raise InputError(
            f"{path}: got columns {', '.join(sorted(turns))}, expected {' '.join(_QUATERNION)}, "
            f"or some of {' '.join(_ANGLES)}"
        )


def _unnamed(path: Path, rows: NDArray[np.float64]) -> Poses:
    n_column = rows.shape[1]
    if n_column == 8:  # TUM
        return Poses(
            world_from_sensor=_from_quaternion(path, rows[:, 1:4], rows[:, 4:]), time_s=rows[:, 0]
        )
    if n_column in {12, 13}:  # KITTI
        matrix = rows[:, -12:].reshape(-1, 3, 4)
        time = rows[:, 0] if n_column == 13 else None
        return Poses(world_from_sensor=_matrices(matrix[:, :, :3], matrix[:, :, 3]), time_s=time)
    if n_column in {4, 16} and rows.size % 16 == 0:
        matrix = rows.reshape(-1, 4, 4)
        wrong = matrix[:, 3, :3].any(axis=1)
        if wrong.any():
            raise InputError(
                f"{path}: pose {int(wrong.argmax())} (counted from 0): the last row of the matrix "
                "does not begin with 0 0 0, expected the position in the last column"
            )
        last = matrix[:, 3, 3]
        time = None if (last == 1).all() else last.copy()
        return Poses(world_from_sensor=_matrices(matrix[:, :3, :3], matrix[:, :3, 3]), time_s=time)
    raise InputError(
        f"{path}: got {len(rows)} rows of {n_column} numbers, expected rows of 8 (TUM), 12 (KITTI) "
        "or 16, four rows of 4 for each pose, or a line that names the columns"
    )


def _from_quaternion(
    path: Path, position_m: NDArray[np.float64], quaternion: NDArray[np.float64]
) -> NDArray[np.float64]:
    if not (np.abs(np.linalg.norm(quaternion, axis=1) - 1) < _LARGEST_SKEW).all():
        raise InputError(f"{path}: got a quaternion (x y z w) whose length is not 1")
    return _matrices(Rotation.from_quat(quaternion).as_matrix(), position_m)


def _matrices(
    rotation: NDArray[np.float64], position_m: NDArray[np.float64]
) -> NDArray[np.float64]:
    matrix = np.tile(np.eye(4), (len(rotation), 1, 1))
    matrix[:, :3, :3], matrix[:, :3, 3] = rotation, position_m
    return matrix


def _checked(path: Path, poses: Poses) -> Poses:
    """Check rotations, positions and times; return the poses with exact rotation matrices."""
    rotation = poses.world_from_sensor[:, :3, :3]
    skew = np.abs(rotation @ rotation.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
    wrong = ~(skew <= _LARGEST_SKEW)  # others may be too small, or too large, for a determinant
    wrong[~wrong] = np.linalg.det(rotation[~wrong]) <= 0.0
    if wrong.any():
        raise InputError(
            f"{path}: pose {int(wrong.argmax())} (counted from 0): its 3 x 3 matrix is not a "
            "rotation, expected an orthonormal matrix with determinant +1"
        )
    farthest_m = np.abs(poses.world_from_sensor[:, :3, 3]).max()
    if farthest_m > _FARTHEST_M:
        raise InputError(
            f"{path}: a coordinate is {farthest_m:.3g}, expected metres, up to {_FARTHEST_M:g}"
        )
    if poses.time_s is not None and not (later := np.diff(poses.time_s) > 0).all():
        raise InputError(
            f"{path}: pose {int(later.argmin()) + 1} (counted from 0): its time is not later than "
            "the time of the pose before"
        )
    if poses.time_s is not None and not poses.time_s[-1] - poses.time_s[0] <= LONGEST_S:
        raise InputError(
            f"{path}: got times from {poses.time_s[0]:g} to {poses.time_s[-1]:g}, expected seconds"
            f", at most {LONGEST_S:g} from first to last"
        )
    exact = Rotation.from_matrix(rotation).as_matrix()
    return replace(poses, world_from_sensor=_matrices(exact, poses.world_from_sensor[:, :3, 3]))


def write_poses(path: Path, poses: Poses) -> None:
    """Write sensor poses to a CSV file with a header, in a form that `read_poses` reads.

    The columns are x, y, z [m] and the quaternion, before them the times if there are any, and
    behind them, if stated, whether a scan ends at the pose.

    Parameters
    ----------
    path : Path
        The file; an existing file is replaced.
    poses : Poses
        The poses.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    matrix = poses.world_from_sensor
    quaternion = Rotation.from_matrix(matrix[:, :3, :3]).as_quat()
    columns, names = [matrix[:, :3, 3], quaternion], ["x_m,y_m,z_m,qx,qy,qz,qw"]
    if poses.time_s is not None:
        columns, names = [poses.time_s[:, None], *columns], ["time_s", *names]
    if poses.scans is not None:
        columns, names = [*columns, poses.scans[:, None]], [*names, "scan"]
    rows = np.concatenate(columns, axis=1)
    with replacing(path) as temporary:
        np.savetxt(temporary, rows, delimiter=",", header=",".join(names), comments="", fmt="%.9f")
