# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of the findings of a check on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from lidar_app.show.tables import enumeration, fallback_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lidar_app.show.check import EnvironmentFinding, Findings, MaterialFinding, TraceFinding
    from osi_lidar.config import Sensor
    from osi_lidar.world.placed import ObjectInScene
    from raycore.pattern.scan_pattern import ScanPattern

NO_WRAP = 30  # characters: keeps built-in names unbroken; names of spectra would fill the table
ALL = 10_000  # names: users write a mapping table from this list


def check_tables(findings: Findings) -> Iterator[Table]:
    """Yield a table for each part of the findings that was looked at and is not empty."""
    if findings.sensors:
        yield _sensors(findings.sensors)
    if findings.warnings:
        yield _lines("Warnings", "Doubt", findings.warnings)
    if findings.has_trace:
        yield _trace(findings.trace)
        yield _objects(findings.objects)
    if findings.environment is not None:
        yield _environment(findings.environment, findings.ground)
    if findings.roads:
        yield _lines("Roads", "Drawn", findings.roads)
    if findings.materials is not None:
        yield _materials(findings.materials)
    if findings.unused_rules:
        yield _lines("Rules that match nothing", "Rule", findings.unused_rules)
    if findings.fallbacks:
        yield fallback_table(findings.fallbacks, limit=ALL)


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, title_justify="left")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _lines(title: str, heading: str, lines: Iterable[str]) -> Table:
    table = _table(title, heading)
    for line in lines:
        table.add_row(Text(line))
    return table


def _sensors(sensors: Iterable[tuple[Sensor, ScanPattern]]) -> Table:
    table = _table("Sensors", "Name", "Beams", "Rows", "Columns", "Scan", "Range", "Mounting")
    for sensor, pattern in sensors:
        mounting = sensor.mounting
        table.add_row(
            Text(sensor.name),
            f"{pattern.n_beams}",
            f"{int(pattern.ring.max()) + 1}",
            f"{int(pattern.column.max()) + 1}",
            f"{1 / pattern.period_s:g} Hz",
            f"{sensor.min_range_m:g} to {sensor.max_range_m:g} m",
            f"{mounting.x_m:g} {mounting.y_m:g} {mounting.z_m:g} m, "
            f"{mounting.roll_deg:g} {mounting.pitch_deg:g} {mounting.yaw_deg:g} deg",
        )
    return table


def _trace(trace: TraceFinding | None) -> Table:
    table = _table("Trace", "Message", "Frames", "First time", "Last time", "Time", "Host vehicle")
    if trace is not None:
        seconds = (f"{1e-9 * time_ns:.3f} s" for time_ns in (trace.first_ns, trace.last_ns))
        lines = Text("\n".join(trace.time_lines))
        hosts = "; ".join(trace.hosts)
        table.add_row(trace.message_type, f"{trace.n_frames}", *seconds, lines, hosts)
    return table


def _objects(objects: Iterable[ObjectInScene]) -> Table:
    """Return the objects at the end of the trace, with equal ones in one row."""
    table = _table("Objects", "Type", "Mesh", "Size, m", "Chosen by", "OSI ids")
    alike: dict[tuple[str, ...], list[str]] = {}
    for one in objects:
        size = " x ".join(f"{side:.2f}" for side in one.size_m)
        what = (one.type_name, one.mesh, size, one.reason)
        alike.setdefault(what, []).append(str(one.object_id))
    for cells, ids in alike.items():
        table.add_row(*map(Text, (*cells, enumeration(ids))))
    return table


def _environment(environment: Iterable[EnvironmentFinding], ground: str) -> Table:
    table = _table("Environment", "Mesh", "Triangles", "From, m", "To, m")
    for each in environment:
        corners = (" ".join(f"{value:.2f}" for value in corner) for corner in each.bounds_m)
        table.add_row(Text(each.name), f"{each.n_triangles}", *corners)
    if not table.row_count:
        table.add_row(ground)
    return table


def _materials(materials: Sequence[MaterialFinding]) -> Table:
    table = _table("Materials", "Infrared material", "Visual names", "Chosen by", "Substitute")
    for each in materials:
        shown = enumeration(each.visual_names, ALL)
        cells = (each.material, shown, each.chosen_by, "; ".join(each.substitutes))
        table.add_row(*map(Text, cells))
    names = [each.material for each in materials]
    table.columns[0].no_wrap = max(map(len, names), default=0) <= NO_WRAP
    return table
