# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Clouds from the packets of Velodyne sensors, by the library velodyne-decoder."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_gap.reading.columns import number_echoes, with_columns
from lidar_gap.reading.packets import NO_DECODER
from lidar_gap.reading.tables import damage_as_input_error
from lidar_gap.records import ScanCloud
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from numpy.typing import NDArray

    from lidar_gap.reading.packets import Packets

PACKET_BYTES = 1206
# the last byte of a packet (Velodyne, user manuals, "Data packet structure: Product ID")
_MODELS = {
    0x21: "HDL-32E",
    0x22: "VLP-16",
    0x24: "Puck LITE",
    0x25: "Puck Hi-Res",
    0x28: "VLP-32C",
    0x31: "Velarray",
    0xA1: "VLS-128",
}
_FARTHEST_M = 500.0  # the library's default, 200 m, would drop points of an Alpha Prime
_LEAST_SHARE = 0.5  # a smaller part of a turn is the end of a recording
_INTENSITY, _TIME, _COLUMN, _RING = 3, 4, 5, 6  # x, y and z are before them


def velodyne_name(payload: bytes) -> str:
    """Return a description of a packet, such as "Velodyne VLP-16".

    ``payload`` is the content of the UDP packet, as bytes. The description is empty if the packet
    does not have the size of Velodyne packets, `PACKET_BYTES`.
    """
    if len(payload) != PACKET_BYTES:
        return ""
    return f"Velodyne {_MODELS.get(payload[-1], 'of an unknown model')}"


def velodyne_clouds(path: Path, packets: Packets, calibration: Path | None) -> list[ScanCloud]:
    """Decode packets into one cloud per turn; turns begin at the azimuth of the first packet.

    Parameters
    ----------
    path : Path
        The recording, for messages and names.
    packets : Packets
        Packets of one sensor.
    calibration : Path or None
        Calibration file of the unit (YAML of the ROS driver); None for the model's nominal angles.

    Raises
    ------
    InputError
        If the library is not installed, or the packets or the calibration cannot be used.

    Notes
    -----
    In dual return mode, a beam with a single echo has this echo in both blocks of a packet; the
    cloud contains it once. Rings are numbered from the lowest laser. Parts of a recording of less
    than half a turn are left out; if there are only such parts, all points form one cloud.
    """
    velodyne_decoder = _library(path)
    config = velodyne_decoder.Config(min_range=0.0, max_range=_FARTHEST_M)
    if calibration is not None:
        with damage_as_input_error(calibration, "a Velodyne calibration"):
            config.calibration = velodyne_decoder.Calibration.read(str(calibration))
    parts: list[NDArray[np.float64]] = []
    with damage_as_input_error(path, "a recording of a Velodyne sensor"):
        decoder = velodyne_decoder.StreamDecoder(config)
        for stamp_s, payload in zip(packets.stamp_s, packets.payload, strict=True):
            if len(payload) == PACKET_BYTES:
                _keep(parts, decoder.decode(float(stamp_s), np.frombuffer(payload, np.uint8)))
        _keep(parts, decoder.finish())
    if not parts:
        raise InputError(f"{path}: has no packet of a Velodyne sensor with a return")
    return [
        _cloud(f"{path.stem}-{number:06d}", turn)
        for number, turn in enumerate(_turns(np.concatenate(parts)))
    ]


def _library(path: Path) -> ModuleType:
    try:
        return import_module("velodyne_decoder")
    except ImportError as error:
        raise InputError(f"{path}: {NO_DECODER}") from error


def _keep(parts: list[NDArray[np.float64]], decoded: Any) -> None:  # noqa: ANN401
    """Append rows that the decoder has finished; columns continue, times become absolute."""
    if decoded is None or not len(decoded[1]):
        return
    rows = decoded[1].astype(np.float64)
    rows[:, _COLUMN] += parts[-1][:, _COLUMN].max() + 1 if parts else 0
    rows[:, _TIME] += decoded[0].host
    parts.append(rows)


def _turns(rows: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return the rows of each turn, cut at the exact heading.

    Parts of less than half a turn are left out; if there are no others, all rows make one turn.

    The library cuts turns only between packets, some firings too early or late. Headings come from
    the laser with the most returns, interpolated between these returns.
    """
    ring = rows[:, _RING].astype(np.intp)
    own = rows[ring == np.bincount(ring).argmax()]
    along = np.unwrap(np.arctan2(own[:, 1], own[:, 0]))
    heading = np.interp(rows[:, _COLUMN], own[:, _COLUMN], along)
    turn = np.floor(np.abs(heading - along[0]) / (2.0 * np.pi) + 1e-9).astype(np.intp)
    return [
        rows[turn == each]
        for each in range(int(turn.max()) + 1)
        if np.ptp(heading[turn == each]) >= _LEAST_SHARE * 2.0 * np.pi
    ] or [rows]


def _cloud(name: str, rows: NDArray[np.float64]) -> ScanCloud:
    """Return the points of a turn as a cloud.

    The first block of a dual return holds the last return, the second the strongest.
    """
    points = rows[:, :3].astype(np.float64)
    range_m = np.sqrt((points**2).sum(axis=1))
    ring = rows[:, _RING].astype(np.int32)
    column = (rows[:, _COLUMN] - rows[:, _COLUMN].min()).astype(np.int32)
    beam = column.astype(np.int64) * (int(ring.max()) + 1) + ring
    kept, echo, n_echoes = number_echoes(beam, np.round(range_m, 3))
    cloud = ScanCloud(
        name=name,
        points_m=points,
        range_m=range_m,
        intensity=rows[:, _INTENSITY].astype(np.float32),
        ring=ring,
        column=column,
        time_s=rows[:, _TIME] - rows[:, _TIME].min(),
    )
    return with_columns(cloud, echo=echo, n_echoes=n_echoes).rows(kept & (range_m > 0.0))
