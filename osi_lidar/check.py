# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a run would use, shown before it is started: nothing is traced, nothing is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from osi_lidar.config import check_files, load_config
from osi_lidar.errors import ConfigurationError
from osi_lidar.lidar import scan_pattern
from osi_lidar.model import material_resolver
from osi_lidar.replay import FrameSource
from osi_lidar.reports import fallback_table
from osi_lidar.world import World
from raycore.errors import MeshError

if TYPE_CHECKING:
    from pathlib import Path

    from material_mapping import MaterialResolver
    from osi_lidar.config import Config


@dataclass(slots=True)
class Findings:
    """What is to be shown, and what is missing."""

    tables: list[Table] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def check(config_path: Path, trace: Path | None = None) -> Findings:
    """Return how a configuration is understood, with a trace also what its objects become.

    Raises
    ------
    ConfigurationError
        If the configuration is not valid.
    TraceError
        If the trace cannot be read.
    """
    config = load_config(config_path, check=False)
    findings = Findings(missing=[f"{config_path}: {line}" for line in check_files(config)])
    findings.tables.append(_sensor_table(config))
    if findings.missing:
        return findings
    try:
        materials = material_resolver(config)
        folder = None if trace is None else trace.parent
        world = World(config.scene, materials, trace_folder=folder)
        findings.tables.append(_mesh_table(world))
        if trace is not None:
            for frame in FrameSource(trace):
                world.update(frame)
            findings.tables.append(_object_table(world))
        findings.tables.append(_material_table(materials))
        if len(world.fallbacks):
            findings.tables.append(fallback_table(world.fallbacks))
    except (ConfigurationError, MeshError) as error:
        findings.missing.append(str(error))
    return findings


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, title_justify="left")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _sensor_table(config: Config) -> Table:
    table = _table("Sensors", "Name", "Beams", "Rows", "Columns", "Scan", "Range", "Mounting")
    for sensor in config.sensors:
        try:
            pattern = scan_pattern(sensor)
        except ConfigurationError as error:
            table.add_row(Text(sensor.name), Text(str(error)))
            continue
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


def _mesh_table(world: World) -> Table:
    table = _table("Environment", "Mesh", "Triangles", "From [m]", "To [m]")
    for mesh in world.meshes:
        low, high = mesh.bounds_m
        corners = (" ".join(f"{value:.2f}" for value in corner) for corner in (low, high))
        table.add_row(Text(mesh.name), f"{len(mesh.faces)}", *corners)
    return table


def _object_table(world: World) -> Table:
    table = _table("Objects", "OSI id", "Type", "Mesh", "Chosen by")
    for row in world.objects:
        table.add_row(*(Text(str(value)) for value in row))
    return table


def _material_table(materials: MaterialResolver) -> Table:
    table = _table("Materials", "Visual name", "Infrared material", "Rule")
    for found in materials.resolved:
        rule = found.rule if found.rule is not None else "not mapped: materials.default"
        table.add_row(Text(found.visual_name or "(none)"), found.material, Text(rule))
    return table
