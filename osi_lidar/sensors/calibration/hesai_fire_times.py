# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Firetime correction files of Hesai: when each laser of a column fires, in five layouts.

- a line per channel: ``Channel,fire time(us)``; a header without a unit counts microseconds
- ``Operational State`` and ``Azimuth State`` above the columns, microseconds (OT128)
- ``distance>=A1``, ``operation mode`` and ``angle state`` above them, nanoseconds (Pandar128)
- ``Loop1,Firetime1,Loop2,Firetime2``: the lasers of two loops in turn, microseconds (QT128)
- ``Channel,Even_fire time(ns),Odd_fire time(ns)``: of frames of even and odd number (ATX)

If a sensor has states, the standard mode (2), the first angle state and the far field are used. If
it has two loops, the time of a laser comes from the first loop that contains the laser.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.unfollowed import Unfollowed
from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.calibration.tables import channel, number

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_base.unfollowed import NotFollowed
    from osi_lidar.sensors.calibration.tables import Row

_STANDARD_MODE = "2"
_UNIT = re.compile(r"(us|μs|µs|ns)\b", re.IGNORECASE)


def fire_times(file: Path, rows: list[Row], *, n_lasers: int) -> NDArray[np.float64]:
    """Return the firing time of each laser in its column, float64 (n_lasers,) [s].

    Times count from the first laser that fires. Lasers are in the order of their channels.

    Parameters
    ----------
    file : Path
        The file, for error messages.
    rows : list of (line, cells)
        Lines of the file: the number of the line, and the texts of its cells.
    n_lasers : int
        Number of lasers in the calibration; another number of channels is an error.

    Raises
    ------
    ConfigurationError
        If the layout does not describe a column, or a channel is missing or listed twice.
    """
    if not rows:
        raise ConfigurationError(f"{file}: contains no lines, expected a firetime correction file")
    return _by_laser(file, _entries(file, rows, n_lasers=n_lasers), n_lasers)


def _by_laser(
    file: Path, entries: list[tuple[int, int, float]], n_lasers: int
) -> NDArray[np.float64]:
    """Return times after the first time, in the order of the lasers; check that none is missing."""
    times: dict[int, float] = {}
    for line, laser, seconds in entries:
        if laser in times:
            raise ConfigurationError(f"{file}: line {line}: channel {laser} is listed twice")
        times[laser] = seconds
    missing = [laser for laser in range(1, n_lasers + 1) if laser not in times]
    if missing:
        raise ConfigurationError(
            f"{file}: has no fire time of channel {missing[0]}, expected one for each of "
            f"{n_lasers} channels"
        )
    time_s = np.array([times[laser] for laser in range(1, n_lasers + 1)], np.float64)
    after_first: NDArray[np.float64] = time_s - time_s.min()
    return after_first


def frame_fire_times(
    file: Path, rows: list[Row], *, n_lasers: int, n_frames: int
) -> NDArray[np.float64]:
    """Return the lasers' firing times for each kind of frame, float64 (n_frames, n_lasers) [s].

    With ``n_frames`` of 2, row 0 is for even frames and row 1 for odd ones; with 1, row 0 is for
    all frames. In each row, times count from the first laser that fires. Lasers are in the order of
    their channels. ``rows`` are the lines of the file.

    Raises
    ------
    ConfigurationError
        As for ``fire_times``, and if the file does not have this number of kinds of frames.
    """
    if n_frames == 1 or not rows:
        return fire_times(file, rows, n_lasers=n_lasers)[np.newaxis]
    if _layout(rows) != "frames":
        raise ConfigurationError(
            f"{file}: line {rows[0][0]}: got {','.join(rows[0][1])!r:.60}, expected Channel, "
            "Even_fire time(ns), Odd_fire time(ns)"
        )
    scale = _scale(rows[0][1][1])
    return np.stack(
        [
            _by_laser(file, _column(file, rows[1:], 1 + odd, scale, n_lasers=n_lasers), n_lasers)
            for odd in range(n_frames)
        ]
    )


