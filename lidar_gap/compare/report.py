# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A comparison as tables for the terminal, as Markdown, and as JSON."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from lidar_base.files.whole_files import replacing
from lidar_base.tables import Table, markdown_text
from lidar_base.unfollowed import not_followed_rows
from lidar_gap.compare.quantities import BRIEF, EVERY, GROUPS, number_text
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from lidar_gap.compare import Comparison
    from lidar_gap.compare.pair_measures import Measures
    from lidar_gap.compare.side_measures import Echoes, Side
    from lidar_gap.metrics.objects import ObjectCounts
    from lidar_gap.metrics.probability import ProbabilityCurve
    from lidar_gap.metrics.ring_noise import NoiseCurve
    from lidar_gap.records import CloudReading

REPORT, TABLES = "report.json", "report.md"
MOST_ROWS = 12
"""Largest number of frames that the terminal shows; the files of the report contain all frames."""
_WIDE = 3  # from this number of columns on, headings are wrapped instead of the measures' names


def comparison_tables(comparison: Comparison, most_frames: int | None = None) -> list[Table]:
    """Return the tables of a comparison.

    The tables are, in this order: all measures, computed over all frames; noise and echoes of the
    real and of the simulated clouds; points on labelled objects, if there are labels; and the main
    measures of each frame.

    Parameters
    ----------
    comparison : Comparison
        The comparison.
    most_frames : int, optional
        Largest number of frames in the table of frames, which starts with the first frame; by
        default, all frames.
    """
    on_objects = [] if comparison.objects is None else [_objects_table(comparison.objects)]
    return [
        _measures_table(comparison),
        _sides_table(comparison),
        *on_objects,
        _frames_table(comparison, most_frames),
    ]


def write_report(comparison: Comparison, folder: Path, given: Mapping[str, object]) -> list[Path]:
    """Write a comparison as `REPORT` (JSON) and `TABLES` (Markdown); return both paths.

    Existing files of these names in the folder are replaced.

    Parameters
    ----------
    comparison : Comparison
        The comparison.
    folder : Path
        An existing folder.
    given : mapping
        Files and options of the command; the JSON repeats them under the key ``given``.

    Raises
    ------
    OutputError
        If a file cannot be written.
    """
    files = [folder / REPORT, folder / TABLES]
    texts = [
        json.dumps(report_dict(comparison, given), indent=2, allow_nan=False) + "\n",
        "\n".join(_markdown(comparison_tables(comparison))) + "\n",
    ]
    for path, text in zip(files, texts, strict=True):
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return files


def report_dict(comparison: Comparison, given: Mapping[str, object]) -> dict[str, Any]:
    """Return all numbers of a comparison as a dictionary for JSON; None for unknown numbers.

    The values are nested dictionaries, lists, numbers and texts. Arrays become lists.

    Parameters
    ----------
    comparison : Comparison
        The comparison.
    given : mapping
        Files and options of the command, which the result repeats under the key ``given``.
    """
    curves = {
        "real_over_range_m": comparison.curves.real_over_range,
        "sim_over_range_m": comparison.curves.sim_over_range,
        "real_over_incidence_deg": comparison.curves.real_over_incidence,
    }
    content = {
        "version": __version__,
        "given": dict(given),
        "ranges": comparison.ranges,
        "image": _image_dict(comparison),
        **{
            key: None
            if found is None
            else {
                "total": _measures_dict(found.total),
                "frames": [_measures_dict(frame) for frame in found.frames],
            }
            for key, found in (
                ("sim_against_real", comparison.sim),
                ("real_against_real", comparison.again),
                ("null_test", comparison.null),
            )
        },
        "return_probability": {
            key: None if curve is None else _curve_dict(curve) for key, curve in curves.items()
        },
        "noise_dvm_bias_m": comparison.noise_dvm.bias,
        "noise_dvm_scatter_m": comparison.noise_dvm.scatter,
        "real": _side_dict(comparison.real_side),
        "sim": _side_dict(comparison.sim_side),
        "objects": _objects_list(comparison.objects),
        **_reading_dict(comparison.reading),
    }
    plain: dict[str, Any] = _plain(content)
    return plain


