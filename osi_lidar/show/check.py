# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a run would use, shown before it is started: nothing is traced, nothing is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from osi_bridge import DamagedTrace, empty_frame
from osi_lidar.config import check_files, default_config, load_config
from osi_lidar.errors import ConfigurationError
from osi_lidar.model import LidarModel
from osi_lidar.output.run_folder import missing_libraries
from osi_lidar.scan.build import scan_pattern
from osi_lidar.show.tables import enumeration, fallback_table
from osi_lidar.world.fallbacks import printable
from raycore.errors import MeshError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from material_mapping import MaterialResolver
    from osi_lidar.config import Config
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.world.world import World


NO_WRAP = 30  # letters: built-in names stay whole, those of spectra would take the whole table
ALL = 10_000  # names: a mapping table is written from what is shown here


@dataclass(slots=True)
class Findings:
    """What is to be shown, and what is missing."""

    tables: list[Table] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    damage: DamagedTrace | None = None


def check(config_path: Path | None, source: FrameSource | None = None) -> Findings:
    """Return how a configuration is understood, with a trace also what its objects become.

    Parameters
    ----------
    config_path : Path or None
        The configuration; None: that of a run without one.
    source : FrameSource, optional
        The trace that it is meant for.

    Raises
    ------
    ConfigurationError
        If the configuration is not valid.
    """
    config = default_config() if config_path is None else load_config(config_path, check=False)
    findings = Findings(missing=[f"{config_path}: {line}" for line in check_files(config)])
    lacking = missing_libraries(config.output)
    findings.missing += [f"{config_path}: {line}" for line in lacking]
    if findings.missing:
        return findings
    findings.tables.append(_sensor_table(config))
    try:
        model = LidarModel(config, trace_folder=None if source is None else source.path.parent)
        if source is None:
            model.world.update(empty_frame())
        else:
            findings.tables.append(_follow(source, model.world, findings))
            findings.tables.append(_object_table(model.world))
        findings.tables.append(_environment_table(model.world))
    except (ConfigurationError, MeshError) as error:
        findings.missing.append(str(error))
        return findings
    findings.tables.append(_material_table(model.materials))
    unused = [*model.materials.unused_rules, *model.world.unused_material_rules]
    if source is not None:
        unused += model.world.unused_rules
    if unused:
        findings.tables.append(_rule_table(unused))
    if model.fallbacks:
        findings.tables.append(fallback_table(model.fallbacks, limit=ALL))
    return findings


def _follow(source: FrameSource, world: World, findings: Findings) -> Table:
    """Take the world through the trace as far as it is whole; return what the trace is."""
    hosts: dict[str, None] = {}
    unseen = "" if world.host_visible else " (its sensors do not see it)"
    first = last = None
    try:
        for last in source:
            first = first or last
            world.update(last)
            host = last.host
            words = "none" if host is None else f"object {host.object_id}{unseen}, {host.source}"
            hosts[words] = None
    except DamagedTrace as damage:
        findings.damage = damage
    table = _table("Trace", "Message", "Frames", "First time", "Last time", "Host vehicle")
    if first is not None and last is not None:
        seconds = (f"{1e-9 * frame.time_ns:.3f} s" for frame in (first, last))
        table.add_row(first.message_type, f"{last.index + 1}", *seconds, "; ".join(hosts))
    return table


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, title_justify="left")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _sensor_table(config: Config) -> Table:
    table = _table("Sensors", "Name", "Beams", "Rows", "Columns", "Scan", "Range", "Mounting")
    for sensor in config.sensors:
        pattern = scan_pattern(sensor)
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


def _environment_table(world: World) -> Table:
    table = _table("Environment", "Mesh", "Triangles", "From, m", "To, m")
    for mesh, bounds_m in world.environment:
        corners = (" ".join(f"{value:.2f}" for value in corner) for corner in bounds_m)
        table.add_row(Text(mesh.name), f"{len(mesh.faces)}", *corners)
    if not world.environment:
        table.add_row(world.ground_words)
    return table


def _object_table(world: World) -> Table:
    """Return the objects as the trace leaves them, alike ones in one row."""
    table = _table("Objects", "Type", "Mesh", "Size, m", "Chosen by", "OSI ids")
    alike: dict[tuple[str, ...], list[str]] = {}
    for one in world.objects:
        size = " x ".join(f"{side:.2f}" for side in one.size_m)
        what = (one.type_name, one.mesh, size, one.reason)
        alike.setdefault(what, []).append(str(one.object_id))
    for cells, ids in alike.items():
        table.add_row(*map(Text, (*cells, enumeration(ids))))
    return table


def _rule_table(unused: Sequence[str]) -> Table:
    table = _table("Rules that match nothing", "Rule")
    for rule in unused:
        table.add_row(Text(rule))
    return table


def _material_table(materials: MaterialResolver) -> Table:
    """Return what each visual material became, by what, and what had to be made do with."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for found in materials.resolved:
        remarks = "; ".join(map(printable, found.problems))
        row = found.material, _origin(found.rule), remarks
        alike.setdefault(row, []).append(printable(found.visual_name) or "(none)")
    stand_ins: dict[str, list[str]] = {}
    for name, wanted, taken in materials.stand_ins:
        stand_ins.setdefault(name, []).append(f"{wanted:g} nm: as at {taken:g} nm")
    table = _table("Materials", "Infrared material", "Visual names", "Chosen by", "Substitute")
    table.columns[0].no_wrap = max(map(len, (each[0] for each in alike)), default=0) <= NO_WRAP
    for (material, origin, remarks), names in alike.items():
        made_do = "; ".join([*stand_ins.get(material, []), *filter(None, [remarks])])
        shown = enumeration(list(dict.fromkeys(names)), ALL)
        table.add_row(*map(Text, (material, shown, origin, made_do)))
    return table


def _origin(rule: str | None) -> str:
    """Return what a material was decided by, in words."""
    if rule is None:
        return "default"
    if rule == "built-in":
        return "built-in rule"
    if ".xomm: " in rule:
        return f"asset's or database's mapping {printable(rule)}"
    return f"rule {printable(rule)}"
