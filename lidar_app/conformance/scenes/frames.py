# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenes for frames: mounting, attitude, rear axle, map coordinates, choice of the host."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.conformance.asking import HostPose
from lidar_app.conformance.judging import Finding, numbers, ranges
from lidar_app.conformance.scene import BenchScene
from lidar_app.conformance.stage import Stage, moving
from osi_bridge import rotation_from_orientation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lidar_app.conformance.asking import BenchMoment
    from lidar_app.conformance.scene import Replies
    from lidar_app.conformance.sheet import DataSheet
    from osi_bridge.bench import BoxObject

UTM_M = (691_000.0, 5_335_000.0, 520.0)
ATTITUDE_RAD = (0.05, -0.06, 0.7)
FAR_AXLE_M = (-2.4, 0.0, -0.3)
OTHER_HOST = 3


def _lopsided(stage: Stage) -> tuple[BoxObject, ...]:
    """Return boxes without symmetry, so that mirrored axes are found."""
    x_m = stage.near_m
    return (
        stage.box(0, x_m, 0.3 * x_m, (1.0, 0.3 * x_m, x_m)),
        stage.box(1, 1.5 * x_m, -0.2 * x_m, (1.0, 0.2 * x_m, x_m)),
        stage.box(2, 1.2 * x_m, 0.0, (1.0, 0.15 * x_m, 1.0), z_m=stage.sensor_z_m + 0.8),
    )


def _mounting(sheet: DataSheet) -> list[BenchMoment]:
    stage = Stage(sheet)
    return stage.still(*_lopsided(stage))


def _mounting_oracle(replies: Replies) -> Iterator[Finding | None]:
    yield from _ranges(replies)
    stated = replies.judged().scan.mounting
    if stated is None or not replies.sheet.claims("fields"):
        return
    sheet = replies.sheet
    turn = rotation_from_orientation([stated.orientation_rad, sheet.orientation_rad])
    off_m = float(np.max(np.abs(np.subtract(stated.position_m, sheet.position_m))))
    holds = off_m < 1e-3 and float(np.max(np.abs(turn[0] - turn[1]))) < 1e-3
    told = (
        f"position {_words(sheet.position_m)} m, roll, pitch, yaw {_words(sheet.orientation_rad)}"
    )
    came = f"{_words(stated.position_m)} m, {_words(stated.orientation_rad)}"
    yield Finding("mounting in the header", told, came, holds)


def _attitude(sheet: DataSheet) -> list[BenchMoment]:
    """Yaw, pitch and roll the host about its rear axle; a low box moves the ground far down."""
    stage = Stage(sheet)
    low = stage.box(3, 2.0 * stage.near_m, 0.0, (1.0, 1.0, 1.0), z_m=-20.0)
    moments = stage.still(*_turned(_lopsided(stage), stage.host), low)
    yaw = stage.host.orientation_rad[2] + ATTITUDE_RAD[2]
    host = HostPose(stage.host.position_m, (*ATTITUDE_RAD[:2], yaw))
    return [replace(each, host=host) for each in moments]


def _turned(things: tuple[BoxObject, ...], host: HostPose) -> tuple[BoxObject, ...]:
    """Return objects turned about the rear axle by the yaw of `ATTITUDE_RAD`."""
    turn = rotation_from_orientation((0.0, 0.0, ATTITUDE_RAD[2]))
    axle = np.asarray(host.position_m)
    turned = []
    for each in things:
        x_m, y_m, z_m = axle + turn @ (np.asarray(each.position_m) - axle)
        place = float(x_m), float(y_m), float(z_m)
        turned.append(replace(each, position_m=place, yaw_rad=each.yaw_rad + ATTITUDE_RAD[2]))
    return tuple(turned)


def _rear_axle(sheet: DataSheet) -> list[BenchMoment]:
    stage = Stage(sheet)
    low = stage.box(3, 2.0 * stage.near_m, 0.0, (1.0, 1.0, 1.0), z_m=-20.0)
    moments = stage.still(*_lopsided(stage), low)
    return [replace(each, rear_axle_m=FAR_AXLE_M) for each in moments]


def _utm(sheet: DataSheet) -> list[BenchMoment]:
    stage = Stage(sheet, offset_m=UTM_M)
    return stage.still(*_lopsided(stage))


def _two_hosts(sheet: DataSheet) -> list[BenchMoment]:
    """Let another vehicle carry the sensor; a third one stands behind it, far away."""
    stage = Stage(sheet)
    other = moving(stage.box(7, -40.0, 30.0, (4.0, 2.0, 1.5), z_m=0.75))
    moments = stage.still(*_lopsided(stage), other)
    return [replace(each, host_id=OTHER_HOST, sensor_id=8) for each in moments]


def _sensor_id(replies: Replies) -> Iterator[Finding | None]:
    yield from _ranges(replies)
    asked, came = replies.moments[-1].sensor_id, replies.judged().answer.sensor_id
    if replies.sheet.claims("fields"):
        yield Finding("sensor id", f"{asked}, as in the SensorView", str(came), came == asked)


def _ranges(replies: Replies) -> Iterator[Finding | None]:
    judged = replies.judged()
    yield ranges(judged)
    yield numbers(judged)


def _words(values: tuple[float, ...]) -> str:
    return ", ".join(f"{each:.4g}" for each in values)


_HEADING = "Angles: frames and mounting"
_POSE = "p = host + R_host (mounting + R_mounting u r)"
MOUNTING = BenchScene(
    name="mounting",
    title="The stated mounting, before boxes without symmetry",
    heading=_HEADING,
    formula=_POSE,
    moments=_mounting,
    oracle=_mounting_oracle,
)
ATTITUDE = BenchScene(
    name="host_attitude",
    title="A host with yaw, pitch and roll",
    heading=_HEADING,
    formula=_POSE + ", R = Rz(yaw) Ry(pitch) Rx(roll)",
    moments=_attitude,
    oracle=_ranges,
)
REAR_AXLE = BenchScene(
    name="rear_axle",
    title="A host whose rear axle is where only the message says",
    heading=_HEADING,
    formula="host = centre of the box + R_host bbcenter_to_rear",
    moments=_rear_axle,
    oracle=_ranges,
)
UTM = BenchScene(
    name="utm",
    title="The same boxes at UTM coordinates",
    heading=_HEADING,
    formula=_POSE + ", all shifted by 5 000 km",
    moments=_utm,
    oracle=_ranges,
)
TWO_SENSORS = BenchScene(
    name="two_sensors",
    title="Another host and another sensor id",
    heading=_HEADING,
    formula=_POSE + ", of the host of host_vehicle_id",
    moments=_two_hosts,
    oracle=_sensor_id,
)
