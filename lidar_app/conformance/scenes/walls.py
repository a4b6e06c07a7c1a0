# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenes with walls: accuracy of ranges, near and far, straight and tilted."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.conformance.asking import FIRST_ID
from lidar_app.conformance.judging import Finding, numbers, ranges, trueness
from lidar_app.conformance.scene import BenchScene
from lidar_app.conformance.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lidar_app.conformance.asking import BenchMoment
    from lidar_app.conformance.scene import Replies
    from lidar_app.conformance.sheet import DataSheet

TILT_RAD = math.radians(50.0)
SHARES = (0.1, 0.3, 0.6, 0.9)
"""Distances of plates, as shares of the maximum range."""


def _wall(sheet: DataSheet) -> list[BenchMoment]:
    stage = Stage(sheet)
    return stage.still(stage.wall(0, stage.near_m))


def _tilted(sheet: DataSheet) -> list[BenchMoment]:
    stage = Stage(sheet)
    return stage.still(stage.wall(0, stage.near_m, TILT_RAD))


def _exact(replies: Replies) -> Iterator[Finding | None]:
    judged = replies.judged()
    yield ranges(judged, coarse=False)
    yield trueness(judged)


def _wall_oracle(replies: Replies) -> Iterator[Finding | None]:
    yield from _exact(replies)
    yield numbers(replies.judged())


def _plates_oracle(replies: Replies) -> Iterator[Finding | None]:
    """Judge all ranges, and the numbers of detections on the two nearest plates."""
    yield from _exact(replies)
    yield numbers(replies.judged(), FIRST_ID, FIRST_ID + 1)


def _plates(sheet: DataSheet) -> list[BenchMoment]:
    """Put four plates side by side, each 6 degrees wide in the view."""
    stage, boxes = Stage(sheet), []
    for index, share in enumerate(SHARES):
        x_m = share * sheet.range_m[1]
        aside_m = x_m * math.tan(math.radians(10.0 * (index - 1.5)))
        size_m = x_m * math.tan(math.radians(6.0))
        boxes.append(stage.box(index, x_m, aside_m, (0.5, size_m, size_m)))
    return stage.still(*boxes)


def _beyond(sheet: DataSheet) -> list[BenchMoment]:
    stage = Stage(sheet)
    return stage.still(stage.wall(0, 1.2 * sheet.range_m[1]))


def _beyond_oracle(replies: Replies) -> Iterator[Finding | None]:
    judged, limit_m = replies.judged(), replies.sheet.range_m[1]
    farthest_m = float(np.max(judged.range_m, initial=0.0))
    came = f"{farthest_m:.2f} m at most, {len(judged.range_m)} detections"
    holds = farthest_m <= limit_m + replies.sheet.tolerance_m
    yield Finding("maximum range", f"none beyond {limit_m:g} m", came, holds)


WALL = BenchScene(
    name="wall",
    title="A wall across the way",
    heading="Range trueness and precision",
    clauses=("4.1.2", "4.1.3"),
    formula="r = d / (cos az cos el), level sensor",
    moments=_wall,
    oracle=_wall_oracle,
)
TILTED = BenchScene(
    name="tilted_wall",
    title="A wall turned by 50 degrees",
    heading="Range trueness and precision",
    clauses=("4.1.2", "4.1.3"),
    formula="r = n.(p - o) / n.u for a plane through p with normal n",
    moments=_tilted,
    oracle=_wall_oracle,
)
PLATES = BenchScene(
    name="plates_by_range",
    title="Plates at 0.1, 0.3, 0.6 and 0.9 of the maximum range",
    heading="Range capability",
    clauses=("4.1.1",),
    formula="r = n.(p - o) / n.u for each plate",
    moments=_plates,
    oracle=_plates_oracle,
)
BEYOND = BenchScene(
    name="beyond_range",
    title="A wall at 1.2 times the maximum range",
    heading="Range capability",
    clauses=("4.1.1",),
    formula="no r above the maximum",
    moments=_beyond,
    oracle=_beyond_oracle,
)
