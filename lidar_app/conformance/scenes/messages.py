# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenes for messages: repeated, irregular, late, damaged; objects that appear and vanish."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.conformance.asking import FIRST_ID
from lidar_app.conformance.judging import Finding, numbers, ranges
from lidar_app.conformance.scene import BenchScene
from lidar_app.conformance.stage import Stage, moving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lidar_app.conformance.asking import BenchMoment
    from lidar_app.conformance.scene import Replies
    from lidar_app.conformance.sheet import DataSheet

STEPS = (1.0, 1.0, 1.7, 0.4, 1.0, 2.3, 1.0)
"""Times between irregular messages, in periods of the sensor."""
SPEED_M_S = 5.0
N_DAMAGED = 12


def _ranges(replies: Replies) -> Iterator[Finding | None]:
    judged = replies.judged()
    yield ranges(judged)
    yield numbers(judged)


def _repeated(sheet: DataSheet) -> list[BenchMoment]:
    """Send the last message three times, with the same timestamp."""
    stage = Stage(sheet)
    still = stage.still(stage.wall(0, stage.near_m))
    return [*still, replace(still[-1], may_be_silent=True), replace(still[-1], may_be_silent=True)]


def _repeated_oracle(replies: Replies) -> Iterator[Finding | None]:
    answered = [each for each in replies.answers[2:] if each is not None and each.scans]
    yield Finding("answers", "one or more", str(len(answered)), bool(answered))
    if not replies.sheet.claims("repeatable") or not answered:
        return
    first, last = answered[0].scans[0], answered[-1].scans[0]
    same = np.array_equal(first.range_m, last.range_m) and np.array_equal(
        first.azimuth_rad, last.azimuth_rad
    )
    came = f"{len(first)} and {len(last)} detections, " + ("equal" if same else "different")
    yield Finding("repeated", "the same detections", came, same)


def _irregular(sheet: DataSheet) -> list[BenchMoment]:
    """Bring a slow box nearer while messages come at irregular times."""
    stage, moments, periods = Stage(sheet), [], 0.0
    for step in STEPS:
        periods += step
        x_m = stage.near_m + SPEED_M_S * (sum(STEPS) - periods) / sheet.rate_hz
        box = moving(stage.box(0, x_m, 0.0, (4.0, 4.0, 3.0)))
        time_ns = round(periods * sheet.period_ns)
        moments.append(replace(stage.moment(0, box), time_ns=time_ns))
    return moments


def _late(sheet: DataSheet) -> list[BenchMoment]:
    """Send, before the last message, one that is half a period older than its predecessor."""
    moments = _irregular(sheet)
    late = replace(moments[-2], time_ns=moments[-2].time_ns - sheet.period_ns // 2)
    stage = Stage(sheet)
    late = replace(late, things=(moving(stage.box(0, 0.6 * stage.near_m)),))
    return [*moments[:-1], replace(late, may_be_silent=True), moments[-1]]


def _late_oracle(replies: Replies) -> Iterator[Finding | None]:
    kept = replace(
        replies,
        moments=[*replies.moments[:-2], replies.moments[-1]],
        answers=[*replies.answers[:-2], replies.answers[-1]],
    )
    yield from _ranges(kept)


def _appearing(sheet: DataSheet) -> list[BenchMoment]:
    """Put a box before a wall in messages 3 to 5 (from 0) of 9."""
    stage = Stage(sheet)
    wall = stage.wall(0, 1.2 * stage.near_m)
    box = moving(stage.box(1, 0.7 * stage.near_m, 1.0, (1.0, 2.0, 2.0)))
    there = [False, False, False, True, True, True, False, False, False]
    return [stage.moment(index, *((wall, box)[: 1 + each])) for index, each in enumerate(there)]


def _appearing_oracle(replies: Replies) -> Iterator[Finding | None]:
    for index, words in ((2, "before"), (4, "while it is there"), (8, "after")):
        yield _named(ranges(replies.judged(index)), words)
    yield numbers(replies.judged(4), FIRST_ID + 1)


def _growing(sheet: DataSheet) -> list[BenchMoment]:
    """Enlarge a box before a wall from message 3 (from 0) of 6 on."""
    stage = Stage(sheet)
    wall = stage.wall(0, 1.2 * stage.near_m)
    sizes_m = [(1.0, 2.0, 1.0)] * 3 + [(1.5, 4.0, 2.0)] * 3
    boxes = [moving(stage.box(1, 0.7 * stage.near_m, 0.0, each)) for each in sizes_m]
    return [stage.moment(index, wall, box) for index, box in enumerate(boxes)]


def _growing_oracle(replies: Replies) -> Iterator[Finding | None]:
    for index, words in ((2, "of the small one"), (5, "of the large one")):
        yield _named(ranges(replies.judged(index)), words)
        yield numbers(replies.judged(index))


def _named(finding: Finding, words: str) -> Finding:
    return finding._replace(check=f"{finding.check} {words}")


def _damaged(sheet: DataSheet) -> list[BenchMoment]:
    """Send messages with changed or missing bytes between good ones."""
    stage, draw = Stage(sheet), np.random.default_rng(1)
    good = stage.still(stage.wall(0, stage.near_m), n=N_DAMAGED + 6)
    moments = list(good[:3])
    for each in good[3 : 3 + N_DAMAGED]:
        raw = _spoiled(each.question(sheet).data, draw)
        moments.append(replace(each, raw=raw, may_be_silent=True))
    return [*moments, *good[3 + N_DAMAGED :]]


def _spoiled(data: bytes, draw: np.random.Generator) -> bytes:
    """Return bytes with some changed, with the end cut off, or only random bytes."""
    way = draw.integers(3)
    if way == 0:
        return draw.bytes(int(draw.integers(1, 200)))
    if way == 1:
        return data[: draw.integers(1, len(data))]
    changed = bytearray(data)
    for _ in range(draw.integers(1, 6)):
        changed[draw.integers(len(changed))] = int(draw.integers(256))
    return bytes(changed)


REPEATED = BenchScene(
    name="repeated",
    title="The same message again",
    heading="Time: messages",
    formula="the same input has the same answer",
    moments=_repeated,
    oracle=_repeated_oracle,
)
IRREGULAR = BenchScene(
    name="irregular_times",
    title="Messages at uneven times",
    heading="Time: messages",
    formula="p(t) = p0 + v t at the time of the message",
    moments=_irregular,
    oracle=_ranges,
)
LATE = BenchScene(
    name="late_message",
    title="A message that comes too late",
    heading="Time: messages",
    formula="the answer to the next message is as without it",
    moments=_late,
    oracle=_late_oracle,
)
APPEARING = BenchScene(
    name="appearing",
    title="A box appears, stays for three messages, and vanishes",
    heading="Time: messages",
    formula="r of the box while it is in the messages, of the wall before and after",
    moments=_appearing,
    oracle=_appearing_oracle,
)
GROWING = BenchScene(
    name="growing",
    title="A box that is larger from one message on",
    heading="Time: messages",
    formula="r of the box by the size that the message has",
    moments=_growing,
    oracle=_growing_oracle,
)
DAMAGED = BenchScene(
    name="damaged_messages",
    title="Damaged and random messages between good ones",
    heading="Robustness",
    formula="no crash, and r of the wall in the end",
    moments=_damaged,
    oracle=_ranges,
    is_live=True,
)
