# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The group of commands ``gap reality``: public recordings, their figures, and verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lidar_app.cli.parts.command import Commands
from lidar_app.cli.parts.console import can_draw, display, print_json, progress, say, tell
from lidar_app.cli.parts.options import JsonOption
from lidar_app.cli.parts.parameters import INPUT, OUT, OUTPUT, argument, option
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lidar_gap.calibrate.findings import Findings
    from lidar_gap.reality.fetching import FileState
    from lidar_gap.reality.recordings import PublicRecording
    from lidar_gap.reality.report import Scored
    from lidar_gap.records import ScanCloud

_BY = "gap reality"
_MOST_SHOWN = 3  # recordings whose rows the terminal shows
_STATES = ("fetched", "there", "missing", "changed")
PackArgument = Annotated[Path, argument("PACK", "Folder of the recordings, of `fetch`.")]


@dataclass(frozen=True)
class ChoiceOptions:
    """Options for which recordings."""

    only: str | None = option("NAME,..", "Only these recordings. Default: all.", INPUT)
    descriptions: Path | None = option(
        "DIR", "Folder of other descriptions (YAML). Default: ours.", INPUT
    )

    def recordings(self) -> list[PublicRecording]:
        """Return the descriptions."""
        from lidar_gap.reality.recordings import catalogue

        return catalogue(self.only, self.descriptions)


@dataclass(frozen=True)
class SubjectOptions:
    """Options for what is judged, and where."""

    subject: Path | None = option(
        "DIR",
        "Simulated clouds to judge, a folder for each recording. Default: our own sensors.",
        INPUT,
    )
    scenes: Path | None = option(
        "DIR", "Folder for the scenes: mesh, materials, configuration.", OUTPUT, "--write"
    )

    def check(self, recordings: Sequence[PublicRecording]) -> None:
        """Check that there is a folder of clouds for each recording, before any is read."""
        for each in recordings:
            if self.subject is not None and not (self.subject / each.name).is_dir():
                folder = self.subject / each.name
                raise InputError(f"{folder}: no such folder, expected clouds for {each.name}")

    def clouds(self, recording: PublicRecording, real: list[ScanCloud]) -> list[ScanCloud]:
        """Return the simulated clouds of a recording, and write its scene where that is asked."""
        from tempfile import TemporaryDirectory

        from lidar_gap.reading import read_clouds
        from lidar_gap.reality.simulated import scans, write_scene_of

        if self.scenes is not None:
            write_scene_of(recording, real, self.scenes / recording.name)
        if self.subject is not None:
            return read_clouds(self.subject / recording.name)
        with TemporaryDirectory() as folder:
            return scans(recording, real, Path(folder))


def fetch(
    choice: ChoiceOptions,
    mirrors: Path | None = option(
        "DIR", "Folder of clones, in place of the network. Default: none.", INPUT, "--from"
    ),
    pack: Path = option("DIR", "Folder for the recordings.", *OUT, default=Path("reality")),
    as_json: JsonOption = False,
) -> None:
    """Fetch public recordings at pinned commits, and verify every byte of them.

    What is there already is verified, and nothing is replaced.
    """
    from lidar_gap.reality.fetching import fetch as run

    recordings = choice.recordings()
    n_file = sum(len(each.files) for each in recordings)
    with progress("files") as bar:
        done = bar.track(run(recordings, pack, mirrors), n_file, description="files")
        states: list[FileState] = list(done)
    counts = {name: sum(each.state == name for each in states) for name in _STATES}
    if as_json:
        print_json({**counts, "files": [each.as_dict() for each in states]})
    else:
        words = ", ".join(f"{n} {name}" for name, n in counts.items() if n)
        tell(f"{words} in {pack}")
    _tell_bad([each for each in states if not each.is_good], len(states))


def _tell_bad(bad: Sequence[FileState], n_file: int) -> None:
    """Say in a line for each recording what is missing or changed, and end with an error."""
    for name, files in groupby(bad, key=lambda each: each.recording.name):
        first, *others = files
        more = f", and {len(others)} more" if others else ""
        say(f"{name}: {first.path}{more}: {first.state}: {first.reason}")
    if bad:
        raise InputError(f"{len(bad)} of {n_file} files are not there as described")


