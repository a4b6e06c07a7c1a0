# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Intervals of a run: a process answers the frames of one, and only follows all earlier frames."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from osi_bridge import empty_frame
from osi_lidar.run.frame_source import Role
from osi_lidar.scan.lidar import Lidar
from osi_lidar.scan.schedule import Schedule, needed_from_ns
from osi_lidar.world.history import History
from raycore.scene.jumps import JumpLimits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from osi_lidar.config import Config
    from osi_lidar.run.frame_source import TraceMoment


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Frames that one process answers, numbered from 0, the first frame of the run.

    Attributes
    ----------
    begin : int
        The first frame to answer. Earlier frames only update the state of the model.
    end : int or None
        One more than the last frame to answer; None: all frames until the trace ends.
    last_scans : mapping of str to int
        For each sensor, number of its last scan before ``begin``. It is traced, too, because the
        first answer may repeat its cloud.
    """

    begin: int = 0
    end: int | None = None
    last_scans: Mapping[str, int] = field(default_factory=dict)


WHOLE = Interval()


def intervals(
    moments: Sequence[TraceMoment], config: Config, *, n: int = 1, first: int = 0
) -> list[Interval]:
    """Split the frames that are still to be answered into intervals of nearly equal length.

    Parameters
    ----------
    moments : sequence of TraceMoment
        All messages of the run, with their roles.
    config : Config
        The configuration, whose sensors determine the times of the scans.
    n : int
        Number of intervals; fewer if there are fewer frames. The last one's ``end`` is None.
    first : int
        Number of frames that an earlier process has answered; the first interval begins after them.
    """
    n_frames = sum(moment.role is Role.ANSWERED for moment in moments) - first
    n = max(min(n, n_frames), 1)
    begins = [first + number * n_frames // n for number in range(n)]
    known = dict(each for each in enumerate(_last_scans(moments, config)) if each[0] in begins)
    ends: list[int | None] = [*begins[1:], None]
    return [
        Interval(begin=begin, end=end, last_scans=known.get(begin, {}))
        for begin, end in zip(begins, ends, strict=True)
    ]


def _last_scans(moments: Sequence[TraceMoment], config: Config) -> Iterator[dict[str, int]]:
    """Yield the numbers of the last scans before each frame, and after the last one, by sensor."""
    lidars = [Lidar(sensor) for sensor in config.sensors]
    schedules = [Schedule(lidar.timing) for lidar in lidars]
    history, empty = History(JumpLimits.of(config.scene.teleport)), empty_frame()
    last: dict[str, int] = {}
    for moment in moments:
        if moment.role is Role.LATE:
            continue
        if moment.role is Role.ANSWERED:
            yield dict(last)
        if not history.add(replace(empty, index=moment.number, time_ns=moment.time_ns)):
            for schedule in schedules:
                schedule.restart()
        if moment.role is Role.HEARD:
            continue
        for lidar, schedule in zip(lidars, schedules, strict=True):
            for _ in schedule.due(history):
                last[lidar.name] = schedule.number if lidar.timing.free_running else moment.number
        history.forget(needed_from_ns(schedules, moment.time_ns))
    yield dict(last)
