# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Export as Ouster data: packets in a capture (pcap) with metadata (JSON), and OSF.

Fields of a pixel follow the sensor documentation: range [mm] of the nearest echo and, if the packet
profile has it, of the second echo; reflectivity, signal and near-infrared light as in `Reports`.
The near-infrared light belongs to the nearest echo; it is 0 if the run has no such field.
"""

from __future__ import annotations

import errno
import logging
import os
import shutil
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_app.exports.export_run import Export, failures_as_os_error, library, only_sensor
from lidar_app.exports.ouster_metadata import metadata_of
from lidar_app.exports.scan_points import begin_ns, echo_numbers, has, preset_of, xyz_m
from osi_lidar.clouds.cloud import NEAR_IR
from osi_lidar.errors import InputError
from osi_lidar.sensors.presets import load_preset

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType

    from numpy.typing import NDArray
    from ouster.sdk.core import LidarFrame, SensorInfo

    from lidar_app.exports.ouster_metadata import OusterMetadata
    from osi_lidar.output.accumulation import Rows
    from osi_lidar.output.stored import StoredScan
    from osi_lidar.sensors.presets import SensorPreset

logger = logging.getLogger(__name__)

FARTHEST_OFF_M = 0.02
"""Greatest median distance between points of the run and the same points in the export. [m]

ouster-sdk computes the points of the export from ranges and metadata. Above this limit, the
metadata do not fit the run, and the export fails.
"""
_LARGEST_SIGNAL = 0xFFFF
_LARGEST_LIGHT_IN_STEPS = 0xFF * 16  # largest value in 8 bits
_LARGEST_RANGE = 0xFFFFFFFF
_MAKER = "OS1-128"  # its reports apply to a unit that was scanned without a preset
_RETURNS = (("RANGE", "REFLECTIVITY", "SIGNAL"), ("RANGE2", "REFLECTIVITY2", "SIGNAL2"))
_FRAME_IDS = 1 << 16
_FRAMES_FREE = 4  # free disk space in frames: OSF's writer holds a chunk back


def write_ouster(export: Export) -> None:
    """Write a sensor's scans as SENSOR.pcap (packets), SENSOR.json (metadata) and SENSOR.osf.

    Parameters
    ----------
    export : Export
        The run, and the folder to write.

    Raises
    ------
    InputError
        If the run has several sensors, its sensor is not made by Ouster, or positions of points do
        not fit the metadata.
    OutputError
        If ouster-sdk is not installed.
    """
    core, osf = library("ouster.sdk.core", "ouster"), library("ouster.sdk.osf", "ouster")
    pcap = library("ouster.sdk.pcap", "ouster")
    sensor = only_sensor(export.run, "a capture")
    first = next(iter(export.run.scans)).points()
    metadata = metadata_of(export.run, sensor, several=has(first, "n_echoes"))
    info = _info(core, sensor.name, metadata)
    export.path.mkdir()
    (export.path / f"{sensor.name}.json").write_text(metadata.text, encoding="utf-8")
    encoder = core.PacketFormat.from_info(info)

    def packets() -> Iterator[Any]:
        for number, frame in enumerate(_frames(core, info, metadata, export)):
            frame.frame_id = number % _FRAME_IDS
            _check_room(export.path, frame)
            writer.save(0, frame)
            for packet in core.frame_to_packets(frame, encoder, info.init_id, int(info.sn or 0)):
                if encoder.packet_header(core.ColHeader.STATUS, packet.buf).any():
                    yield packet  # a sensor sends no packet outside of its column window

    path = export.path / f"{sensor.name}.osf"
    with failures_as_os_error(RuntimeError), closing(osf.Writer(str(path), [info])) as writer:
        pcap.record(packets(), str(export.path / f"{sensor.name}.pcap"))


def _check_room(folder: Path, frame: LidarFrame) -> None:
    """Raise OSError if disk space is low, as OSF's writer ends the process on a full disk."""
    n_bytes = sum(frame.field(name).nbytes for name in frame.fields)
    if shutil.disk_usage(folder).free < _FRAMES_FREE * n_bytes:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _info(core: ModuleType, sensor: str, metadata: OusterMetadata) -> SensorInfo:
    """Parse the metadata with ouster-sdk; raise InputError if ouster-sdk refuses it."""
    try:
        info: SensorInfo = core.SensorInfo(metadata.text)
    except (RuntimeError, ValueError) as error:
        words = " ".join(str(error).split())
        raise InputError(
            f"sensor {sensor}: ouster-sdk cannot read its metadata: {words}"
        ) from error
    return info


