# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``gap compare``."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lidar_app.cli.parts.completion import known_sensors
from lidar_app.cli.parts.console import can_draw, print_json, tell
from lidar_app.cli.parts.options import (
    CalibrationOption,
    ColumnsOption,
    JsonOption,
    MetadataOption,
    SimSourceOption,
    SourceOption,
)
from lidar_app.cli.parts.parameters import INPUT, OUT, OUTPUT, SENSOR, argument, option, switch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from lidar_gap.compare import Comparison
    from lidar_gap.layout import Layout
    from lidar_gap.records import Pair

_BY = "gap compare"
_NAMES = r"report\.(json|md)|(budget|returns|noise|echoes)\.png"
_PICTURES = r"|frame_\d{6,}\.png"


@dataclass(frozen=True)
class CompareOptions:
    """Values of options of ``osi-lidar gap compare``, which compares simulated with real clouds.

    Clouds are compared as range images, whose rows are rings (lasers) and whose columns are the
    firings of one turn.

    Attributes
    ----------
    sensor : str or None
        Known sensor that gives rings and columns; None: of `calibration`, else found in the clouds.
    calibration : Path or None
        The maker's calibration file of the unit, which also gives rings and columns; None: none.
    columns : int or None
        Columns per turn, where the sensor offers a choice; None: the sensor's own number.
    metadata : Path or None
        The maker's file that is needed to decode packets of the real recordings; None: none.
    source, sim_source : str or None
        Sender, topic or sensor to read in the real and in the simulated recording; None: the only
        one.
    mask : Path or None
        Pixels to leave out: a picture of rings x columns, or boxes around the sensor (YAML); None:
        none.
    real_again : Path or None
        Second real recording of the same place, with equally many frames; None: none.
    standing : bool
        Whether the real sensor stands still; each real cloud is then compared with the next one,
        too.
    null : (Path, Path) or None
        Clouds of a null test: simulated ones, and ones simulated in a twin that was built from
        them; None: no null test.
    boxes : Path or None
        Labelled boxes, on which points are counted; None: none.
    fast : bool
        True: the measures by nearest neighbours are left out.
    """

    sensor: str | None = option(
        "NAME",
        "Known sensor whose rings and columns the clouds have. Default: found in the clouds.",
        SENSOR,
        complete=known_sensors,
    )
    calibration: CalibrationOption = None
    columns: ColumnsOption = None
    metadata: MetadataOption = None
    source: SourceOption = None
    sim_source: SimSourceOption = None
    mask: Path | None = option(
        "FILE",
        "Pixels to leave out: a picture of rings x columns, or boxes around the sensor (YAML). "
        "Default: none.",
        INPUT,
    )
    real_again: Path | None = option(
        "PATH",
        "Second real recording of the same place, with a frame for each frame of REAL. Default: "
        "none.",
        INPUT,
    )
    standing: bool = switch(
        "The real sensor stands still: also compare each real frame with the next one."
    )
    null: tuple[Path, Path] | None = option(
        "FIRST AGAIN",
        "Clouds of a null test, of `osi-lidar gap twin --null`. Default: none.",
        INPUT,
    )
    boxes: Path | None = option(
        "FILE", "Labelled objects, to count the points on each. Default: none.", INPUT
    )
    fast: bool = switch("Leave out the measures by nearest neighbours.")

    def compared(self, real: Path, sim: Path) -> tuple[Comparison, Sequence[Pair], Layout]:
        """Compare simulated with real clouds as these options state.

        Parameters
        ----------
        real, sim : Path
            Real and simulated clouds of the same frames: a file, or a folder of frames.

        Returns
        -------
        comparison : Comparison
            All measures.
        pairs : sequence of Pair
            Real and simulated cloud of each frame, with their range images.
        layout : Layout
            Rings and columns of the range images.

        Raises
        ------
        InputError, ConfigurationError
            If a file or the sensor cannot be used, the numbers of frames differ, or `standing` is
            given with `real_again` or with a single real frame.
        """
        from lidar_gap.compare import compare as run
        from lidar_gap.compare.labels import read_labels
        from lidar_gap.own_vehicle import mask_from_file
        from lidar_gap.pairing import Sources, read_pairs

        sources = Sources(
            real=real,
            sim=sim,
            again=self.real_again,
            standing=self.standing,
            null=self.null,
            metadata=self.metadata,
            source=self.source,
            sim_source=self.sim_source,
            sensor=self.sensor,
            calibration=self.calibration,
            columns=self.columns,
        )
        labels = None if self.boxes is None else read_labels(self.boxes)
        groups, layout = read_pairs(sources)
        kept = None if self.mask is None else ~mask_from_file(self.mask, layout)
        done = run(groups, kept, with_neighbours=not self.fast, labels=labels)
        return done, groups.sim, layout