def measure(
    pack: PackArgument,
    choice: ChoiceOptions,
    out_file: Path = option(
        "FILE", "Figures (JSON) to write.", *OUT, default=Path("measured.json")
    ),
    as_json: JsonOption = False,
) -> None:
    """Measure what recordings tell of their sensors: figures with intervals."""
    from lidar_gap.reality.measuring import measure as run
    from lidar_gap.reality.report import measured_dict, measured_table, write_json

    measured: list[tuple[PublicRecording, int, Findings]] = []
    with progress("recordings") as bar:
        for each in bar.track(choice.recordings(), description="recordings"):
            clouds = _recorded(each, pack)
            measured.append((each, len(clouds), run(clouds, each.sensor)))
    content = measured_dict(measured)
    write_json(out_file, content)
    if as_json:
        print_json(content)
        return
    display(measured_table(measured))
    tell(f"Written: {out_file}")


def score(
    pack: PackArgument,
    choice: ChoiceOptions,
    judged: SubjectOptions,
    out_folder: Path = option("DIR", "Output folder.", *OUT, default=Path("score")),
    as_json: JsonOption = False,
) -> None:
    """Judge simulated clouds by what was recorded, row by row.

    The yardstick of a row is the difference between two real recordings.
    """
    from lidar_base.files.whole_files import make_folder
    from lidar_gap.reality import report
    from lidar_gap.reality.scoring import real_against_real

    recordings, between = choice.recordings(), real_against_real()
    judged.check(recordings)
    with progress("recordings") as bar:
        scored = [
            _scored(each, _recorded(each, pack), judged, between)
            for each in bar.track(recordings, description="recordings")
        ]
    make_folder(out_folder)
    name = "our sensors" if judged.subject is None else str(judged.subject)
    content = report.score_dict(scored, between, name)
    report.write_json(out_folder / report.SCORE_FILE, content)
    report.write_page(out_folder / report.PAGE_FILE, scored, name, _drawn(scored, out_folder))
    if as_json:
        print_json(content)
        return
    shown = scored if len(scored) <= _MOST_SHOWN else ()
    display(report.sum_table(scored), *(report.score_table(each) for each in shown))
    counts = report.counted([row for each in scored for row in each.rows])
    words = ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
    tell(f"{words}; {out_folder / report.PAGE_FILE}")


def _recorded(recording: PublicRecording, pack: Path) -> list[ScanCloud]:
    """Return the clouds of a recording, after verifying its files."""
    from lidar_gap.reality.fetching import check_whole
    from lidar_gap.reality.measuring import clouds_of

    check_whole(recording, pack)
    return clouds_of(recording, pack)


def _scored(
    recording: PublicRecording,
    real: list[ScanCloud],
    judged: SubjectOptions,
    between: Mapping[str, float],
) -> Scored:
    """Return the rows of a recording."""
    from lidar_gap.reality.measuring import measure as run
    from lidar_gap.reality.report import Scored
    from lidar_gap.reality.scoring import score as rows_of

    sim = judged.clouds(recording, real)
    rows = rows_of(recording, run(real, recording.sensor), run(sim, recording.sensor), between)
    return Scored(recording, len(real), rows)


def _drawn(scored: Sequence[Scored], folder: Path) -> dict[str, str]:
    """Draw the rows of recordings; return the paths beside the page, by recording."""
    if not can_draw():
        return {}
    from lidar_gap.reality.pictures import draw

    names = {each.recording.name: f"{each.recording.name}.png" for each in scored}
    drawn = [
        each.recording.name for each in scored if draw(each, folder / names[each.recording.name])
    ]
    return {name: names[name] for name in drawn}


reality = Commands("Hold sensors against public recordings: fetch, measure, score.")
reality.add(fetch, "osi-lidar gap reality fetch --only vlp-16-office", writes=_BY)
reality.add(measure, "osi-lidar gap reality measure reality", writes=_BY)
reality.add(score, "osi-lidar gap reality score reality --out score", writes=_BY)