def _frames(
    core: ModuleType, info: SensorInfo, metadata: OusterMetadata, export: Export
) -> Iterator[LidarFrame]:
    """Yield a frame of the sensor for each scan."""
    table, is_checked, n_left_out = core.XYZLut(info, use_extrinsics=False), False, 0
    preset = preset_of(export.run.sensors[0]) or load_preset(_MAKER)
    for scan in export.scans:
        points = scan.points()
        frame = core.LidarFrame(info)
        _stamp(frame, scan, points, metadata)
        n_left_out += _fill(frame, points, metadata, preset)
        if has(points, NEAR_IR) and frame.has_field("NEAR_IR"):
            _light(frame, points, metadata, preset)
        if len(points) and not is_checked:
            _check(scan, points, metadata, table(frame.field("RANGE")))
            is_checked = True
        yield frame
    if n_left_out:
        logger.warning("echoes left out, as packets have no room for them: %d", n_left_out)


def _stamp(
    frame: LidarFrame, scan: StoredScan, points: NDArray[Any], metadata: OusterMetadata
) -> None:
    """Set the times of all columns and packets, and the status of all columns."""
    first, last = frame.sensor_info.format.column_window
    column = np.arange(frame.w)
    within = (column - first) % frame.w <= (last - first) % frame.w
    begin = scan.row.begin_ns if has(points, "time_ns") else scan.row.end_ns
    share = np.maximum(column - metadata.first_column, 0) / frame.w
    stamps_ns = begin + np.rint(share * (scan.row.end_ns - begin)).astype(np.int64)
    stamps_ns = np.maximum(stamps_ns, begin_ns(scan, points))
    frame.timestamp[:] = stamps_ns
    frame.measurement_id[:] = column
    frame.status[:] = within
    per_packet = np.array_split(stamps_ns, frame.packet_count)
    frame.packet_timestamp[:] = [max(int(each.max()), 1) for each in per_packet]


def _fill(
    frame: LidarFrame, points: NDArray[Any], metadata: OusterMetadata, preset: SensorPreset
) -> int:
    """Set the fields of pixels with points; return the number of points that do not fit in."""
    number, _ = echo_numbers(points)
    column = points["column"] + metadata.first_column
    if len(points) and (points["ring"].max() >= len(metadata.row) or column.max() >= frame.w):
        raise InputError(
            f"ring {points['ring'].max()}, column {column.max()}: is not in the metadata of the "
            "sensor; has the metadata file changed since the run?"
        )
    row = metadata.row[points["ring"]]
    photons = preset.reports.photons(points["reflectivity"], points["range"], preset.near_field)
    signal = metadata.signal * photons
    fields = {
        "RANGE": np.clip(np.rint(1e3 * points["range"].astype(np.float64)), 0, _LARGEST_RANGE),
        "REFLECTIVITY": np.rint(preset.reports.byte(points["reflectivity"])),
        "SIGNAL": np.clip(np.rint(signal), 0, _LARGEST_SIGNAL),
    }
    n_filled = 0
    for echo, names in enumerate(_RETURNS):
        if not frame.has_field(names[0]):
            continue
        chosen = number == echo
        n_filled += int(chosen.sum())
        for name in names:
            if frame.has_field(name):
                frame.field(name)[row[chosen], column[chosen]] = fields[name.rstrip("2")][chosen]
    return len(points) - n_filled


def _light(frame: LidarFrame, points: Rows, metadata: OusterMetadata, preset: SensorPreset) -> None:
    """Set the ambient light of pixels with points, from their nearest echoes."""
    number, _ = echo_numbers(points)
    nearest = points[number == 0]
    counts = preset.reports.ambient_counts(nearest[NEAR_IR], metadata.wavelength_nm)
    in_steps = "NIR8" in str(frame.sensor_info.format.udp_profile_lidar)
    most = _LARGEST_LIGHT_IN_STEPS if in_steps else _LARGEST_SIGNAL
    row, column = metadata.row[nearest["ring"]], nearest["column"] + metadata.first_column
    frame.field("NEAR_IR")[row, column] = np.clip(np.rint(counts), 0, most)


def _check(
    scan: StoredScan,
    points: NDArray[Any],
    metadata: OusterMetadata,
    placed_m: NDArray[np.float64],
) -> None:
    """Check that ouster-sdk computes the positions of nearest echoes as in the run."""
    number, _ = echo_numbers(points)
    nearest = points[number == 0]
    found = placed_m[metadata.row[nearest["ring"]], nearest["column"] + metadata.first_column]
    off_m = float(np.median(np.linalg.norm(found - xyz_m(nearest), axis=1)))
    if off_m > FARTHEST_OFF_M:
        raise InputError(
            f"{scan.path}: points are {off_m:.2f} m (median) from the positions that the sensor's "
            "metadata gives; has the metadata file changed since the run?"
        )
