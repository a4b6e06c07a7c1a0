# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The card of a data set (README.md): content, sources, and how to make it again."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from lidar_app.bundle import bundle_above
from lidar_app.datasets.box_times import AT_END, AT_POINTS, CARRIED, MARGIN_M
from lidar_app.datasets.scene_table import TABLE as SCENES
from lidar_app.datasets.splits import SPLITS
from lidar_base.files.shown_paths import shown_text
from lidar_base.given import given
from lidar_base.tables import markdown_text
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from lidar_app.datasets.record import DataSet
    from lidar_app.datasets.sources import RunSource

NAME = "README.md"
_DIGITS = 16
"""Number of digits of hashes in tables."""
_AROUND = f"Boxes stand out of their objects by {1000.0 * MARGIN_M:g} mm on each side."
_WHEN = {
    AT_POINTS: "A box is where the sensor saw its object: at the median time of the points on it.",
    AT_END: "A box is where its object is at the end of the scan; points on what moves were "
    "measured before.",
    CARRIED: "A box is where its object is at the end of the scan, and the points on a moving "
    "object are moved along with it to that time.",
}


def write_card(made: DataSet, use: str, folder: Path) -> None:
    """Write the card of a data set, README.md, into a folder.

    Parameters
    ----------
    made : DataSet
        The data set.
    use : str
        Text in Markdown: how frameworks read the layout.
    folder : Path
        Folder to write into.
    """
    parts = [_head(made), _counts(made), _splits(made), _runs(made), _scenes(made), _classes(made)]
    parts += [_truth(made), "## Use\n\n" + use, _again(made)]
    (folder / NAME).write_text("\n".join(parts), encoding="utf-8")


def _head(made: DataSet) -> str:
    licence = made.wanted.licence or "not stated. That of the traces, meshes and maps applies"
    return (
        f"# {markdown_text(made.path.name)}\n\n"
        "Simulated lidar scans with labels, made from ASAM OSI traces.\n\n"
        f"- Layout: {made.wanted.form}\n"
        f"- Made by: osi-lidar {__version__}\n"
        f"- Licence of the inputs: {markdown_text(licence)}.\n"
        f"- SHA-256 of the files, without this one: `{made.digest}`\n"
    )


def _counts(made: DataSet) -> str:
    rows = [
        (name, each.scenes, each.scans, each.points, each.boxes.total())
        for name, each in made.counts.items()
    ]
    text = "## Content\n\n" + _table(("Split", "Scenes", "Scans", "Points", "Boxes"), rows)
    boxes = made.total("boxes")
    named = [name for name in made.classes.names if boxes[name]]
    if named:
        head = ("Class", *SPLITS)
        each = [
            (markdown_text(name), *(made.counts[s].boxes[name] for s in SPLITS)) for name in named
        ]
        text += "\nBoxes with at least one point, of each class:\n\n" + _table(head, each)
    return text


def _splits(made: DataSet) -> str:
    shares = " / ".join(f"{share:g}" for share in made.wanted.shares)
    return (
        "## Splits\n\n"
        f"Shares {shares} of the traces, seed {made.wanted.seed}. A trace with all its runs is in "
        "one split: the order follows a hash of the trace's content, and counts are rounded by "
        "the largest remainder.\n"
    )


def _runs(made: DataSet) -> str:
    rows = (
        (
            markdown_text(each.name),
            made.splits[each.trace],
            markdown_text(_trace_of(each)),
            f"`{each.trace[:_DIGITS]}`",
            f"`{each.config[:_DIGITS]}`",
            markdown_text(", ".join(sensor.name for sensor in each.run.sensors)),
            markdown_text(each.run.report.get("version", "")),
        )
        for each in made.sources
    )
    head = ("Run", "Split", "Trace", "SHA-256", "Configuration", "Sensors", "osi-lidar")
    return "## Runs\n\n" + _table(head, rows)


def _scenes(made: DataSet) -> str:
    rows = (
        [
            markdown_text(each)
            for each in (
                *(facts.scene, facts.seed, facts.weather, facts.light, facts.models),
                *(facts.host_mean_m_s, facts.changes),
            )
        ]
        for facts in (given(source.facts) for source in made.sources)
    )
    head = ("Run", "Seed", "Weather", "Light", "Models", "Host, m/s", "Otherwise than most")
    return f"## Scenes\n\nMore columns, to filter by: `{SCENES}`.\n\n{_table(head, rows)}"


