# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""LAZ files (LAS 1.4, point format 6): one per cloud, or one with all clouds in the world."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lidar_app.exports.export_run import Export, failures_as_os_error, library
from lidar_app.exports.labels import LAS_NAMES, Labelling
from lidar_app.exports.scan_points import (
    VELOCITY,
    after_ns,
    begin_ns,
    echo_numbers,
    end_pose,
    has,
    scans_in_world,
    xyz_m,
)
from osi_lidar.clouds.cloud import NEAR_IR
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from laspy import ScaleAwarePointRecord
    from numpy.typing import NDArray

    from osi_lidar.output.accumulation import Rows
    from osi_lidar.output.stored import StoredScan

_MOST_INTENSITY = 2**16 - 1
STEP_M = 1e-3
"""Resolution of coordinates. [m]"""
MOST_RETURNS = 15
"""Largest number of a return, which is stored in four bits."""
EXTRA = {
    "object_id": "OSI id, largest value = none",
    "material_id": "row in the list of materials",
    "reflectivity": "1 = white, matt, perpendicular",
    "ring": "row of the beam, 0 = top",
    "column": "column of the beam, 0 = first",
    "range": "distance along the beam [m]",
    "snr": "signal over rms of the noise",
    "width_m": "width of the echo [m]",
    "origin": "0 surface 1 ghost 2 noise 3+ air",
    VELOCITY: "towards the sensor [m/s]",
    NEAR_IR: "ambient light [W/(m2 sr nm)]",
    "frame": "number of the OSI message",
}
"""Fields that are stored as extra bytes, and their descriptions (at most 32 bytes each)."""
RECORD = ("osi-lidar", 1)
"""User id and record id of the JSON record with the names of materials and sensors."""


def write_laz(export: Export, *, accumulate: bool = False) -> None:
    """Write a LAZ file for each cloud of a run, or one file with all clouds.

    Parameters
    ----------
    export : Export
        The run, and the path to write: a folder with a subfolder for each sensor, or a file.
    accumulate : bool
        Whether to write one file with all clouds in the world. Each point is then placed by the
        pose of the sensor at the time of its beam. If False, each point is in the sensor frame at
        the time of its beam.

    Raises
    ------
    InputError
        If a cloud cannot be read, or, with `accumulate`, frames.csv has no poses.
    OutputError
        If laspy or lazrs is not installed.
    """
    labelling = Labelling(export.run)
    if accumulate:
        _write_world(export, labelling)
        return
    for scan in export.scans:
        points, row = scan.points(), scan.row
        pose = None if row.end_pose is None else row.end_pose.tolist()
        about = {"sensor": row.sensor, "frame": row.frame, "world_from_sensor_at_end": pose}
        path = export.path / row.sensor / f"{scan.path.stem}.laz"
        path.parent.mkdir(parents=True, exist_ok=True)
        fields = [(name, points.dtype[name]) for name in EXTRA if has(points, name)]
        about["materials"] = list(export.run.materials)
        head = _Head(fields=fields, offset_m=np.zeros(3), about=about, labelling=labelling)
        _write(path, [(scan, points)], head)


def _write_world(export: Export, labelling: Labelling) -> None:
    """Write one file with all clouds in the world."""
    sensors = {each.name: number for number, each in enumerate(export.run.sensors)}
    first = {scan.row.sensor: scan for scan in reversed(list(export.run.scans))}
    kinds = [points.dtype for _, points in scans_in_world(export.run, first.values())]
    shared = [name for name in EXTRA if all(name in (kind.names or ()) for kind in kinds)]
    fields = [(name, kinds[0][name]) for name in shared] + [("frame", np.dtype("<u4"))]
    about = {"sensors": list(sensors), "materials": list(export.run.materials)}
    offset_m = np.floor(end_pose(next(iter(first.values())))[:3, 3])
    clouds = scans_in_world(export.run, export.scans)
    head = _Head(fields=fields, offset_m=offset_m, about=about, labelling=labelling)
    _write(export.path, clouds, head)


class _Head(NamedTuple):
    """Header values of a file: extra fields, origin of coordinates [m], names, labelling."""

    fields: Sequence[tuple[str, np.dtype[Any]]]
    offset_m: NDArray[np.float64]
    about: Mapping[str, Any]
    labelling: Labelling


def _write(path: Path, clouds: Iterable[tuple[StoredScan, Rows]], head: _Head) -> None:
    """Write clouds into one file, cloud by cloud."""
    laspy, lazrs = library("laspy", "laz"), library("lazrs", "laz")
    header = laspy.LasHeader(version="1.4", point_format=6)
    header.scales, header.offsets = np.full(3, STEP_M), head.offset_m
    header.global_encoding.wkt = True  # as LAS 1.4 asks of this point format
    header.generating_software = "osi-lidar"
    header.add_extra_dims(
        [laspy.ExtraBytesParams(name, kind, description=EXTRA[name]) for name, kind in head.fields]
    )
    sensors = list(head.about.get("sensors", ()))
    text = json.dumps({**head.about, "classes": LAS_NAMES}).encode()
    named = laspy.VLR(*RECORD, description="materials and sensors", record_data=text)
    with (
        failures_as_os_error(lazrs.LazrsError, laspy.errors.LaspyException),
        path.open("w+b") as stream,
        laspy.open(stream, mode="w", header=header, do_compress=True, closefd=False) as file,
    ):
        for scan, points in clouds:
            rows = laspy.ScaleAwarePointRecord.zeros(len(points), header=header)
            _fill(rows, scan, points)
            rows.classification = head.labelling.las_classes(points)
            if sensors:
                rows["point_source_id"] = np.full(len(points), sensors.index(scan.row.sensor))
            file.write_points(rows)
        file.write_evlrs(laspy.vlrs.vlrlist.VLRList([named]))


def _fill(rows: ScaleAwarePointRecord, scan: StoredScan, points: Rows) -> None:
    """Fill the LAS rows with the points of a scan."""
    number, count = echo_numbers(points)
    try:
        rows.x, rows.y, rows.z = xyz_m(points).T.astype(np.float64)
    except OverflowError as error:
        farthest_km = STEP_M * np.iinfo(np.int32).max / 1e3
        raise InputError(
            f"{scan.path}: has points over {farthest_km:.0f} km from the origin, which LAZ cannot "
            "hold"
        ) from error
    intensity = np.rint(655.35 * points["intensity"].astype(np.float64))
    rows.intensity = np.clip(np.nan_to_num(intensity), 0, _MOST_INTENSITY)
    rows.return_number = np.minimum(number, MOST_RETURNS - 1) + 1
    rows.number_of_returns = np.minimum(count, MOST_RETURNS)
    rows.gps_time = 1e-9 * (begin_ns(scan, points) + after_ns(scan, points).astype(np.int64))
    for name in rows.point_format.extra_dimension_names:
        is_frame = name == "frame"
        rows[name] = np.full(len(points), scan.row.frame) if is_frame else points[name]
