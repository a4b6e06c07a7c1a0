# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Write the page of each known sensor, docs/reference/sensors/NAME.md, and the list of them.

    python tools/sensor_pages.py

A page is made from the sensor's file in osi_lidar/sensors/data and from docs/reality.json. The list
is a part of docs/reference/sensors.md. `tools/draw_sensors.py` draws the picture of a page.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lidar_base.tables import GeneratedPart, table
from osi_lidar.sensors.configured_sensors import ready_names, ready_sensor
from osi_lidar.sensors.presets import SensorPreset, load_preset, preset_aliases, preset_names
from osi_lidar.sensors.scan_modes import ColumnModes

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "benchmarks" / "real"), str(ROOT / "tools")]
import reality_page  # noqa: E402  a script
from sensor_figures import Figure, figures, in_list, name_of, rates  # noqa: E402  beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from osi_lidar.sensors.configured_sensors import ReadySensor

    Sensor = SensorPreset | ReadySensor

PAGES = ROOT / "docs" / "reference" / "sensors"
LIST = PAGES.with_suffix(".md")
DATA = "osi_lidar/sensors/data"
READY = f"{DATA}/ready"
OWN_TITLE = "Use a sensor that is not in the list"
FITTED = "Figure", "Found from", "Recording, unit", "Checked with"
LINK = re.compile(
    r"(?P<site>\b(?:[\w-]+\.)+(?:com|io|org)/[\w./-]*\w)"
    r"|(?<![\w./-])(?P<owner>(?=\d*[A-Za-z])[A-Za-z\d-]{2,})/(?P<name>[A-Za-z][\w.-]*[A-Za-z\d])\b(?![/(])"
)
FOLDERS = {"tests", "params", "correction", "calibration", "docs", "data", "json"}
FILES = {".yaml", ".csv", ".md", ".hpp", ".json", ".cpp"}
MAKERS_WORDS = re.compile(
    r"data ?sheet|manual|sensor-docs|operating instructions|specifications|ouster-lidar/|"
    r"HesaiTechnology/|RoboSense-LiDAR/|aevainc/|maker's",
    re.IGNORECASE,
)
OTHERS_WORDS = re.compile(r"HELIOS|BlenSor|openMSL|o3de|Robotec|velodyne_pointcloud|VLP-16|earlier")
FALLBACKS = {"range_pairs": "not found", "reports": "assumption"}
TUNED, MAKER, OTHERS = "**tuned on recordings**", "maker", "drivers, other models"


def linked(text: str) -> str:
    """Return the text of a source in Markdown, with repositories and sites as links."""

    def link(found: re.Match[str]) -> str:
        whole = found[0]
        if found["site"]:
            return f"[{whole}](https://{whole})"
        if found["owner"].lower() in FOLDERS or Path(found["name"]).suffix in FILES:
            return whole
        return f"[{whole}](https://github.com/{whole})"

    return LINK.sub(link, text)


def basis(sensor: Sensor, figure: Figure) -> str:
    """Return the kind of source of a figure in a few words, such as "assumption".

    The kind is read from the first sentence of the source.
    """
    if isinstance(sensor, SensorPreset) and figure.key in sensor.fits:
        of_window_alone = sensor.fits[figure.key].over.endswith("(window)")
        if not of_window_alone or figure.name.endswith("window"):
            return TUNED
    if figure.key in FALLBACKS and figure.key not in sensor.sources:
        return FALLBACKS[figure.key]
    if isinstance(sensor, SensorPreset) and figure.key == "range_pairs":
        return MAKER if sensor.range_pairs_basis == "data sheet" else "estimate"
    text = sensor.sources.get(figure.key, "").partition(". ")[0]
    return "; ".join(filter(None, dict.fromkeys(map(_kind, text.split(";")))))


def _kind(text: str) -> str:
    """Return the kind of source that a part of a text names; empty if it names none."""
    if re.search(r"\bassumed?\b|this project's choice|\bguess\b", text):
        return "assumption"
    if "general knowledge" in text:
        return "" if "later" in text else "general knowledge"
    if MAKERS_WORDS.search(text):
        return MAKER
    return OTHERS if LINK.search(text) or OTHERS_WORDS.search(text) else ""


def others_of(name: str) -> str:
    """Return the other names (aliases) of a preset, as text."""
    return ", ".join(each for each in preset_aliases() if load_preset(each).name == name)


