# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of the folder of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lidar_app.show.info.record import Info
from osi_lidar.output.stored import open_run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from osi_lidar.output.stored import StoredRun, StoredSensor


def run_info(folder: Path) -> Info:
    """Return status, frames, points, input and sensors of a run.

    Raises
    ------
    InputError
        If the folder holds no run that has ended.
    """
    run = open_run(folder)
    report = run.report
    given, config = _section(report, "input"), _section(report, "config")
    output, fallbacks = _section(config, "output"), report.get("fallbacks")
    facts: dict[str, object] = {
        "status": report.get("status"),
        "made_by": f"osi-lidar {report.get('version')}",
        "input": given.get("file"),
        "frames_read": report.get("frames_read"),
        "frames_traced": report.get("frames_traced"),
        "points": report.get("points"),
        "host_vehicle": run.host_object_id,
        "sensor_data": report.get("sensor_data"),
        "clouds": output.get("pcd"),
        "seed": report.get("seed"),
        "materials": list(run.materials),
        "fallbacks": len(fallbacks) if isinstance(fallbacks, list) else None,
        "damage": report.get("damage"),
    }
    sensors = [_row(run, sensor) for sensor in run.sensors]
    return Info(path=folder, kind="Run of osi-lidar", facts=facts, lists={"sensors": sensors})


def _section(report: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return a section of run.json, empty if it is missing."""
    found = report.get(key)
    return found if isinstance(found, dict) else {}


def _row(run: StoredRun, sensor: StoredSensor) -> dict[str, object]:
    rows = [row for row in run.rows if row.sensor == sensor.name]
    points = {row.file: row.points for row in rows if row.file}  # rows may repeat a cloud
    pattern = _section(sensor.settings, "pattern")
    return {
        "name": sensor.name,
        "is": sensor.settings.get("preset") or f"pattern {pattern.get('kind', '')}".strip(),
        "fidelity": sensor.settings.get("fidelity"),
        "scans": len(rows),
        "clouds": len(points),
        "points": sum(points.values()),
    }
