# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Clouds from the packets of Hesai sensors: Pandar40P, Pandar64, QT64, QT128, XT16, XT32, XT32M.

A packet has a header, blocks, and a tail. A block holds the azimuth of the head [0.01 deg] and, for
each laser, distance (in a unit that the header states, such as 4 mm) and intensity. QT and XT
sensors have an additional spare byte per laser. Blocks of the same azimuth hold the returns of one
firing. Sources: user manuals of these sensors, "Point cloud data packet"; Nebula's decoder,
hesai_packet.hpp, has the same layouts. ``osi_lidar.sensors.calibration.hesai`` describes the frame.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_gap.reading.columns import number_echoes, with_columns
from lidar_gap.records import ScanCloud
from osi_lidar.errors import ConfigurationError, InputError
from osi_lidar.sensors.calibration.reading import read_calibration
from osi_lidar.sensors.calibration.record import Calibration

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_gap.reading.packets import Packets

_START, _START_40P = b"\xee\xff", b"\xff\xee"
_UNIT_40P_MM = 4
_COUNTS_PER_DEG = 100.0
_LEAST_SHARE = 0.5  # a smaller part of a turn is the beginning or end of a recording


class _Layout(NamedTuple):
    """Layout of a packet: start, number and type of blocks, number of lasers, unit of ranges."""

    start: int
    n_block: int
    n_laser: int
    block: np.dtype[np.void]
    unit_m: float


def is_hesai(payload: bytes) -> bool:
    """Return whether a packet is one that `hesai_clouds` decodes.

    ``payload`` is the content of the UDP packet, as bytes.
    """
    return _layout(payload) is not None


def hesai_name(payload: bytes) -> str:
    """Return a description of a packet, such as "Hesai, 32 lasers"; empty if it is not Hesai's.

    ``payload`` is the content of the UDP packet, as bytes. The description is also empty for
    packets of Hesai that `hesai_clouds` cannot decode.
    """
    layout = _layout(payload)
    return "" if layout is None else f"Hesai, {layout.n_laser} lasers"


def hesai_clouds(path: Path, packets: Packets, calibration: Path | None) -> list[ScanCloud]:
    """Decode packets into one cloud per turn; turns begin at the azimuth of the first packet.

    Parameters
    ----------
    path : Path
        The recording, for messages and names.
    packets : Packets
        Packets of one sensor.
    calibration : Path or None
        Angle correction file (CSV) of the sensor. None reads the CSV file beside the recording; it
        must be the only one.

    Raises
    ------
    InputError
        If no packet is one of a Hesai sensor that can be decoded, or if the angle correction is
        missing or belongs to another sensor.

    Notes
    -----
    All points of a firing get the same time, from a straight line through the arrival times of the
    packets. The few microseconds between the lasers of a firing are neglected. If less than half of
    the first or last turn was recorded, this turn is left out.
    """
    layout = next((found for each in packets.payload if (found := _layout(each))), None)
    if layout is None:
        raise InputError(f"{path}: has no packet of a Hesai sensor that can be decoded")
    size = layout.start + layout.n_block * layout.block.itemsize
    chosen = [i for i, each in enumerate(packets.payload) if _layout(each) == layout]
    raw = b"".join(packets.payload[i][layout.start : size] for i in chosen)
    blocks = np.frombuffer(raw, layout.block)
    stamp_s = np.repeat(packets.stamp_s[chosen], layout.n_block)
    lasers = _lasers(path, calibration, layout.n_laser)
    return list(_turns(path, blocks, stamp_s, (layout, lasers)))


def _turns(
    path: Path,
    blocks: NDArray[np.void],
    stamp_s: NDArray[np.float64],
    sensor: tuple[_Layout, Calibration],
) -> Iterator[ScanCloud]:
    """Yield the cloud of each turn."""
    azimuth_deg = blocks["azimuth"] / _COUNTS_PER_DEG
    along_deg = np.unwrap(azimuth_deg, period=360.0)
    turn = np.floor((along_deg - along_deg[0]) / 360.0 + 1e-9).astype(int)
    whole = []
    for number in range(int(turn.max()) + 1):
        rows = np.flatnonzero(turn == number)
        if rows.size and np.ptp(along_deg[rows]) >= 360.0 * _LEAST_SHARE:
            whole.append(rows)
    for number, rows in enumerate(whole):
        firing = np.cumsum(np.diff(azimuth_deg[rows], prepend=azimuth_deg[rows[0]]) != 0.0)
        rate = np.polyfit(along_deg[rows] - along_deg[rows[0]], stamp_s[rows] - stamp_s[rows[0]], 1)
        time_s = rate[0] * (along_deg[rows] - along_deg[rows[0]])
        name = f"{path.stem}-{number:06d}"
        yield _cloud(name, blocks[rows], (firing, time_s), sensor)