def _reading_dict(reading: CloudReading) -> dict[str, object]:
    assumed = ((side, each) for side, told in reading.assumed.items() for each in told)
    return {
        "not_followed": not_followed_rows(reading.not_followed),
        "assumed": [{"input": side, "what": each} for side, each in assumed],
    }


def _image_dict(comparison: Comparison) -> dict[str, object]:
    return {
        "rings": comparison.kept.shape[0],
        "ring_numbers": comparison.rings or None,
        "columns": comparison.kept.shape[1],
        "pixels_compared": int(comparison.kept.sum()),
    }


def _measures_table(comparison: Comparison) -> Table:
    """Return the table of all measures over all frames."""
    totals = [each.total for each in comparison.all_series]
    return Table(
        title="; ".join(
            filter(None, ("All frames", f"ranges {comparison.ranges}", comparison.rings))
        ),
        headings=("", *(each.name for each in comparison.all_series)),
        right=range(1, 1 + len(totals)),
        is_narrow=len(totals) >= _WIDE,
        parts=tuple(
            (
                title,
                tuple((each.heading, *(each.shown(total) for total in totals)) for each in group),
            )
            for title, group in GROUPS.items()
            if any(not math.isnan(each.of(totals[0])) for each in group)
        ),
    )


def _sides_table(comparison: Comparison) -> Table:
    """Return the table of measures that need only one side: noise, echoes."""
    sides = (comparison.real_side, comparison.sim_side)
    dvm = comparison.noise_dvm
    rows = [
        ("range noise within rings [mm]", *(number_text(1e3 * each.noise_m, 2) for each in sides))
    ]
    rows += _noise_rows(sides)
    rows += [
        ("range noise: DVM bias [mm]", "", number_text(1e3 * dvm.bias, 2)),
        ("range noise: DVM scatter [mm]", "", number_text(1e3 * dvm.scatter, 2)),
    ]
    echoes = [each.echoes for each in sides]
    for title, digits, name, scale in (
        ("beams with a second return [%]", 2, "second", 100.0),
        ("separation of echoes: least [m]", 2, "least_m", 1.0),
        ("separation of echoes: 1 % [m]", 2, "p1_m", 1.0),
        ("separation of echoes: 5 % [m]", 2, "p5_m", 1.0),
    ):
        values = [math.nan if each is None else scale * getattr(each, name) for each in echoes]
        rows.append((title, *(number_text(value, digits) for value in values)))
    return Table(
        title="Noise and echoes of each side",
        headings=("", "real", "simulated"),
        right=(1, 2),
        parts=(("", tuple(row for row in rows if any(cell not in {"", "-"} for cell in row[1:]))),),
    )


def _noise_rows(sides: Sequence[Side]) -> list[tuple[str, str, str]]:
    """Return rows with the noise of both sides, for range bins where at least one side has it."""
    real, sim = (each.noise_by_range for each in sides)
    ends = zip(real.edges[:-1], real.edges[1:], strict=True)
    return [
        (f"at {low:g} to {high:g} m [mm]", number_text(1e3 * one, 2), number_text(1e3 * other, 2))
        for (low, high), one, other in zip(ends, real.sigma_m, sim.sigma_m, strict=True)
    ]


def _objects_table(counts: Sequence[ObjectCounts]) -> Table:
    """Return the table of points on labelled objects, with a section for each class."""
    labels = dict.fromkeys(each.label for each in counts)
    return Table(
        title="Points on objects",
        headings=("class and range [m]", "objects", "real", "simulated", "sim/real", "MAPE [%]"),
        right=range(1, 6),
        is_narrow=True,
        parts=tuple(
            (label, tuple(_object_row(each) for each in counts if each.label == label))
            for label in labels
        ),
    )


