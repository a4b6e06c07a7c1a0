# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""All points of a run as one Parquet table, with a row group for each scan."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_app.exports.labels import Labelling
from lidar_app.exports.scan_points import after_ns, begin_ns, has
from lidar_scenery.classes import NAMES
from osi_lidar.clouds.cloud import FIELD_UNITS
from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.output.parquet_file import Labels, ParquetFile, TableColumn
from osi_lidar.output.point_classes import is_object
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from lidar_app.exports.export_run import Export
    from osi_lidar.output.accumulation import Rows
    from osi_lidar.output.stored import StoredScan

_FIRST = (
    TableColumn("frame", "uint32"),
    TableColumn("sensor", "label"),
    TableColumn("timestamp_ns", "int64", "ns"),
)


def write_parquet(export: Export) -> None:
    """Write the points of all scans as one Parquet table.

    Columns are frame, sensor, timestamp_ns, the fields of the clouds (null if a sensor lacks a
    field), and class. object_id is null if the surface is not an OSI object. material, origin and
    class are names.

    Parameters
    ----------
    export : Export
        The run, and the file to write.

    Raises
    ------
    InputError
        If a cloud cannot be read.
    OutputError
        If pyarrow is not installed.
    """
    first = {scan.row.sensor: scan for scan in export.run.scans}
    kinds = [scan.points().dtype for scan in first.values()]
    fields = {name: kind[name] for kind in kinds for name in kind.names or ()}
    words = {"version": __version__, "frame": "sensor: x forward, y left, z up"}
    of_fields = (_column(name, kind) for name, kind in fields.items())
    columns = [*_FIRST, *of_fields, TableColumn("class", "label")]
    labelling = Labelling(export.run)
    with closing(ParquetFile(export.path, columns, words)) as file:
        for scan in export.scans:
            points = scan.points()
            values = {
                _column(name, fields[name]).name: _values(name, points, export) for name in fields
            }
            file.write({**_stamps(scan, points), **values, "class": _classes(labelling, points)})


def _classes(labelling: Labelling, points: Rows) -> Labels:
    """Return the names of the classes of points."""
    found, row = np.unique(labelling.classes(points), return_inverse=True)
    return Labels([NAMES[each] for each in found.tolist()], row)


def _column(name: str, kind: np.dtype[Any]) -> TableColumn:
    """Return the column of a field of the clouds."""
    if name == "material_id":
        return TableColumn("material", "label")
    if name == "origin":
        return TableColumn(name, "label")
    type_name = "uint64" if name == "object_id" else kind.name
    return TableColumn(name, type_name, FIELD_UNITS.get(name, ""))


def _stamps(scan: StoredScan, points: Rows) -> dict[str, Rows | Labels]:
    """Return the columns frame, sensor and timestamp_ns, which are no fields of a cloud."""
    return {
        "frame": np.full(len(points), scan.row.frame, np.uint32),
        "sensor": Labels([scan.row.sensor], np.zeros(len(points), np.int32)),
        "timestamp_ns": begin_ns(scan, points) + after_ns(scan, points).astype(np.int64),
    }


def _values(name: str, points: Rows, export: Export) -> Rows | Labels | None:
    """Return the values of a field; None if the points lack the field."""
    if not has(points, name):
        return None
    if name == "object_id":
        return np.ma.masked_array(points[name].astype(np.uint64), ~is_object(points))
    if name == "origin":
        return Labels(ORIGINS, points[name])
    if name == "material_id":
        found, row = np.unique(points[name], return_inverse=True)
        known = dict(enumerate(export.run.materials))
        names = [known.get(each, "") for each in found.tolist()]  # false alarms have no material
        return Labels(names, row)
    return points[name]
