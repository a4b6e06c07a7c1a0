# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands ``gap reality``: fetch public recordings, measure them, score simulations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lidar_app.cli.parts.command import Commands
from lidar_app.cli.parts.console import can_draw, print_json, progress, say, tell
from lidar_app.cli.parts.options import JsonOption
from lidar_app.cli.parts.parameters import INPUT, OUT, OUTPUT, argument, option
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lidar_gap.calibrate.findings import Findings
    from lidar_gap.reality.fetching import FileState
    from lidar_gap.reality.recordings import PublicRecording
    from lidar_gap.reality.report import Scored
    from lidar_gap.reality.scenes import RecordedPlace
    from lidar_gap.reality.scoring import RealSpread
    from lidar_gap.records import ScanCloud

_BY = "gap reality"
_MOST_SHOWN = 3  # recordings whose rows the terminal shows
_STATES = ("fetched", "there", "missing", "changed")
PackArgument = Annotated[Path, argument("PACK", "Folder that `fetch` has filled with recordings.")]


@dataclass(frozen=True)
class ChoiceOptions:
    """Values of options of ``osi-lidar gap reality`` that choose public recordings.

    Attributes
    ----------
    only : str or None
        Names of recordings with commas between them; None: all recordings.
    descriptions : Path or None
        Folder with a description (YAML) of each recording; None: the folder in this package.
    """

    only: str | None = option("NAME,..", "Only these recordings. Default: all.", INPUT)
    descriptions: Path | None = option(
        "DIR",
        "Folder of descriptions of recordings (YAML). Default: the descriptions of the reality "
        "pack.",
        INPUT,
    )

    def recordings(self) -> list[PublicRecording]:
        """Return the descriptions of the chosen recordings.

        InputError is raised if a name is unknown or a description cannot be used.
        """
        from lidar_gap.reality.recordings import catalogue

        return catalogue(self.only, self.descriptions)


@dataclass(frozen=True)
class SubjectOptions:
    """Values of options of ``osi-lidar gap reality score``: clouds to judge, and scenes to write.

    Attributes
    ----------
    subject : Path or None
        Folder of the simulated clouds, which has a folder with the name of each recording. None:
        this package's own sensors are simulated.
    scenes : Path or None
        Folder into which the simulated scene of each recording is written; None: none is written.
    """

    subject: Path | None = option(
        "DIR",
        "Simulated clouds to judge, a folder for each recording. Default: our own sensors.",
        INPUT,
    )
    scenes: Path | None = option(
        "DIR",
        "Folder for the scenes: mesh, materials, configuration. Default: none.",
        OUTPUT,
        "--write",
    )

    def with_clouds(self, recordings: Sequence[PublicRecording]) -> list[PublicRecording]:
        """Return the recordings for which there are simulated clouds to judge.

        Recordings without a folder in `subject` are left out, and a warning on stderr names them.

        Parameters
        ----------
        recordings : sequence of PublicRecording
            The recordings; without `subject`, all of them are returned.

        Raises
        ------
        InputError
            If `subject` has no folder of any recording.
        """
        if self.subject is None:
            return list(recordings)
        there = [each for each in recordings if (self.subject / each.name).is_dir()]
        if not there:
            wanted = ", ".join(each.name for each in recordings)
            raise InputError(
                f"{self.subject}: has no folder with the name of a recording, expected at least "
                f"one of {wanted}"
            )
        absent = [each.name for each in recordings if each not in there]
        if absent:
            say(f"{self.subject} has no clouds for {', '.join(absent)}", style="yellow")
        return there

    def clouds(self, real: RecordedPlace) -> list[ScanCloud]:
        """Return simulated clouds of the place of a recording, a list with one for each scan.

        If `scenes` is given, the simulated scene of the place is also written.

        Parameters
        ----------
        real : RecordedPlace
            The recording. Its clouds are read from the folder of its name in `subject`; without
            `subject`, this package simulates the recorded sensor.
        """
        from tempfile import TemporaryDirectory

        from lidar_gap.reading import read_clouds

        if self.scenes is not None:
            real.write_scene(self.scenes / real.recording.name)
        if self.subject is not None:
            return read_clouds(self.subject / real.recording.name)
        with TemporaryDirectory() as folder:
            return real.scans(Path(folder))


