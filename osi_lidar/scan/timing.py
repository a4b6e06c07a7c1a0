# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How often messages come and sensors scan in a run, compared with the sensors' own rates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from osi_lidar.scan.lidar import Lidar

Times = Mapping[str, Any]
"""The entry ``time`` of run.json, or of a sensor in it."""
_AS_OFTEN = 1e-3  # share by which two rates may differ, as simulators round their times


@dataclass(slots=True)
class MessageTimes:
    """The times of the messages of a run, summed for their mean period.

    Attributes
    ----------
    n_steps : int
        Number of time steps from a message to the next one; steps of 0 or less are not counted.
    total_ns : int
        Sum of these time steps. [ns]
    uncovered : dict of str to int
        Number of scans, by sensor, that began before the first known message.
    """

    n_steps: int = 0
    total_ns: int = 0
    uncovered: dict[str, int] = field(default_factory=dict)

    def add(self, step_ns: int) -> None:
        """Count the time step from the run's previous message to the next; not if 0 or less.

        ``step_ns`` is that time in nanoseconds. ``n_steps`` and ``total_ns`` grow.
        """
        if step_ns > 0:
            self.n_steps += 1
            self.total_ns += step_ns

    @property
    def period_s(self) -> float | None:
        """Mean time between two messages [s]; None if no two have different times."""
        return 1e-9 * self.total_ns / self.n_steps if self.n_steps else None


def time_content(lidars: Iterable[Lidar], times: MessageTimes) -> Times:
    """Return the entry ``time`` of run.json: the mean period of messages, and each sensor's scans.

    Parameters
    ----------
    lidars : iterable of Lidar
        The sensors.
    times : MessageTimes
        Times of the messages.

    Returns
    -------
    mapping of str
        ``message_period_s``: the mean time between messages, None for a single message.
        ``sensors``: a mapping from each sensor's name to the duration of its scans, the time
        between them, and beams a second. A sensor without a rate of its own has the period of the
        messages.
    """
    return {
        "message_period_s": times.period_s,
        "sensors": {lidar.name: _content(lidar, times) for lidar in lidars},
    }


def _content(lidar: Lidar, times: MessageTimes) -> Times:
    own_s = None if lidar.timing.period_ns is None else 1e-9 * lidar.timing.period_ns
    every_s = own_s if lidar.timing.free_running else times.period_s
    return {
        "scan_takes_s": own_s or times.period_s,
        "sensor_period_s": own_s,
        "scan_every_s": every_s,
        "beams_per_s": _per_second(lidar.pattern.n_beams, every_s),
        "sensor_beams_per_s": _per_second(lidar.pattern.n_beams, own_s),
        "began_before_messages": times.uncovered.get(lidar.name, 0),
    }


def time_lines(time: Times) -> list[str]:
    """Return the entry ``time`` of run.json as lines for a user: one for messages, one per sensor.

    ``time`` is the result of `time_content`.
    """
    period_s = time["message_period_s"]
    messages = "a single message" if period_s is None else f"a message every {_words(period_s)}"
    return [messages, *(_line(name, each) for name, each in time["sensors"].items())]


def rate_warnings(time: Times) -> list[str]:
    """Return a line for each sensor that scans more or less often than at its own rate.

    ``time`` is the entry ``time`` of run.json, from `time_content`. Rates count as equal within one
    in a thousand. Sensors without a rate of their own get no line.
    """
    period_s, found = time["message_period_s"], []
    for name, each in time["sensors"].items():
        own_s, every_s = each["sensor_period_s"], each["scan_every_s"]
        if own_s and every_s and abs(own_s / every_s - 1.0) > _AS_OFTEN:
            found.append(
                f"{name}: a message every {_words(period_s)}, a scan of {_words(own_s)} with each: "
                f"{own_s / every_s:.3g} times the sensor's points a second; with "
                "--timing sensor_rate it scans at its own rate"
            )
    return found


def _line(name: str, rate: Times) -> str:
    takes_s, every_s = rate["scan_takes_s"], rate["scan_every_s"]
    if takes_s is None or every_s is None:
        return f"{name}: a scan at an instant"
    line = f"{name}: every {_words(every_s)} a scan of {_words(takes_s)}"
    if rate["sensor_period_s"] is None:
        line += ", the time between messages, as no rotation_rate_hz is given"
    else:
        share = takes_s / every_s
        if abs(share - 1.0) > _AS_OFTEN:
            line += f", {share:.3g} times the sensor's beams a second"
    if rate["began_before_messages"]:
        line += f"; {rate['began_before_messages']} began before what messages cover"
    return line


def _words(seconds: float) -> str:
    return f"{1e3 * seconds:.4g} ms" if seconds < 1.0 else f"{seconds:.4g} s"


def _per_second(n_beams: int, seconds: float | None) -> float | None:
    return None if seconds is None else round(n_beams / seconds, 3)