def _object_row(counts: ObjectCounts) -> tuple[str, ...]:
    return (
        f"{counts.from_m:g} to {counts.to_m:g}",
        str(counts.n_objects),
        str(counts.real),
        str(counts.sim),
        number_text(counts.ratio, 2),
        number_text(counts.mape_percent, 1),
    )


def _frames_table(comparison: Comparison, most: int | None) -> Table:
    """Return the table of the frames."""
    shown = tuple(
        each
        for each in BRIEF
        if any(not math.isnan(each.of(frame)) for frame in comparison.sim.frames)
    )
    frames = comparison.sim.frames[:most]
    n_left_out = len(comparison.sim.frames) - len(frames)
    more = f", {n_left_out} more in the files" if n_left_out else ""
    return Table(
        title=f"Frames, simulated against real{more}",
        headings=("frame", *(each.brief_heading for each in shown)),
        right=range(1, 1 + len(shown)),
        is_narrow=len(shown) >= _WIDE,
        parts=tuple(
            ("", tuple((each.name, *(quantity.shown(each) for quantity in shown)) for each in part))
            for part in (frames, (comparison.sim.total,))
        ),
    )


def _markdown(shown: Sequence[Table]) -> Iterator[str]:
    """Yield the lines of all tables."""
    yield "# Simulated clouds beside real ones"
    for each in shown:
        yield from ("", f"## {markdown_text(each.title)}", "", *each.markdown(plain=True))


def _objects_list(counts: Sequence[ObjectCounts] | None) -> list[dict[str, Any]] | None:
    if counts is None:
        return None
    return [
        {
            "class": each.label,
            "from_m": each.from_m,
            "to_m": each.to_m,
            "objects": each.n_objects,
            "points_real": each.real,
            "points_sim": each.sim,
            "ratio": each.ratio,
            "mape_percent": each.mape_percent,
        }
        for each in counts
    ]


def _measures_dict(measures: Measures) -> dict[str, Any]:
    counts = measures.returns
    return {
        "name": measures.name,
        "pixels_both": counts.both,
        "pixels_sim_only": counts.sim_only,
        "pixels_real_only": counts.real_only,
        "pixels_neither": counts.neither,
        **{each.key: each.of(measures) for each in EVERY},
    }


def _curve_dict(curve: ProbabilityCurve) -> dict[str, Any]:
    return {
        "edges": curve.edges.tolist(),
        "pixels": curve.n.tolist(),
        "probability": curve.probability.tolist(),
        "lower_95_percent": curve.lower.tolist(),
        "upper_95_percent": curve.upper.tolist(),
    }


def _side_dict(side: Side) -> dict[str, Any]:
    return {
        "noise_m": side.noise_m,
        "noise_by_range_m": _noise_dict(side.noise_by_range),
        "noise_by_signal": None
        if side.noise_by_signal is None
        else {"column": side.signal_name, **_noise_dict(side.noise_by_signal)},
        "echoes": None if side.echoes is None else _echoes_dict(side.echoes),
    }


def _noise_dict(curve: NoiseCurve) -> dict[str, Any]:
    return {
        "edges": curve.edges.tolist(),
        "pixels": curve.n.tolist(),
        "sigma_m": curve.sigma_m.tolist(),
    }


def _echoes_dict(echoes: Echoes) -> dict[str, Any]:
    return {
        "beams": echoes.n_beams,
        "second_return_share": echoes.second,
        "least_separation_m": echoes.least_m,
        "separation_1_percent_m": echoes.p1_m,
        "separation_5_percent_m": echoes.p5_m,
    }


def _plain(value: Any) -> Any:  # noqa: ANN401  whatever JSON holds
    """Return the value with None in place of numbers that are not finite, which JSON lacks."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