def compare(
    real: Annotated[Path, argument("REAL", "Real clouds: a file, or a folder of frames.")],
    sim: Annotated[Path, argument("SIM", "Simulated clouds of the same frames.")],
    options: CompareOptions,
    pictures: int = option(
        "N", "Frames to draw, evenly spread.", OUTPUT, default=3, limits=(0, None)
    ),
    out_folder: Path = option("DIR", "Output folder.", *OUT, default=Path("compare")),
    as_json: JsonOption = False,
) -> None:
    """Compare simulated clouds with real ones of the same frames, pixel by pixel.

    A frame of SIM is compared with the frame of REAL of the same name. If names
    differ, frames are paired in order; both need the same number of frames.
    A beam of SIM is compared with the beam of REAL in the same ring and column:
    do both return, and what is the simulated minus the real range?
    Rings are numbered as in the known sensor, or without one as in the real clouds.
    """
    from lidar_base.files.own_files import check_names, remove_own
    from lidar_base.files.whole_files import make_folder
    from lidar_gap.compare.report import MOST_ROWS, comparison_tables, report_dict, write_report

    check_names(out_folder, re.compile(_NAMES + _PICTURES * (pictures > 0)), _BY)
    comparison, pairs, layout = options.compared(real, sim)
    given = {"real": real, "sim": sim, **asdict(options)}
    shown = {name: _plain(value) for name, value in given.items()}
    make_folder(out_folder)
    remove_own(out_folder, _BY)
    files = write_report(comparison, out_folder, shown)
    if can_draw():
        files += _draw(comparison, _spread(pairs, pictures), layout.ring_number, out_folder)
    if as_json:
        print_json(report_dict(comparison, shown))
        return
    tell(*comparison_tables(comparison, MOST_ROWS))
    names = ", ".join(each.name for each in files)
    tell(f"{out_folder}: {names}")


def _plain(value: object) -> object:
    """Return the value of an option in a form for JSON."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, Path) else value


def _spread(pairs: Sequence[Pair], n_frames: int) -> dict[int, Pair]:
    """Return `n_frames` evenly spread pairs, by index."""
    import numpy as np

    numbers = np.linspace(0, len(pairs) - 1, min(n_frames, len(pairs))).round().astype(int)
    return {number: pairs[number] for number in numbers.tolist()}


def _draw(
    comparison: Comparison,
    pairs: Mapping[int, Pair],
    ring_number: NDArray[np.int32],
    folder: Path,
) -> list[Path]:
    """Draw the pictures over all frames, and one for each given pair; return the paths."""
    from lidar_gap.compare import pictures
    from lidar_gap.compare.frame_picture import frame_picture

    files = [
        pictures.budget_picture(comparison, folder / "budget.png"),
        pictures.returns_picture(comparison, folder / "returns.png"),
        pictures.noise_picture(comparison, folder / "noise.png"),
        pictures.echoes_picture(comparison, folder / "echoes.png"),
    ]
    for number, pair in pairs.items():
        path = folder / f"frame_{number:06d}.png"
        measures = comparison.sim.frames[number]
        files.append(frame_picture(pair, comparison.kept, measures, path, ring_number))
    return files
