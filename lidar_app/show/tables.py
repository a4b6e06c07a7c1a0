# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Output of the command line: progress, summaries and lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from lidar_base.tables import facts, of_records, table
from lidar_base.unfollowed import NotFollowed
from osi_lidar.config.receiver import Reception
from osi_lidar.live.counters import Rates
from osi_lidar.scan.timing import time_lines
from osi_lidar.sensors.configured_sensors import ReadySensor
from osi_lidar.sensors.physical import PhysicalFigures
from osi_lidar.sensors.presets import SensorPreset
from osi_lidar.world.fallbacks import printable
from osi_lidar.world.ground import BESIDE_MESH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from rich.console import Console

    from lidar_base.tables import Table
    from osi_lidar.config import SceneSection
    from osi_lidar.live.state import StreamState
    from osi_lidar.run.fmu import FmuReport
    from osi_lidar.run.report import Report
    from osi_lidar.sensors.units import Unit
    from osi_lidar.world.fallbacks import Fallback


LONG_LIST = 8

_ASSUMED = ("probability_at_limit", "false_alarm_probability", "near_range_m", "sunlight_share")


class _RateColumn(ProgressColumn):
    """Rate of frames, or of another unit, per second."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        return Text("" if task.speed is None else f"{task.speed:.1f} {self._unit}/s")


def progress_bar(console: Console, unit: str = "frames", *, shown: bool = True) -> Progress:
    """Return a progress bar with count, rate and remaining time, which disappears at the end.

    Parameters
    ----------
    console : Console
        Console that shows the bar.
    unit : str
        What is counted, for the rate.
    shown : bool
        Whether the bar is shown.
    """
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _RateColumn(unit),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not shown,
    )


def summary(report: Report, folder: Path | None) -> list[Table]:
    """Return tables of a run: counts and times, then fallbacks and ignored contents, if any.

    Parameters
    ----------
    report : Report
        The report of the run, with counts, times and fallbacks.
    folder : Path or None
        The folder of the run; None if nothing was written.
    """
    fallbacks = report.fallbacks
    not_followed = report.record.not_followed
    return [
        _run_table(report, folder),
        *([fallback_table(fallbacks)] if fallbacks else []),
        *([not_followed_table(not_followed)] if not_followed else []),
    ]


def _run_table(report: Report, folder: Path | None) -> Table:
    record = report.record
    seconds = record.seconds
    stages = "  ".join(f"{stage} {s:.2f}" for stage, s in seconds.items() if stage != "total")
    rows = {
        "Results": "not written" if folder is None else str(folder),
        "Frames": f"{record.frames_read} read, {record.frames_traced} traced, "
        f"{record.frames_unchanged} unchanged",
        "Rays, points": f"{record.rays_traced:,}, {record.points:,}",
        "SensorData": record.files.get("sensor_data") or "not written",
        "Size": f"{0.0 if folder is None else _size_mb(folder):,.1f} MB",
        "Threads": record.threading_layer,
        "Seconds": f"{seconds['total']:.2f} in total: {stages}",
    }
    if record.rays_traced and not record.points:
        rows["No points"] = (
            "nothing is met within the range, or seen there, or errors of `noise` move it out"
        )
    rows["Ground"] = record.ground
    if record.intensity.startswith("a guess"):
        rows["Intensity"] = record.intensity
    if record.units:
        rows["Drawn units"] = "\n".join(unit_lines(record.units))
    if record.roads:
        rows["Roads"] = "\n".join(record.roads)
    rows["Time"] = "\n".join(time_lines(record.time))
    if record.host_object_id is not None:
        rows["Host vehicle"] = f"object {record.host_object_id}"
    return facts(f"osi-lidar {record.version}", rows)


def unit_lines(units: Mapping[str, Unit]) -> Iterator[str]:
    """Yield a line of text for each sensor whose specimen (unit) was drawn at random.

    The line has the sensor's name, and how the unit differs from the figures of its sensor type.

    Parameters
    ----------
    units : mapping of str to Unit
        The drawn unit of each sensor, by the name of the sensor.
    """
    for name, unit in units.items():
        yield f"{name}: {unit.words}"


def lacks_roads(scene: SceneSection, roads: Sequence[str], ground: str) -> bool:
    """Return whether roads are wanted but missing, and no mesh of an environment replaces them.

    Parameters
    ----------
    scene : SceneSection
        The section ``scene`` of the configuration.
    roads : sequence of str
        Sources of the roads, such as lanes; empty if there are no roads.
    ground : str
        Description of the ground.
    """
    has_mesh = bool(scene.environment) or ground == BESIDE_MESH
    return bool(scene.roads) and not roads and not has_mesh


def _size_mb(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*")) / 1e6


class StreamStatus:
    """Makes the status line of a stream, with rates since recent calls."""

    def __init__(self) -> None:
        self._rates = Rates()

    def line(self, state: StreamState) -> Text:
        """Return the status line of a stream, as styled text: rates, latency, losses, subscribers.

        `state` is the present state of the stream. Rates are computed from the calls of the last 2
        s.
        """
        counters = state.counters
        if state.stream_model is None:
            return Text("preparing (a first run compiles kernels)", style="bold")
        received, traced = self._rates.sample(counters.received, state.traced)
        latency_s = state.latencies.recent_s
        dropped = counters.skipped + counters.late + counters.rejected + counters.dropped
        words = [
            f"{received:.1f} messages/s",
            f"{traced:.1f} scans/s",
            "latency -" if latency_s is None else f"latency {1e3 * latency_s:.1f} ms",
            f"backlog {0 if state.backlog is None else len(state.backlog)}",
            f"dropped {dropped}",
            f"{counters.subscribers} subscribers",
        ]
        if counters.sent_dropped:
            words.append(f"lost {counters.sent_dropped}")
        return Text("  ".join(words), style="bold")


def stream_summary(report: Report, folder: Path | None) -> list[Table]:
    """Return the tables of a stream: as of a run, with messages and latency as the second table.

    Parameters
    ----------
    report : Report
        The report of the stream, with counts, times and fallbacks.
    folder : Path or None
        The folder of the stream's outputs; None if nothing was written.
    """
    live = report.record.stream or {}
    latency_ms = live["latency_ms"]
    lost = ("skipped", "late", "rejected", "unprocessed", "dropped", "gaps", "malformed")
    rows = {
        "Messages": f"{live['received']} received, {live['answered']} answered",
        "Not answered": ", ".join(f"{live[key]} {key}" for key in lost if live[key]) or "none",
        "Sources": "{connections} ({connections_broken} broken), {connections_refused} "
        "refused".format(**live),
        "Subscribers": "{subscribers_seen}: {sent} messages sent, {sent_dropped} lost".format(
            **live
        ),
        "Latency": "-"
        if latency_ms["median"] is None
        else "{median:.1f} ms median, {p99:.1f} ms 99th percentile".format(**latency_ms),
    }
    of_run, *others = summary(report, folder)
    return [of_run, facts("", rows), *others]


def fmu_summary(report: FmuReport) -> list[Table | Text]:
    """Return a table of a run with an FMU, and lines with its 12 most frequent log messages.

    `report` has the numbers of steps and detections, the written trace, and the log.
    """
    rows = {
        "Steps": f"{report.steps}, {report.valid} of them with an answer",
        "Detections": f"{report.detections:,}",
        "SensorData": "nothing to write" if report.trace is None else str(report.trace),
    }
    lines = [f"{count} x {text}" for text, count in report.log.most_common(12)]
    return [facts("", rows), *(Text(line, style="yellow") for line in lines)]


def fallback_table(fallbacks: Iterable[Fallback], limit: int = 12) -> Table:
    """Return a table of inputs that could not be used, and what replaced them.

    Parameters
    ----------
    fallbacks : iterable of Fallback
        The unusable inputs. A row has all with the same kind, reason and replacement.
    limit : int
        Greatest number of inputs that a row names; it counts the others.
    """
    rows = []
    by_cause: dict[tuple[str, str, str], list[Fallback]] = {}
    for fallback in fallbacks:
        by_cause.setdefault((fallback.kind, fallback.reason, fallback.used), []).append(fallback)
    for (kind, reason, used), alike in by_cause.items():
        names = enumeration([fallback.name for fallback in alike], limit)
        ids = enumeration([str(i) for fallback in alike for i in fallback.object_ids])
        rows.append((f"{kind} {names}", reason, used, ids))
    return table("Fallbacks", ("What", "Reason", "Used instead", "Objects"), rows)


def not_followed_table(rows: Iterable[Mapping[str, object]], limit: int = 12) -> Table:
    """Return a table of ignored contents of input files, at most `limit` of each input.

    Each of ``rows`` is a mapping with the keys "input" (the file in words), "what" (the content),
    "first" (its first place) and "times", as in the list ``not_followed`` of run.json.
    """
    by_input: dict[object, list[str]] = {}
    for row in rows:
        kind = NotFollowed(str(row["what"]), str(row["first"]), int(str(row["times"])))
        by_input.setdefault(row["input"], []).append(printable(str(kind)))
    shown = ((name, "\n".join(_first(kinds, limit))) for name, kinds in by_input.items())
    return table("Not followed", ("Input", "Contents that are passed over"), shown)


def _first(lines: Sequence[str], limit: int) -> Sequence[str]:
    """Return at most `limit` lines, and a last line that counts the others."""
    return [*lines[:limit], f"and {len(lines) - limit} more"] if len(lines) > limit else lines


def enumeration(words: Sequence[str], limit: int = 12) -> str:
    """Return words as one text, separated by commas, such as "a, b and 3 more".

    `words` are the words. At most `limit` of them are named, and the others are counted.
    """
    more = f" and {len(words) - limit} more" if len(words) > limit else ""
    return ", ".join(words[:limit]) + more


def sensor_lists(known: Sequence[SensorPreset | ReadySensor]) -> list[Table]:
    """Return two tables of known sensors: spinning lidars with main values, and all others.

    `known` are the sensors: a SensorPreset goes into the first table, a ReadySensor into the
    second.
    """
    turning = (_turning_row(each) for each in known if isinstance(each, SensorPreset))
    others = (
        {"Name": each.name, "Maker": each.maker, "Description": each.description}
        for each in known
        if isinstance(each, ReadySensor)
    )
    return [
        of_records("Sensors", turning),
        of_records("Sensors described by keys of the configuration", others),
    ]


def _turning_row(preset: SensorPreset) -> dict[str, object]:
    elevation_deg, default = preset.channels.elevation_deg, preset.sweep()
    return {
        "Name": preset.name,
        "Channels": preset.n_channels,
        "Elevation": f"{min(elevation_deg):g} to {max(elevation_deg):g} deg",
        "Angles": preset.angles,
        "Columns @ Hz": f"{default.columns} @ {default.rotation_rate_hz:g}",
        "Range": f"{preset.min_range_m:g} to {preset.max_range_m:g} m",
        "Wavelength": f"{preset.wavelength_nm:g} nm",
    }


def sensor_details(preset: SensorPreset | ReadySensor) -> Table:
    """Return a table of a sensor's values with their sources, and of unknown or assumed values.

    `preset` is a known sensor. Of a list longer than `LONG_LIST`, length, first and last item are
    shown.
    """
    rows = []
    for name, value in _figures(preset).items():
        source = preset.sources.get(name, "")
        if isinstance(value, dict):
            source = source or str(value.get("source", ""))
        text = "" if value is None or value == [] else _figure(value)
        if text:
            rows.append((name, text, source))
    rows += [(name, "unknown", reason) for name, reason in preset.unknown.items()]
    rows += [("note", "", note) for note in preset.notes]
    why = "assumed: the key's default, not a figure of the device"
    rows += [(name, f"{value:g}", why) for name, value in _assumed(preset)]
    return table(f"{preset.maker} {preset.name}", ("Figure", "Value", "Source"), rows)


def _figures(preset: SensorPreset | ReadySensor) -> dict[str, Any]:
    """Return the values by name; values of the signal come last."""
    if isinstance(preset, ReadySensor):
        figures = {"description": preset.description, **preset.sensor}
        return figures | {
            name: {**figures.get(name, {}), **keys} for name, keys in preset.physical.items()
        }
    figures = preset.model_dump(
        mode="json", exclude={"name", "maker", "sources", "unknown", "notes"}
    )
    signal = PhysicalFigures.model_fields.keys() - {"description"}
    return dict(sorted(figures.items(), key=lambda item: item[0] in signal))


def _assumed(preset: SensorPreset | ReadySensor) -> Iterator[tuple[str, float]]:
    """Yield key and value of receiver defaults that `fidelity: physical` uses without a source."""
    figures = preset.physical() if isinstance(preset, SensorPreset) else preset.physical
    default = Reception()
    for name in _ASSUMED:
        if name not in figures.get("receiver", {}):
            yield f"receiver.{name}", getattr(default, name)


def _figure(value: object) -> str:
    """Format a value without its source; of a long list, only first and last item."""
    if isinstance(value, list) and len(value) > LONG_LIST:
        return f"{len(value)} values, {value[0]} .. {value[-1]}"
    if not isinstance(value, dict):
        return str(value)
    shown = {key: _figure(each) for key, each in value.items() if key != "source" and each}
    return ", ".join(f"{key} {figure}" for key, figure in shown.items())
