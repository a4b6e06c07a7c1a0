# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenes for motion within a scan, of objects and of the host, and for velocities."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.conformance.asking import FIRST_ID, HostPose
from lidar_app.conformance.judging import Finding, numbers, ranges
from lidar_app.conformance.scene import BenchScene
from lidar_app.conformance.stage import Stage, moving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lidar_app.conformance.asking import BenchMoment
    from lidar_app.conformance.scene import Replies
    from lidar_app.conformance.sheet import DataSheet
    from osi_bridge.bench import BoxObject

SPEED_M_S, AWAY_M_S = 20.0, 7.0
TURN_RAD_S = 0.6
N_MOVING = 5


def _mover(sheet: DataSheet) -> list[BenchMoment]:
    """Bring a box nearer; at the last message it is at `Stage.near_m`."""
    stage, moments = Stage(sheet), []
    for index in range(N_MOVING):
        before_s = (N_MOVING - 1 - index) / sheet.rate_hz
        x_m = stage.near_m + SPEED_M_S * before_s
        size_m = (4.0, 0.6 * stage.near_m, 3.0)
        velocity = (-SPEED_M_S, 0.0, 0.0)
        box = moving(stage.box(0, x_m, 0.0, size_m), velocity)
        moments.append(stage.moment(index, box))
    return moments


def _moving_oracle(replies: Replies) -> Iterator[Finding | None]:
    judged = replies.judged()
    yield ranges(judged)
    yield numbers(judged)
    yield ranges(replies.judged(-2))._replace(check="range, one message before")


def _crossing(sheet: DataSheet) -> list[BenchMoment]:
    """Move two boxes across, one to each side; their edges show when beams fired."""
    stage, moments = Stage(sheet), []
    for index in range(N_MOVING):
        way_m = SPEED_M_S * (N_MOVING - 1 - index) / sheet.rate_hz
        size_m = (4.0, 3.0, 3.0)
        left = moving(stage.box(0, stage.near_m, 1.0 - way_m, size_m), (0.0, SPEED_M_S, 0.0))
        place_m = 1.6 * stage.near_m, way_m - 0.6 * stage.near_m
        right = moving(stage.box(1, *place_m, size_m), (0.0, -SPEED_M_S, 0.0))
        moments.append(stage.moment(index, left, right))
    return moments


def _crossing_oracle(replies: Replies) -> Iterator[Finding | None]:
    judged = replies.judged()
    yield ranges(judged)
    for number in range(2):
        yield numbers(judged, FIRST_ID + number)


def _stepped(stage: Stage) -> tuple[BoxObject, ...]:
    """Return a wall with a step."""
    x_m = stage.near_m
    return (
        stage.box(0, x_m, 0.5 * x_m, (1.0, x_m, x_m)),
        stage.box(1, 1.4 * x_m, -0.4 * x_m, (1.0, x_m, x_m)),
    )


def _driving(sheet: DataSheet) -> list[BenchMoment]:
    """Drive the host forward from one wall to another at `Stage.near_m`.

    A rotating sensor whose scan starts at the back sees the first wall at begin and end.
    """
    stage, moments = Stage(sheet), []
    behind = stage.box(2, -2.0 * stage.near_m, 0.0, (1.0, 4.0 * stage.near_m, stage.near_m))
    x_m, y_m, z_m = stage.host.position_m
    yaw = stage.host.orientation_rad[2]
    for index in range(N_MOVING):
        way_m = SPEED_M_S * (N_MOVING - 1 - index) / sheet.rate_hz
        place = x_m - way_m * math.cos(yaw), y_m - way_m * math.sin(yaw), z_m
        host = stage.host._replace(position_m=place)
        moments.append(replace(stage.moment(index, *_stepped(stage), behind), host=host))
    return moments


def _turning(sheet: DataSheet) -> list[BenchMoment]:
    """Turn the host about its rear axle, before a wall with a step."""
    stage, moments = Stage(sheet), []
    for index in range(N_MOVING):
        before_s = (N_MOVING - 1 - index) / sheet.rate_hz
        yaw = stage.host.orientation_rad[2] - TURN_RAD_S * before_s
        host = HostPose(stage.host.position_m, (0.0, 0.0, yaw))
        moments.append(replace(stage.moment(index, *_stepped(stage)), host=host))
    return moments


def _speeds(sheet: DataSheet) -> list[BenchMoment]:
    """Bring a box nearer, and move a slower one beside it away."""
    stage, moments, x_m = Stage(sheet), [], Stage(sheet).near_m
    for index in range(N_MOVING):
        before_s = (N_MOVING - 1 - index) / sheet.rate_hz
        boxes = [
            moving(
                stage.box(number, x_m - speed * before_s, side * x_m, (4.0, 0.5 * x_m, 3.0)),
                (speed, 0.0, 0.0),
            )
            for number, (speed, side) in enumerate(((-SPEED_M_S, 0.3), (AWAY_M_S, -0.3)))
        ]
        moments.append(stage.moment(index, *boxes))
    return moments


def _velocity(replies: Replies) -> Iterator[Finding | None]:
    judged = replies.judged()
    yield numbers(judged, FIRST_ID, FIRST_ID + 1)
    on = judged.on_object(FIRST_ID) | judged.on_object(FIRST_ID + 1)
    came = judged.scan.radial_velocity_m_s[judged.kept][on]
    told = judged.expected.hits[0].radial_m_s[on]
    if not len(came) or not np.isfinite(came).all():
        yield Finding("radial velocity", "stated in each detection", "not stated", holds=False)
        return
    off, most = float(np.max(np.abs(came - told))), replies.sheet.margins.velocity_m_s
    limits = f"{np.min(told):.2f} to {np.max(told):.2f} m/s, within {most:g} m/s"
    yield Finding("radial velocity", limits, f"off by {off:.2g} m/s at most", off <= most)


_SKEW = "p(t) = p0 + v t, t of each beam by its azimuth"
MOVER = BenchScene(
    name="mover",
    title="A box comes nearer at 20 m/s",
    heading="Time: motion within a scan",
    formula=_SKEW,
    moments=_mover,
    oracle=_moving_oracle,
)
CROSSING = BenchScene(
    name="crossing",
    title="Two boxes cross at 20 m/s",
    heading="Time: motion within a scan",
    formula=_SKEW,
    moments=_crossing,
    oracle=_crossing_oracle,
)
DRIVING = BenchScene(
    name="driving_host",
    title="A host drives at 20 m/s",
    heading="Time: motion within a scan",
    formula="host(t) = host0 + v t, t of each beam by its azimuth",
    moments=_driving,
    oracle=_moving_oracle,
)
TURNING = BenchScene(
    name="turning_host",
    title=f"A host turns by {math.degrees(TURN_RAD_S):.0f} degrees per second",
    heading="Time: motion within a scan",
    formula="R(t) = Rz(yaw0 + w t), t of each beam by its azimuth",
    moments=_turning,
    oracle=_moving_oracle,
)
VELOCITY = BenchScene(
    name="radial_velocity",
    title="Radial velocities of a box that comes nearer and of one that goes away",
    heading="Radial velocity",
    clauses=("4.1.11",),
    formula="v_r = -v.u; positive comes nearer",
    moments=_speeds,
    oracle=_velocity,
    needs=("detections", "velocity"),
)
