# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenes with an empty world, a room or many boxes; scenes for object ids and fields."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.conformance.judging import Finding, numbers, objects, ranges
from lidar_app.conformance.oracle import beam_grid
from lidar_app.conformance.scene import BenchScene
from lidar_app.conformance.stage import Stage, moving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lidar_app.conformance.asking import BenchMoment
    from lidar_app.conformance.scene import Replies
    from lidar_app.conformance.sheet import DataSheet

IDS = (4, 77, 70_000, 2**40 + 3, 9)
N_CROWD = 1000
_ANGLE_DEG = 0.05
"""Allowed error of beam angles, in addition to the errors of the sheet. [deg]"""


def _empty(sheet: DataSheet) -> list[BenchMoment]:
    return Stage(sheet).still()


def _empty_oracle(replies: Replies) -> Iterator[Finding | None]:
    judged = replies.judged()
    if len(judged.scan) and replies.sheet.ground:
        yield ranges(judged)
    else:
        yield Finding("number", "no detection", str(len(judged.scan)), not len(judged.scan))


def _tunnel(sheet: DataSheet) -> list[BenchMoment]:
    """Build a closed room: walls, floor and ceiling, each a box of its own."""
    stage = Stage(sheet)
    half_m = 0.6 * stage.near_m
    long_m, high_m = 2.4 * half_m, stage.sensor_z_m
    sides = [
        stage.box(0, half_m, 0.0, (0.2, long_m, long_m)),
        stage.box(1, -half_m - 0.2, 0.0, (0.2, long_m, long_m)),
        stage.box(2, -0.5 * long_m, half_m + 0.1, (long_m, 0.2, long_m)),
        stage.box(3, -0.5 * long_m, -half_m - 0.1, (long_m, 0.2, long_m)),
        stage.box(4, -0.5 * long_m, 0.0, (long_m, long_m, 0.2), z_m=-0.3),
        stage.box(5, -0.5 * long_m, 0.0, (long_m, long_m, 0.2), z_m=2.0 * high_m + 1.0),
    ]
    return stage.still(*sides)


def _tunnel_oracle(replies: Replies) -> Iterator[Finding | None]:
    judged, sheet = replies.judged(), replies.sheet
    yield ranges(judged)
    scan, of = judged.scan, sheet.field_of_view
    if not scan.is_logical:
        slack = _ANGLE_DEG + 6.0 * sheet.errors.angle_deg
        for name, angle_rad, limits in (
            ("azimuth", scan.azimuth_rad, of.azimuth_deg),
            ("elevation", scan.elevation_rad, of.elevation_deg),
        ):
            yield _within(name, np.degrees(angle_rad), limits, slack)
    grid = beam_grid(sheet)
    if grid is not None:
        n, came, share = len(grid[0]), len(scan), 0.5 * sheet.margins.number
        told = f"{n} beams, within {share:.0%}"
        yield Finding("number", told, f"{came} detections", abs(came - n) <= share * n)


def _within(name: str, angle_deg: np.ndarray, limits: tuple[float, float], slack: float) -> Finding:
    """Judge that angles fill the field of view and do not exceed it."""
    if not len(angle_deg):
        return Finding(name, "angles", "none", holds=False)
    low, high = float(np.min(angle_deg)), float(np.max(angle_deg))
    span = limits[1] - limits[0]
    holds = low >= limits[0] - slack and high <= limits[1] + slack and high - low >= 0.95 * span
    told = f"fills {limits[0]:.2f} to {limits[1]:.2f} deg"
    return Finding(name, told, f"{low:.2f} to {high:.2f} deg", holds)


def _objects(sheet: DataSheet) -> list[BenchMoment]:
    stage, boxes = Stage(sheet), []
    for index, object_id in enumerate(IDS):
        aside_m = stage.near_m * math.tan(math.radians(10.0 * (index - 2)))
        box = stage.box(index, stage.near_m, aside_m, (0.5, 1.2, 3.0))
        box = replace(box, object_id=object_id)
        boxes.append(moving(box) if index % 2 else box)
    return stage.still(*boxes)


