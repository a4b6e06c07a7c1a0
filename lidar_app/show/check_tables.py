# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of the findings of a check on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.show.tables import enumeration, fallback_table, not_followed_table, unit_lines
from lidar_base.tables import of_records, table
from lidar_base.unfollowed import not_followed_rows
from lidar_scenery.weather.state import plain
from osi_lidar.config.models import drawn_units

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lidar_app.show.check import EnvironmentFinding, Findings, MaterialFinding, TraceFinding
    from lidar_app.show.check_windows import WindowFinding
    from lidar_base.tables import Table
    from lidar_scenery.weather.state import Weather
    from osi_lidar.config import Sensor
    from osi_lidar.world.object_records import ObjectInScene
    from raycore.pattern.scan_pattern import ScanPattern

NO_WRAP = 30  # characters: keeps built-in names unbroken; names of spectra would fill the table
ALL = 10_000  # names: users write a mapping table from this list


def check_tables(findings: Findings) -> Iterator[Table]:
    """Yield a table for each part of the findings that was checked and is not empty.

    `Findings.missing` and `Findings.damage` have no tables; they are for the caller to print.
    """
    if findings.sensors:
        yield from _sensors(findings)
    if findings.warnings:
        yield _lines("Warnings", "Doubt", findings.warnings)
    if findings.has_trace:
        yield _trace(findings.trace)
        yield _objects(findings.objects)
    if findings.environment is not None:
        yield from _environment(findings.environment, findings.ground)
    if findings.roads:
        yield _lines("Roads", "Drawn", findings.roads)
    yield from _conditions(findings)
    if findings.materials is not None:
        yield _materials(findings.materials)
        yield _lines("Intensity", "Rests on", [findings.intensity])
    if findings.unused_rules:
        yield _lines("Rules that match nothing", "Rule", findings.unused_rules)
    if findings.fallbacks:
        yield fallback_table(findings.fallbacks, limit=ALL)
    if findings.not_followed:
        yield not_followed_table(not_followed_rows(findings.not_followed), limit=ALL)


def _sensors(findings: Findings) -> Iterator[Table]:
    """Yield the tables of the sensors, and of randomly drawn units."""
    yield of_records("Sensors", (_sensor_row(*each) for each in findings.sensors))
    units = drawn_units(each for each, _ in findings.sensors)
    if units:
        yield _lines("Drawn units", "Sensor", unit_lines(units))


def _lines(title: str, heading: str, lines: Iterable[str]) -> Table:
    return table(title, (heading,), ((line,) for line in lines))


def _sensor_row(sensor: Sensor, pattern: ScanPattern) -> dict[str, object]:
    place = sensor.mounting
    return {
        "Name": sensor.name,
        "Beams": pattern.n_beams,
        "Rows": pattern.ring.max() + 1,
        "Columns": pattern.column.max() + 1,
        "Scan": f"{1 / pattern.period_s:g} Hz",
        "Range": f"{sensor.min_range_m:g} to {sensor.max_range_m:g} m",
        "Mounting": f"{place.x_m:g} {place.y_m:g} {place.z_m:g} m, "
        f"{place.roll_deg:g} {place.pitch_deg:g} {place.yaw_deg:g} deg",
    }


def _trace(trace: TraceFinding | None) -> Table:
    headings = ("Message", "Frames", "First time", "Last time", "Time", "Host vehicle")
    rows = []
    if trace is not None:
        seconds = (f"{1e-9 * time_ns:.3f} s" for time_ns in (trace.first_ns, trace.last_ns))
        words = ("\n".join(trace.time_lines), "; ".join(trace.hosts))
        rows.append((trace.message_type, trace.n_frames, *seconds, *words))
    return table("Trace", headings, rows)


def _objects(objects: Iterable[ObjectInScene]) -> Table:
    """Return the objects at the end of the trace, with equal ones in one row."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for one in objects:
        size = " x ".join(f"{side:.2f}" for side in one.size_m)
        what = (one.type_name, one.mesh, size, one.reason)
        alike.setdefault(what, []).append(str(one.object_id))
    headings = ("Type", "Mesh", "Size, m", "Chosen by", "OSI ids")
    rows = ((*cells, enumeration(ids)) for cells, ids in alike.items())
    return table("Objects", headings, rows)


def _environment(environment: Iterable[EnvironmentFinding], ground: str) -> Iterator[Table]:
    rows: list[tuple[object, ...]] = []
    for each in environment:
        corners = (" ".join(f"{value:.2f}" for value in corner) for corner in each.bounds_m)
        rows.append((each.name, each.n_triangles, *corners))
    yield table("Environment", ("Mesh", "Triangles", "From, m", "To, m"), rows or [(ground,)])
    if rows:
        yield _lines("Ground", "Beside the environment", (ground,))


def _conditions(findings: Findings) -> Iterator[Table]:
    if findings.weather is not None and findings.weather.sources:
        yield _weather(findings.weather)
    if findings.windows:
        yield of_records("Windows", map(_window_row, findings.windows))


def _weather(weather: Weather) -> Table:
    """Return a table of all stated weather values with their sources."""
    rows = []
    for name, words in weather.sources:
        rows.append((name, _shown(plain(getattr(weather, name, ""))), words))
    return table("Weather", ("Value", "Is", "Stated by"), rows)


def _shown(value: object) -> str:
    """Return a weather value as text, with one line for each record of a list."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(each)}" for name, each in value.items() if each != [])
    if isinstance(value, list):
        are_records = any(isinstance(each, dict) for each in value)
        return ("\n" if are_records else " ").join(map(_shown, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _window_row(window: WindowFinding) -> dict[str, object]:
    return {
        "Sensor": window.sensor,
        "Light that passes both ways": window.passes,
        "Beams blocked": f"{100.0 * window.blocked_share:.3g} %",
        "Data qualifier of OSI": window.qualifier,
    }


def _materials(materials: Sequence[MaterialFinding]) -> Table:
    headings = ("Infrared material", "Visual names", "Chosen by", "Substitute")
    rows = [
        (m.material, enumeration(m.visual_names, ALL), m.chosen_by, "; ".join(m.substitutes))
        for m in materials
    ]
    are_short = all(len(each.material) <= NO_WRAP for each in materials)
    return table("Materials", headings, rows, n_whole=1 if are_short else 0)