def _cloud(
    name: str,
    blocks: NDArray[np.void],
    firings: tuple[NDArray[np.int64], NDArray[np.float64]],
    sensor: tuple[_Layout, Calibration],
) -> ScanCloud:
    """Return the points of a turn's blocks as a cloud; the module names the frame."""
    layout, lasers = sensor
    block, laser = np.nonzero(blocks["echo"]["distance"])
    firing = firings[0][block]
    range_m = blocks["echo"]["distance"][block, laser] * layout.unit_m
    kept, echo, n_echoes = number_echoes(firing * layout.n_laser + laser, range_m)
    heading = -np.radians(blocks["azimuth"][block] / _COUNTS_PER_DEG)
    azimuth = heading + lasers.azimuth_offset_rad[laser]
    elevation = lasers.elevation_rad[laser]
    across = range_m * np.cos(elevation)
    points = (across * np.cos(azimuth), across * np.sin(azimuth), range_m * np.sin(elevation))
    cloud = ScanCloud(
        name=name,
        points_m=np.stack(points, axis=1),
        range_m=range_m,
        states_range=True,
        intensity=blocks["echo"]["intensity"][block, laser].astype(np.float32),
        ring=(laser + 1).astype(np.int32),
        column=firing.astype(np.int32),
        azimuth_deg=np.degrees((heading + math.pi) % (2.0 * math.pi) - math.pi),
        time_s=firings[1][block],
    )
    return with_columns(cloud, echo=echo, n_echoes=n_echoes).rows(kept)


def _layout(payload: bytes) -> _Layout | None:
    """Return the layout of a packet; None for packets that this module does not decode."""
    if payload.startswith(_START_40P):
        found = _Layout(0, 10, 40, _block(40, 3, marked=True), _UNIT_40P_MM / 1000.0)
    elif not payload.startswith(_START) or len(payload) < 12:
        return None
    elif (payload[2], payload[3]) == (64, 6):  # Pandar64: a header of 8 bytes
        found = _Layout(8, 6, 64, _block(64, 3), payload[5] / 1000.0)
    else:  # the QT and XT families: bytes 2 and 3 are the version of the protocol
        n_laser, n_block, unit_mm = payload[6], payload[7], payload[9]
        if payload[2] == 1 or n_laser not in (16, 32, 64, 128) or not 1 <= n_block <= 8:
            return None
        found = _Layout(12, n_block, n_laser, _block(n_laser, 4), unit_mm / 1000.0)
    fits = len(payload) >= found.start + found.n_block * found.block.itemsize
    return found if fits and found.unit_m > 0.0 else None


def _block(n_laser: int, n_byte: int, *, marked: bool = False) -> np.dtype[np.void]:
    """Return the type of a block with `n_byte` bytes for each of its lasers."""
    echo = [("distance", "<u2"), ("intensity", "u1"), ("spare", "u1")][: n_byte - 1]
    mark = [("mark", "<u2")] if marked else []
    return np.dtype([*mark, ("azimuth", "<u2"), ("echo", echo, (n_laser,))])


def _lasers(path: Path, file: Path | None, n_laser: int) -> Calibration:
    """Return the angles of the lasers, from a file or the only CSV file beside the recording."""
    folder = path if path.is_dir() else path.parent
    tables = sorted(folder.glob("*.csv")) if file is None else [file]
    if len(tables) != 1:
        raise InputError(
            f"{path}: the angles of a Hesai sensor are not in its packets: give its angle "
            "correction file (CSV) by --metadata, or put one beside the recording, which has "
            f"{len(tables)}"
        )
    try:
        lasers = read_calibration(tables[0])
    except ConfigurationError as error:
        raise InputError(str(error)) from error
    if not isinstance(lasers, Calibration) or lasers.n_lasers != n_laser:
        got = f"{lasers.n_lasers} lasers" if isinstance(lasers, Calibration) else "another kind"
        raise InputError(
            f"{tables[0]}: got {got}, expected {n_laser} lasers as in the packets of {path}"
        )
    return lasers
