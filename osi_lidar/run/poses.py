# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames of a scan from several poses: a carrier without a shape moves through a static scene."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from pydantic import ValidationError
from scipy.spatial.transform import Rotation

from lidar_base.sections import first_problem
from osi_bridge import carrier_frame
from osi_lidar.config.models import Pose
from osi_lidar.config.patterns.kinds import DEFAULT_RATE_HZ
from osi_lidar.config.sensor import Mounting
from osi_lidar.errors import ConfigurationError, InputError
from osi_lidar.run.pose_files import LONGEST_S, Poses, read_poses
from osi_lidar.scan.beams import has_own_rate
from osi_lidar.world.history import LONGEST_GAP_NS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from osi_bridge import Frame
    from osi_lidar.config import Config
    from osi_lidar.model import LidarModel

_APART_NS = 2 * LONGEST_GAP_NS  # between poses without times, which are scanned at rest
_UPRIGHT = 1e-9  # cosine of a pitch at which roll and yaw cannot be told apart


class Waypoint(NamedTuple):
    """A pose of the carrier at a time. The carrier is an object without a shape that moves sensors.

    Attributes
    ----------
    time_ns : int
        Time after the first pose. [ns]
    world_from_carrier : float64 (4, 4)
        Rotation and position [m] of the carrier in the world.
    scans : bool
        Whether a scan ends at this pose; False: the carrier only passes it.
    """

    time_ns: int
    world_from_carrier: NDArray[np.float64]  # (4, 4)
    scans: bool


def from_pose(config: Config, x_m: float, y_m: float, z_m: float, yaw_deg: float = 0.0) -> Config:
    """Return a copy of a configuration with a single pose in place of its poses.

    The result scans once, from this pose in the world. The pose has no roll and no pitch.

    Parameters
    ----------
    config : Config
        The configuration; it is not changed.
    x_m, y_m, z_m : float
        Position in the world. [m]
    yaw_deg : float
        Rotation about the vertical; positive turns left. [deg]

    Raises
    ------
    InputError
        If a number is out of bounds.
    """
    stated = {"x_m": x_m, "y_m": y_m, "z_m": z_m, "yaw_deg": yaw_deg}
    try:
        pose = Pose.model_validate(stated)
    except ValidationError as error:
        raise InputError(f"pose: {first_problem(error, stated)}") from None
    return config.model_copy(update={"poses": (pose,)})


def configured_poses(config: Config) -> Poses | None:
    """Return the poses from which a configuration scans; None if it has no poses.

    Parameters
    ----------
    config : Config
        The configuration; its ``poses`` is a list, the path of a file, or None.

    Raises
    ------
    InputError
        If the file of the poses cannot be used.
    ConfigurationError
        If the list is empty, only some of its poses have times, or times do not rise or span more
        than `LONGEST_S`.
    """
    if config.poses is None:
        return None
    if isinstance(config.poses, Path):
        return read_poses(config.poses)
    if not config.poses:
        raise ConfigurationError("poses: is empty, expected at least one")
    times = [pose.time_s for pose in config.poses]
    known = [time for time in times if time is not None]
    if known and (len(known) < len(times) or (np.diff(known) <= 0).any()):
        raise ConfigurationError("poses: time_s must be set for all or none, and must increase")
    if known and not known[-1] - known[0] <= LONGEST_S:
        raise ConfigurationError(
            f"poses: time_s from {known[0]:g} to {known[-1]:g}, expected at most {LONGEST_S:g} s"
        )
    angles = [(pose.yaw_deg, pose.pitch_deg, pose.roll_deg) for pose in config.poses]
    matrix = np.tile(np.eye(4), (len(times), 1, 1))
    matrix[:, :3, :3] = Rotation.from_euler("ZYX", angles, degrees=True).as_matrix()
    matrix[:, :3, 3] = [(pose.x_m, pose.y_m, pose.z_m) for pose in config.poses]
    return Poses(
        world_from_sensor=matrix,
        time_s=np.array(known) if known else None,
        scans=np.array([pose.scan for pose in config.poses]),
    )


def stops(poses: Poses) -> list[Waypoint]:
    """Return a `Waypoint` for each sensor pose, in order; the first one is at time 0.

    ``poses`` has the poses, and maybe their times. Poses without times get times so far apart that
    the scans of neighbouring poses are independent.
    """
    matrix, scans = poses.world_from_sensor, poses.scans
    ends = [True] * len(poses) if scans is None else scans.tolist()
    if poses.time_s is None:
        times_ns = [_APART_NS * number for number in range(len(poses))]
    else:
        times_ns = [round(1e9 * (time - poses.time_s[0])) for time in poses.time_s.tolist()]
    return [Waypoint(*each) for each in zip(times_ns, matrix, ends, strict=True)]


def carried(config: Config, *, timed: bool) -> Config:
    """Return a copy of a configuration for scans from poses, with the sensors at the pose itself.

    Parameters
    ----------
    config : Config
        The configuration; it is not changed. A sensor that sets `mounting` keeps it, relative to
        the pose; all others get a mounting of zeros. Sensors without a rate of their own get the
        default rate.
    timed : bool
        Whether the poses have times. If not, rolling shutter and motion blur are switched off.
    """
    at_origin = Mounting(x_m=0.0, y_m=0.0, z_m=0.0)
    still = {} if timed else {"rolling_shutter": False, "motion_blur": False}
    sensors = []
    for each in config.sensors:
        placed = {} if "mounting" in each.model_fields_set else {"mounting": at_origin}
        rate = {} if has_own_rate(each) else {"rotation_rate_hz": DEFAULT_RATE_HZ}
        sensors.append(each.model_copy(update=still | placed | rate))
    return config.model_copy(update={"sensors": tuple(sensors)})


def passing(model: LidarModel, poses: Poses) -> Iterator[Frame]:
    """Yield a decoded OSI message for each pose that is to be scanned from, numbered from 0.

    Poses that the sensor only passes are given to the model, by `LidarModel.hear`, and not yielded.

    Parameters
    ----------
    model : LidarModel
        The model that will answer the messages; its motion is updated.
    poses : Poses
        The poses of the sensor in the world, and maybe their times.
    """
    number = 0
    for stop in stops(poses):
        frame = _frame(number, stop)
        if stop.scans:
            number += 1
            yield frame
        else:
            model.hear(frame)


def _frame(number: int, stop: Waypoint) -> Frame:
    x, y, z = stop.world_from_carrier[:3, 3].tolist()
    orientation_rad = _orientation(stop.world_from_carrier[:3, :3])
    return carrier_frame(number, stop.time_ns, (x, y, z), orientation_rad)


def _orientation(rotation: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return roll, pitch and yaw [rad] of a rotation; roll is 0 if pitch is a right angle."""
    level = math.hypot(rotation[0, 0], rotation[1, 0])
    pitch = math.atan2(-rotation[2, 0], level)
    if level < _UPRIGHT:
        return 0.0, pitch, math.atan2(-rotation[0, 1], rotation[1, 1])
    roll = math.atan2(rotation[2, 1], rotation[2, 2])
    return roll, pitch, math.atan2(rotation[1, 0], rotation[0, 0])