def _entries(file: Path, rows: list[Row], *, n_lasers: int) -> list[tuple[int, int, float]]:
    """Return line, channel and time [s] of each entry."""
    layout = _layout(rows)
    if layout == "plain":
        return _column(file, rows[1:], 1, _scale(rows[0][1][1]), n_lasers=n_lasers)
    if layout == "operational state":
        return _column(file, rows[2:], _standard(file, rows[0]), 1e-6, n_lasers=n_lasers)
    if layout == "operation mode":
        return _column(file, rows[3:], _standard(file, rows[1]), 1e-9, n_lasers=n_lasers)
    if layout == "loops":
        return _loops(file, rows[3:], n_lasers=n_lasers)
    raise ConfigurationError(
        f"{file}: line {rows[0][0]}: got {','.join(rows[0][1])!r:.60}, expected the header of a "
        "Hesai firetime correction file of a sensor whose head turns"
    )


def is_fire_times(rows: list[Row]) -> bool:
    """Return whether a CSV file is a firetime correction file.

    ``rows`` has the lines of the file, each as (line number, cells).
    """
    return _layout(rows) is not None


def times_not_read(file: Path, rows: list[Row]) -> tuple[NotFollowed, ...]:
    """Return descriptions of a firetime correction file's ignored columns.

    These are the times of all operating states but the standard one, and further columns of the
    standard state. ``file`` is the path, for error messages; ``rows`` has the lines of the file,
    each as (line number, cells).

    Raises
    ------
    ConfigurationError
        If the file has columns for operating states, but none for the standard state (2).
    """
    head = {"operational state": 0, "operation mode": 1}.get(_layout(rows) or "")
    unfollowed = Unfollowed()
    if head is not None:
        line, cells = rows[head]
        used = _standard(file, rows[head])
        for column, state in enumerate(cells):
            if column not in (0, used):
                what = "another column of the state used" if state == cells[used] else ""
                unfollowed.add(what or f"times of state {state:.10}", f"line {line}")
    return unfollowed.kinds


def _layout(rows: list[Row]) -> str | None:
    head = [cell.lower() for cell in rows[0][1]]
    if head[0] == "channel" and len(head) == 2 and "time" in head[1]:
        return "plain"
    if head[0] == "channel" and len(head) == 3 and all("fire" in word for word in head[1:]):
        return "frames"
    if head[0] == "operational state":
        return head[0]
    if len(rows) > 2 and rows[1][1][0].lower() == "operation mode":
        return "operation mode"
    if len(rows) > 2 and [cell.lower() for cell in rows[2][1][:2]] == ["loop1", "firetime1"]:
        return "loops"
    return None


def _scale(head: str) -> float:
    """Return the unit of a column in seconds, from its heading."""
    unit = _UNIT.search(head)
    return 1e-9 if unit and unit[0].lower() == "ns" else 1e-6


def _standard(file: Path, row: Row) -> int:
    """Return the first column of the standard mode."""
    line, cells = row
    if _STANDARD_MODE not in cells[1:]:
        raise ConfigurationError(
            f"{file}: line {line}: has no mode 2 (standard), expected a column for it"
        )
    return cells.index(_STANDARD_MODE, 1)


def _column(
    file: Path, rows: list[Row], column: int, scale: float, *, n_lasers: int
) -> list[tuple[int, int, float]]:
    return [
        (
            line,
            channel(file, line, cells, 0, most=n_lasers),
            scale * number(file, line, cells, column, "fire time"),
        )
        for line, cells in rows
    ]


def _loops(file: Path, rows: list[Row], *, n_lasers: int) -> list[tuple[int, int, float]]:
    """Return the entries of the first loop, and of the second loop for lasers not in the first."""
    loops = []
    for column in (0, 2):
        filled = [row for row in rows if row[1][column : column + 1] != ["0"]]
        loops.append(
            [
                (
                    line,
                    channel(file, line, cells, column, most=n_lasers),
                    1e-6 * number(file, line, cells, column + 1, "fire time"),
                )
                for line, cells in filled
            ]
        )
    first = {laser for _, laser, _ in loops[0]}
    return [*loops[0], *(entry for entry in loops[1] if entry[1] not in first)]