def fetch(
    choice: ChoiceOptions,
    mirrors: Path | None = option(
        "DIR",
        "Folder of git clones to copy from, instead of the network. Default: none.",
        INPUT,
        "--from",
    ),
    pack: Path = option("DIR", "Folder for the recordings.", *OUT, default=Path("reality")),
    as_json: JsonOption = False,
) -> None:
    """Fetch public recordings at pinned commits, and verify every byte of them.

    Files that exist already are verified, and never replaced.
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
    """Show a line for each recording with bad files; then raise InputError if there are any."""
    for name, files in groupby(bad, key=lambda each: each.recording.name):
        first, *others = files
        more = f", and {len(others)} more" if others else ""
        say(f"{name}: {first.path}{more}: {first.state}: {first.reason}")
    if bad:
        raise InputError(
            f"{len(bad)} of {n_file} files are missing or differ from their description"
        )


def measure(
    pack: PackArgument,
    choice: ChoiceOptions,
    out_file: Path = option(
        "FILE", "Figures (JSON) to write.", *OUT, default=Path("measured.json")
    ),
    as_json: JsonOption = False,
) -> None:
    """Measure figures of the sensors in the recordings, with confidence intervals."""
    from lidar_base.files.own_files import check_claim
    from lidar_base.files.whole_files import check_apart
    from lidar_gap.reality.report import measured_dict, measured_table, write_json

    recordings = choice.recordings()
    check_apart([out_file], [file for each in recordings for file in each.paths(pack)])
    check_claim(out_file)
    measured: list[tuple[PublicRecording, int, Findings]] = []
    with progress("recordings") as bar:
        for each in bar.track(recordings, description="recordings"):
            real = _recorded(each, pack)
            measured.append((each, len(real.clouds), real.figures()))
    content = measured_dict(measured)
    write_json(out_file, content)
    if as_json:
        print_json(content)
        return
    tell(measured_table(measured))
    tell(f"Written: {out_file}")


def score(
    pack: PackArgument,
    choice: ChoiceOptions,
    judged: SubjectOptions,
    out_folder: Path = option("DIR", "Output folder.", *OUT, default=Path("score")),
    as_json: JsonOption = False,
) -> None:
    """Score simulated clouds against the recordings, one figure per row.

    The yardstick of most figures is the difference between two recordings of one sensor. Figures of
    points on objects have fixed limits instead.
    """
    from lidar_base.files.own_files import check_names
    from lidar_base.files.whole_files import make_folder
    from lidar_gap.reality import report
    from lidar_gap.reality.scoring import real_against_real

    between, recordings = real_against_real(), judged.with_clouds(choice.recordings())
    check_names(out_folder, _names(recordings), _BY)
    make_folder(out_folder)
    with progress("recordings") as bar:
        scored = [
            _scored(_recorded(each, pack), judged, between)
            for each in bar.track(recordings, description="recordings")
        ]
    name = "our sensors" if judged.subject is None else str(judged.subject)
    content = report.score_dict(scored, between, name)
    report.write_json(out_folder / report.SCORE_FILE, content)
    report.write_page(out_folder / report.PAGE_FILE, scored, name, _drawn(scored, out_folder))
    if as_json:
        print_json(content)
        return
    shown = scored if len(scored) <= _MOST_SHOWN else ()
    tell(report.sum_table(scored), *(report.score_table(each) for each in shown))
    counts = report.counted([row for each in scored for row in each.rows])
    words = ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
    tell(f"{words}; {out_folder / report.PAGE_FILE}")


def _names(recordings: Sequence[PublicRecording]) -> re.Pattern[str]:
    """Return a pattern for the names of the files that `score` writes."""
    pictures = "|".join(re.escape(each.name) for each in recordings)
    return re.compile(rf"score\.(json|html)|({pictures})\.png")


def _recorded(recording: PublicRecording, pack: Path) -> RecordedPlace:
    """Return a recording, after verifying its files."""
    from lidar_gap.reality.fetching import check_whole
    from lidar_gap.reality.scenes import read_recorded

    check_whole(recording, pack)
    return read_recorded(recording, pack)


def _scored(
    real: RecordedPlace, judged: SubjectOptions, between: Mapping[str, RealSpread]
) -> Scored:
    """Score the simulated clouds of a recording; return its rows."""
    from lidar_gap.reality.report import Scored
    from lidar_gap.reality.scoring import score as rows_of

    sim = real.figures(judged.clouds(real))
    rows = rows_of(real.recording, real.figures(), sim, between)
    return Scored(real.recording, len(real.clouds), rows)


def _drawn(scored: Sequence[Scored], folder: Path) -> dict[str, str]:
    """Draw a picture for each recording; return the file names, by recording."""
    if not can_draw():
        return {}
    from lidar_gap.reality.pictures import draw

    names = {each.recording.name: f"{each.recording.name}.png" for each in scored}
    drawn = [
        each.recording.name for each in scored if draw(each, folder / names[each.recording.name])
    ]
    return {name: names[name] for name in drawn}


reality = Commands("Compare simulated sensors with public recordings: fetch, measure, score.")
reality.add(fetch, "osi-lidar gap reality fetch --only vlp-16-office", writes=_BY)
reality.add(measure, "osi-lidar gap reality measure reality", writes=_BY)
reality.add(score, "osi-lidar gap reality score reality --out score", writes=_BY)
