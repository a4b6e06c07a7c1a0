# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lidar_app.cli.parts.completion import known_sensors
from lidar_app.cli.parts.console import can_draw, print_json, tell
from lidar_app.cli.parts.options import CalibrationOption, ColumnsOption, JsonOption, MetadataOption
from lidar_app.cli.parts.parameters import INPUT, OUTPUT, SENSOR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_gap.compare import Comparison
    from lidar_gap.records import Pair

RealArgument = Annotated[
    Path, typer.Argument(metavar="REAL", help="Real clouds: a file, or a folder of frames.")
]
SimArgument = Annotated[
    Path, typer.Argument(metavar="SIM", help="Simulated clouds of the same frames.")
]
KnownOption = Annotated[
    str | None,
    typer.Option(
        "--sensor",
        metavar="NAME",
        help="Known sensor whose rings and columns the clouds have. Default: found in the clouds.",
        autocompletion=known_sensors,
        rich_help_panel=SENSOR,
    ),
]
MaskOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="What is left out: a picture of rings x columns, or boxes (YAML). Default: nothing.",
        rich_help_panel=INPUT,
    ),
]
AgainOption = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="Real clouds of the same place once more, frame by frame. Default: none.",
        rich_help_panel=INPUT,
    ),
]
StandingOption = Annotated[
    bool, typer.Option("--standing", help="The real sensor stands still: compare it with itself.")
]
NullOption = Annotated[
    tuple[Path, Path] | None,
    typer.Option(
        metavar="FIRST AGAIN",
        help="Clouds of a null test, of `osi-lidar twin --null`. Default: none.",
        rich_help_panel=INPUT,
    ),
]
BoxesOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Labelled objects, to count the points on each. Default: none.",
        rich_help_panel=INPUT,
    ),
]
FastOption = Annotated[
    bool, typer.Option("--fast", help="Without the measures by nearest neighbours.")
]
PicturesOption = Annotated[
    int,
    typer.Option(metavar="N", min=0, help="Frames to draw, evenly spread.", rich_help_panel=OUTPUT),
]
FolderOption = Annotated[
    Path, typer.Option("--out", "-o", metavar="DIR", help="Output folder.", rich_help_panel=OUTPUT)
]


def compare(
    real: RealArgument,
    sim: SimArgument,
    sensor: KnownOption = None,
    calibration: CalibrationOption = None,
    columns: ColumnsOption = None,
    metadata: MetadataOption = None,
    mask: MaskOption = None,
    real_again: AgainOption = None,
    standing: StandingOption = False,
    null: NullOption = None,
    boxes: BoxesOption = None,
    fast: FastOption = False,
    pictures: PicturesOption = 3,
    out_folder: FolderOption = Path("compare"),
    as_json: JsonOption = False,
) -> None:
    """Compare simulated clouds with real ones of the same frames, pixel by pixel."""
    from lidar_gap.compare import compare as run
    from lidar_gap.compare.labels import read_labels
    from lidar_gap.compare.report import report_dict, rich_tables, write_report
    from lidar_gap.own_vehicle import mask_from_file
    from lidar_gap.pairing import Sources, read_pairs
    from osi_lidar.files import make_folder

    sources = Sources(
        real=real,
        sim=sim,
        again=real_again,
        standing=standing,
        null=null,
        metadata=metadata,
        sensor=sensor,
        calibration=calibration,
        columns=columns,
    )
    labels = None if boxes is None else read_labels(boxes)
    groups, layout = read_pairs(sources)
    kept = None if mask is None else ~mask_from_file(mask, layout)
    comparison = run(groups, kept, with_neighbours=not fast, labels=labels)
    given = {
        "real": str(real),
        "sim": str(sim),
        "sensor": sensor,
        "calibration": _text(calibration),
        "columns": columns,
        "metadata": _text(metadata),
        "mask": _text(mask),
        "real_again": _text(real_again),
        "standing": standing,
        "null": None if null is None else [str(each) for each in null],
        "boxes": _text(boxes),
        "fast": fast,
    }
    make_folder(out_folder)
    _remove_pictures(out_folder)
    files = write_report(comparison, out_folder, given)
    files += _draw(comparison, groups.sim, out_folder, pictures)
    if as_json:
        print_json(report_dict(comparison, given))
        return
    tell(rich_tables(comparison))
    names = ", ".join(each.name for each in files)
    tell(f"{out_folder}: {names}")


def _remove_pictures(folder: Path) -> None:
    """Remove the pictures of an earlier comparison; recordings have names like theirs."""
    from lidar_gap.compare.report import TABLES
    from osi_lidar.files import remove

    if (folder / TABLES).is_file():
        for earlier in folder.glob(f"frame_{6 * '[0-9]'}.png"):
            remove(earlier)


def _draw(comparison: Comparison, pairs: Sequence[Pair], folder: Path, n_frames: int) -> list[Path]:
    """Draw the pictures, and return their paths."""
    import numpy as np

    if not can_draw():
        return []
    from lidar_gap.compare import pictures
    from lidar_gap.compare.frame_picture import frame_picture

    files = [
        pictures.budget_picture(comparison, folder / "budget.png"),
        pictures.returns_picture(comparison, folder / "returns.png"),
        pictures.noise_picture(comparison, folder / "noise.png"),
        pictures.echoes_picture(comparison, folder / "echoes.png"),
    ]
    numbers = np.linspace(0, len(pairs) - 1, min(n_frames, len(pairs))).round().astype(int)
    for number in numbers.tolist():
        path = folder / f"frame_{number:06d}.png"
        measures = comparison.sim.frames[number]
        files.append(frame_picture(pairs[number], comparison.kept, measures, path))
    return files


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