def _classes(made: DataSet) -> str:
    classes = made.classes
    members: dict[int, list[str]] = {}
    for pattern, index in classes.indices.items():
        members.setdefault(index, []).append(pattern)
    points = made.total("points_of")
    rows = [
        (
            markdown_text(name),
            number,
            "yes" if boxed else "",
            points[name],
            markdown_text(", ".join(members.get(index, []))),
        )
        for index, (name, number, boxed) in enumerate(
            zip(classes.names, classes.numbers, classes.boxed, strict=True), 1
        )
        if members.get(index)
    ]
    head = ("Class", "Number", "Boxes", "Points", "OSI types and materials")
    source = markdown_text(classes.source)
    text = f"## Classes\n\nMap <code>{source}</code>, SHA-256 `{classes.digest[:_DIGITS]}`.\n\n"
    return text + _table(head, rows) + "\n" + "\n".join(map(markdown_text, unlabelled(made))) + "\n"


def unlabelled(made: DataSet) -> Iterator[str]:
    """Yield the sentences of a data set's card that count points and objects without a class.

    The first one counts points; it is left out if the layout does not label points. The second one
    counts moving objects. Each lists the most frequent types first. `made` is the record of the
    data set that was written.
    """
    lost, total = made.total("unlabelled"), sum(each.points for each in made.counts.values())
    if made.layout.labels_points:
        share = 100.0 * lost.total() / max(total, 1)
        yield f"Points without a class: {lost.total()} of {total} ({share:.1f} %){_listed(lost)}."
    boxes = made.total("unboxed")
    yield f"Moving objects in scans without a class: {boxes.total()}{_listed(boxes)}."


def _listed(counts: Counter[str]) -> str:
    """Return names and counts as a text, the most frequent first."""
    order = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return f": {', '.join(f'{name} {n}' for name, n in order)}" if order else ""


def _truth(made: DataSet) -> str:
    text = (
        f"## Boxes\n\n{_WHEN[made.wanted.when]} {_AROUND}\n\n"
        "Visibility is the points on an object by those if it stood there alone"
    )
    if not made.estimated:
        return text + "; it is exact.\n"
    which = (
        "all runs"
        if len(made.estimated) == len(made.sources)
        else markdown_text(", ".join(made.estimated))
    )
    return text + f". It is estimated for {which}: from points that end before the box.\n"


def _again(made: DataSet) -> str:
    wanted = made.wanted
    known = [each for each in made.sources if not _is_of(each, wanted.replayed)]
    words: list[object] = ["osi-lidar", "dataset", *(each.name for each in known)]
    words += [*wanted.jobs, *(["--config", wanted.config] if wanted.config else [])]
    words += ["--format", wanted.form, "--split", "/".join(f"{each:g}" for each in wanted.shares)]
    words += ["--classes", made.classes.source, "--seed", wanted.seed, "--boxes", wanted.when]
    words += [word for name in wanted.sensors or () for word in ("--sensor", name)]
    words += ["--licence", wanted.licence] if wanted.licence else []
    line = shlex.join(str(word) for word in [*words, "--out", made.path.name])
    return (
        "## Make it again\n\n"
        "With the same version, from the folders of the runs, whose `run.json` tells how they were "
        f"made, or from the traces or jobs. The hash above is the same then.\n\n{_indented(line)}"
    )


def _indented(command: str) -> str:
    """Return a command as an indented code block; file names in it may contain line breaks."""
    return "".join(f"    {line}\n" for line in command.splitlines())


def _trace_of(source: RunSource) -> str:
    """Return the file name of the trace of a run, or "none"."""
    return "none" if source.run.trace is None else source.run.trace.name


def _is_of(source: RunSource, traces: Collection[str]) -> bool:
    """Return whether the trace of a run, or the bundle that holds it, is among some names."""
    trace = source.run.trace
    bundle = None if trace is None else bundle_above(Path(shown_text(str(trace))))
    return _trace_of(source) in traces or (bundle is not None and bundle.name in traces)


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown; cells are Markdown too."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(str(cell) for cell in line)} |\n" for line in lines)
