# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Table of scenes with facts to filter by: weather, light, speed, sensors."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.datasets.scene_facts import SceneFacts
from lidar_app.exports.scan_points import base_from_sensor, end_pose
from osi_bridge import OsiError
from osi_lidar.errors import OsiLidarError
from osi_lidar.output.stored import input_messages

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from lidar_app.datasets.sources import RunSource
    from osi_lidar.output.stored import StoredRun

TABLE = "scenes.csv"
"""Name of the table of scenes."""
NIGHT_LUX = 10.0
"""Illuminance below which it is night: less than street lamps or civil twilight give. [lx]"""
_NOTHING = {"transmission": 1.0, "drops": 0.0, "film_mm": 0.0}  # values of a clean, dry window
_MOST_CHANGES = 12  # keys that a scene lists at most


def with_facts(sources: Sequence[RunSource]) -> list[RunSource]:
    """Return copies of runs, each with its `SceneFacts` (weather, light, speed and the like).

    `SceneFacts.changes` lists values of the configuration that differ from the most frequent value
    among these runs. The first message of a trace is read if the report of the run states no
    illuminance.

    Parameters
    ----------
    sources : sequence of RunSource
        All runs of the data set; they are not changed.

    Returns
    -------
    list of RunSource
        The copies, in the same order.
    """
    configs = {each.name: _flat(each.run.report.get("config")) for each in sources}
    keys = sorted({key for config in configs.values() for key in config})
    usual = {
        key: _most_frequent([config.get(key, "null") for config in configs.values()])
        for key in keys
        if key != "seed"
    }
    found = []
    for each in sources:
        own = ((key, configs[each.name].get(key, "null")) for key in usual)
        changes = [f"{key}={value}" for key, value in own if value != usual[key]]
        more = len(changes) - _MOST_CHANGES
        changes = [*changes[:_MOST_CHANGES], *([f"and {more} more"] if more > 0 else [])]
        found.append(replace(each, facts=_facts(each, "; ".join(changes))))
    return found


def _most_frequent(values: Sequence[str]) -> str:
    counts = Counter(values)
    return min(counts, key=lambda each: (-counts[each], each))


def write_scenes(folder: Path, rows: Iterable[tuple[SceneFacts, str, Sequence[int]]]) -> None:
    """Write scenes.csv into a folder, with a row for each scene; an older file is replaced.

    Parameters
    ----------
    folder : Path
        An existing folder.
    rows : iterable of tuple
        For each scene a tuple: the facts of the scene (SceneFacts), the name of its split, and the
        numbers of its scans, points and boxes (a sequence of three).
    """
    with (folder / TABLE).open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["scene", "split", *SceneFacts._fields[1:], "scans", "points", "boxes"])
        for facts, split, counts in rows:
            table.writerow([facts.scene, split, *facts[1:], *counts])


def _facts(source: RunSource, changes: str) -> SceneFacts:
    run = source.run
    weather = run.report.get("weather")
    weather = weather if isinstance(weather, dict) else {}
    lux = _illuminance(run, weather)
    mean, most = _speeds(run)
    seed, dust = run.report.get("seed"), _value(weather, "dust")
    numbers = {
        name: _positive(_value(weather, name))
        for name in ("rain_mm_h", "snow_mm_h", "visibility_m", "road_water_mm", "snow_depth_mm")
    }
    return SceneFacts(
        scene=source.name,
        trace="" if run.trace is None else run.trace.name,
        trace_key=source.trace,
        seed=str(seed) if isinstance(seed, int) else "",
        dust=str(len(dust)) if isinstance(dust, list) and dust else "",
        window=_window(run.report.get("config")),
        ambient_lux="" if lux is None else f"{lux:g}",
        light="" if lux is None else "night" if lux < NIGHT_LUX else "day",
        sensors=" ".join(each.name for each in run.sensors),
        models=" ".join(str(each.settings.get("preset") or "own") for each in run.sensors),
        host_mean_m_s=mean,
        host_max_m_s=most,
        changes=changes,
        **numbers,
    )


def _value(weather: Mapping[str, object], name: str) -> object:
    told = weather.get(name)
    return told.get("value") if isinstance(told, dict) else None


def _positive(value: object) -> str:
    """Return a weather value as text; an empty text for 0, infinity or no value."""
    is_there = isinstance(value, (int, float)) and 0.0 < value < math.inf
    return f"{value:g}" if is_there else ""


def _window(config: object) -> str:
    """Return the values of the window that differ from a clean, dry window."""
    weather = config.get("weather") if isinstance(config, dict) else None
    window = weather.get("window") if isinstance(weather, dict) else None
    if not isinstance(window, dict):
        return ""
    told = (name for name, clean in _NOTHING.items() if window.get(name, clean) != clean)
    return ", ".join(f"{name} {window[name]}" for name in told)


def _illuminance(run: StoredRun, weather: Mapping[str, object]) -> float | None:
    """Return the illuminance [lx] as configured, or from the first message."""
    stated = _value(weather, "ambient_lux")
    if isinstance(stated, (int, float)):
        return float(stated)
    with suppress(OsiError, OsiLidarError):
        message = next(iter(input_messages(run)), None)
        lux = None if message is None else message.frame.ambient_lux
        return None if lux is None else float(lux)
    return None


def _speeds(run: StoredRun) -> tuple[str, str]:
    """Return mean and largest speed of the vehicle between the scans of one sensor [m/s]."""
    first = run.sensors[0]
    scans = [each for each in run.scans if each.row.sensor == first.name]
    try:
        vehicle = np.linalg.inv(base_from_sensor(run, first))[:, 3]
        way_m = np.array([(end_pose(each) @ vehicle)[:3] for each in scans])
    except OsiLidarError:
        return "", ""
    time_s = np.array([each.row.end_ns for each in scans], np.int64) / 1e9
    later = np.diff(time_s) > 0.0
    if not later.any():
        return "", ""
    steps_m, steps_s = np.linalg.norm(np.diff(way_m, axis=0), axis=1)[later], np.diff(time_s)[later]
    return f"{steps_m.sum() / steps_s.sum():.1f}", f"{(steps_m / steps_s).max():.1f}"


def _flat(value: object, key: str = "") -> dict[str, str]:
    """Return the values of a configuration by dotted key; paths are reduced to file names."""
    if isinstance(value, (dict, list)) and value:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        flat: dict[str, str] = {}
        for name, each in items:
            flat |= _flat(each, f"{key}.{name}" if key else str(name))
        return flat
    if isinstance(value, str) and "/" in value:
        return {key: value.rpartition("/")[2]}
    return {key: value if isinstance(value, str) else json.dumps(value)}
