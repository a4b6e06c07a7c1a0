# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenes with edges: steps, occlusion, narrow poles, and grazing incidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.conformance.asking import FIRST_ID
from lidar_app.conformance.judging import numbers, ranges
from lidar_app.conformance.scene import BenchScene
from lidar_app.conformance.stage import AXLE_Z_M, Stage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lidar_app.conformance.asking import BenchMoment
    from lidar_app.conformance.judging import Finding
    from lidar_app.conformance.scene import Replies
    from lidar_app.conformance.sheet import DataSheet


def _step(sheet: DataSheet) -> list[BenchMoment]:
    stage = Stage(sheet)
    x_m = stage.near_m
    near = stage.box(0, x_m, 0.25 * x_m, (0.5, 0.5 * x_m, x_m))
    return stage.still(near, stage.box(1, x_m + 1.5, 0.0, (0.5, 1.6 * x_m, x_m)))


def _occlusion(sheet: DataSheet) -> list[BenchMoment]:
    stage = Stage(sheet)
    x_m = stage.near_m
    near = stage.box(0, 0.5 * x_m, -0.05 * x_m, (0.5, 0.2 * x_m, 0.5 * x_m))
    return stage.still(near, stage.box(1, x_m, 0.0, (1.0, x_m, 0.3 * x_m)))


def _pole(sheet: DataSheet) -> list[BenchMoment]:
    stage = Stage(sheet)
    x_m = stage.near_m
    poles = [
        stage.box(index, x_m, aside * x_m, (0.3, 0.3, x_m))
        for index, aside in enumerate((-0.4, -0.1, 0.3))
    ]
    return stage.still(*poles)


def _grazing(sheet: DataSheet) -> list[BenchMoment]:
    """Put a slab below the sensor, which beams meet under grazing incidence."""
    stage = Stage(sheet)
    length_m = min(60.0, 1.5 * sheet.range_m[1])
    return stage.still(stage.box(0, 0.5, 0.0, (length_m, 12.0, 0.2), z_m=AXLE_Z_M - 0.6))


def _edges(replies: Replies) -> Iterator[Finding | None]:
    judged = replies.judged()
    yield ranges(judged)
    for number in range(len(replies.moments[-1].things)):
        yield numbers(judged, FIRST_ID + number)


def _ranges(replies: Replies) -> Iterator[Finding | None]:
    yield ranges(replies.judged(), coarse=False)


STEP = BenchScene(
    name="step_edge",
    title="Two walls, one 2 m behind the other",
    heading="Angular separability",
    clauses=("4.1.13",),
    formula="r of the nearer plane on one side of az0 = atan2(y, x), of the other beyond",
    moments=_step,
    oracle=_edges,
)
OCCLUSION = BenchScene(
    name="occlusion",
    title="A box hides a part of the one behind it",
    heading="Angular separability",
    clauses=("4.1.13",),
    formula="r = least of the entries into all boxes (slabs)",
    moments=_occlusion,
    oracle=_edges,
)
POLES = BenchScene(
    name="poles",
    title="Three narrow poles",
    heading="Angular resolution, precision and trueness",
    clauses=("4.1.4", "4.1.5", "4.1.6"),
    formula="n = (atan2(y2, x) - atan2(y1, x)) / azimuth step, in each row",
    moments=_pole,
    oracle=_edges,
)
GRAZING = BenchScene(
    name="grazing_road",
    title="A road of a flat slab, under grazing incidence",
    heading="Range trueness and precision",
    clauses=("4.1.2", "4.1.3"),
    formula="r = h / sin(-el) for a level sensor at height h",
    moments=_grazing,
    oracle=_ranges,
)