def _objects_oracle(replies: Replies) -> Iterator[Finding | None]:
    judged = replies.judged()
    yield objects(judged)
    yield numbers(judged)


def _crowd(sheet: DataSheet) -> list[BenchMoment]:
    """Put about a thousand boxes of different heights on a grid."""
    stage, n = Stage(sheet), round(math.sqrt(N_CROWD))
    boxes = [
        stage.box(
            index,
            6.0 + 3.0 * (index // n),
            3.0 * (index % n - 0.5 * n),
            (1.0, 1.0, 1.0 + 0.5 * (index % 7)),
            z_m=0.5 + 0.25 * (index % 7),
        )
        for index in range(N_CROWD)
    ]
    return stage.still(*boxes)


def _ranges(replies: Replies) -> Iterator[Finding | None]:
    judged = replies.judged()
    yield ranges(judged)
    yield numbers(judged)


def _wall(sheet: DataSheet) -> list[BenchMoment]:
    stage = Stage(sheet)
    moments = stage.still(stage.wall(0, stage.near_m), n=4)
    return [each.at(each.time_ns + 1_234_567_891) for each in moments]


def _fields(replies: Replies) -> Iterator[Finding | None]:
    judged, period_ns = replies.judged(), replies.sheet.period_ns
    answer, scan, asked_ns = judged.answer, judged.scan, replies.moments[-1].time_ns
    version = "not stated" if answer.osi_major is None else f"OSI {answer.osi_major}"
    yield Finding("version", "OSI 3", version, answer.osi_major == 3)
    for name, time_ns, early_ns in (
        ("timestamp", answer.time_ns, 0),
        ("last_measurement_time", answer.last_measurement_ns, period_ns),
        ("measurement_time", scan.measured_ns, period_ns),
    ):
        told = f"{1e-9 * (asked_ns - early_ns):.3f} to {1e-9 * (asked_ns + period_ns):.3f} s"
        came = "not stated" if time_ns is None else f"{1e-9 * time_ns:.6f} s"
        holds = time_ns is not None and asked_ns - early_ns <= time_ns <= asked_ns + period_ns
        yield Finding(name, told, came, holds)
    if scan.n_stated is not None:
        n = len(scan)
        yield Finding("number in the header", str(n), str(scan.n_stated), scan.n_stated == n)
    angles = np.concatenate([scan.azimuth_rad / math.pi, 2.0 * scan.elevation_rad / math.pi])
    most = float(np.max(np.abs(angles), initial=0.0))
    came = f"{most:.2f} of it at most"
    yield Finding("units", "angles in rad: within half a turn", came, 0.0 < most <= 1.0 + 1e-9)


EMPTY = BenchScene(
    name="empty_world",
    title="Nothing but the host",
    heading="Point frequency and density",
    formula="no detection, or the ground: r = h / sin(-el)",
    moments=_empty,
    oracle=_empty_oracle,
)
TUNNEL = BenchScene(
    name="tunnel",
    title="A closed room: every beam has a detection",
    heading="Field of view, point density",
    clauses=("4.1.7", "4.1.9", "4.1.10"),
    formula="n = rows x columns; az and el fill the field of view",
    moments=_tunnel,
    oracle=_tunnel_oracle,
)
OBJECTS = BenchScene(
    name="object_ids",
    title="Five boxes with small and large ids",
    heading="Object ids",
    formula="id of the box that the ray enters first",
    moments=_objects,
    oracle=_objects_oracle,
    needs=("detections", "object_ids"),
)
CROWD = BenchScene(
    name="thousand_objects",
    title="A thousand boxes",
    heading="Robustness",
    formula="r = least of the entries into all boxes (slabs)",
    moments=_crowd,
    oracle=_ranges,
)
FIELDS = BenchScene(
    name="fields",
    title="Times, units and numbers of each field",
    heading="Time: messages",
    formula="t <= timestamp <= t + 1 / rate; angles in rad, times in ns",
    moments=_wall,
    oracle=_fields,
    needs=("detections", "fields"),
)