def example(sensor: Sensor) -> str:
    """Return an example configuration with the sensor, and the keys that users may change."""
    lines = [("sensors:", ""), (f"  - preset: {sensor.name}", "")]
    lines.append(("    fidelity: physical", "beam, echoes and noise; ideal (default): exact lines"))
    if isinstance(sensor, SensorPreset):
        sweep = sensor.sweep()
        if isinstance(sensor.scan, ColumnModes):
            choices = ", ".join(map(str, sorted({each.columns for each in sensor.scan.sweeps()})))
            lines.append((f"    columns: {sweep.columns}", choices))
        lines.append((f"    rotation_rate_hz: {sweep.rotation_rate_hz:g}", f"{rates(sensor)} Hz"))
        if sensor.return_modes:
            others = ", ".join(sensor.return_modes[1:])
            note = f"or {others}" if others else "the only mode"
            lines.append((f"    returns: {{mode: {sensor.return_modes[0]}}}", note))
    elif "rotation_rate_hz" in sensor.sensor:
        rate_hz = sensor.sensor["rotation_rate_hz"]
        lines.append((f"    rotation_rate_hz: {rate_hz:g}", "scans per second"))
    lines.append(("    mounting: {x_m: 1.4, z_m: 1.8}", "forward of, above the rear axle"))
    width = max(len(line) for line, _ in lines) + 2
    return "\n".join(f"{line:{width}}# {note}" if note else line for line, note in lines)


def page(name: str) -> str:
    """Return the page of a sensor."""
    sensor = ready_sensor(name) or load_preset(name)
    file = f"{DATA}/{name}.yaml" if isinstance(sensor, SensorPreset) else f"{READY}/{name}.yaml"
    maker = "" if name.startswith(sensor.maker) else f"{sensor.maker} "
    rows = [("Other names", others, "")] if (others := others_of(name)) else []
    rows += [(each.name, each.value, basis(sensor, each)) for each in figures(sensor)]
    kept = "All figures, as used", f"[`{file}`](../../../{file})"
    parts = [
        f"<!-- made by tools/sensor_pages.py from {file}: do not edit -->",
        f"# {name}",
        f"Simulate the {maker}{name}: {sensor.description}.",
        f"```yaml\n{example(sensor)}\n```",
        f"Your own keys override its figures: [{OWN_TITLE}](../../how-to/own-sensor.md).",
        f"![Beams of the {name}](../../images/sensors/{name}.svg)",
        "## Figures",
        markdown(("Figure", "Value", "From"), rows),
    ]
    if sensor.notes:
        parts.append("\n".join(f"- {note}" for note in sensor.notes))
    if isinstance(sensor, SensorPreset) and sensor.fits:
        parts += ["## Figures that were tuned", markdown(FITTED, _fitted(sensor))]
    parts += [
        "## What recordings say",
        reality_page.section(name) or "No public recording judges it.",
    ]
    parts += ["## Sources", markdown(("Figure", "Source"), [*sources(sensor), kept])]
    if sensor.unknown:
        unknown = [(f"`{key}`", linked(why)) for key, why in sensor.unknown.items()]
        parts += ["## Unknown or assumed", markdown(("Key", "Why"), unknown)]
    return "\n\n".join(parts) + "\n"


def _fitted(preset: SensorPreset) -> Iterator[tuple[str, ...]]:
    for key, fit in preset.fits.items():
        yield name_of(key), fit.over, linked(fit.recording), linked(fit.checked)


def sources(sensor: Sensor) -> Iterator[tuple[str, str]]:
    """Yield name and source of each figure."""
    for key, text in sensor.sources.items():
        yield name_of(key), linked(text)
    if isinstance(sensor, SensorPreset) and sensor.channels.origin is not None:
        yield f"{name_of('channels')}: where beams start", linked(sensor.channels.origin.source)


def markdown(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as Markdown."""
    return "\n".join(table("", headings, list(rows)).markdown())


def sensor_list() -> str:
    """Return the table of all sensors, for docs/reference/sensors.md."""
    recorded = reality_page.of_sensors()
    rows = []
    for name in names():
        sensor = ready_sensor(name) or load_preset(name)
        rows.append((f"[{name}](sensors/{name}.md)", *in_list(sensor), len(recorded.get(name, {}))))
    return markdown(("Sensor", "Rows", "Range", "Light", "Returns", "Recorded"), rows)


def names() -> list[str]:
    """Return the names of all sensors: spinning sensors first, then all others."""
    return [*preset_names(), *ready_names()]


LISTED = GeneratedPart("<!-- begin sensors -->", "<!-- end sensors -->", sensor_list)


def main() -> None:
    """Write the page of each sensor, and the list of all sensors."""
    PAGES.mkdir(exist_ok=True)
    for name in names():
        (PAGES / f"{name}.md").write_text(page(name), encoding="utf-8", newline="\n")
    text = LIST.read_text(encoding="utf-8")
    LIST.write_text(LISTED.renewed(text), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
