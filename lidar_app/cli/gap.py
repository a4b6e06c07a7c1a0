# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands ``gap apply`` and ``gap metrics``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from lidar_app.cli.parts.command import Commands
from lidar_app.cli.parts.completion import known_sensors, one_of
from lidar_app.cli.parts.console import out, print_json, progress, tell
from lidar_app.cli.parts.options import (
    CalibrationOption,
    JsonOption,
    MetadataOption,
    OverwriteOption,
)
from lidar_app.cli.parts.parameters import OUTPUT, SENSOR, argument, option, output
from lidar_app.cli.parts.parsing import checked_choice
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_gap.apply import AppliedFrame

By = Literal["difference", "range"]
RealTableOption = Annotated[
    Path | None,
    option("FILE", "Table (CSV, JSON) of the real run. Default: none."),
]
SimTableOption = Annotated[
    Path | None,
    option("FILE", "Table (CSV, JSON) of the simulated run. Default: none."),
]


def apply(
    operators: Annotated[
        str,
        argument("OPERATORS", "Some of drop, add, echoes, modify=LO:HI, with commas between them."),
    ],
    real: Annotated[Path, argument("REAL", "Real clouds: a file, or a folder of one run.")],
    sim: Annotated[Path, argument("SIM", "Simulated clouds of the same frames.")],
    out_folder: Annotated[
        Path,
        output("DIR", "Folder for the new clouds."),
    ],
    sensor: Annotated[
        str | None,
        option(
            "NAME",
            "Known sensor whose beams are the pixels of the images. Default: found in the "
            "real clouds.",
            SENSOR,
            complete=known_sensors,
        ),
    ] = None,
    calibration: CalibrationOption = None,
    metadata: MetadataOption = None,
    by: Annotated[
        str,
        option(
            "WHAT",
            "What LO and HI limit: difference of both ranges, or range.",
            complete=one_of("difference", "range"),
        ),
    ] = "difference",
    file_format: Annotated[
        str,
        option(
            "FORMAT",
            "pcd, bin (KITTI: x y z intensity) or npy (the same).",
            OUTPUT,
            "--format",
            complete=one_of("pcd", "bin", "npy"),
        ),
    ] = "pcd",
    overwrite: OverwriteOption = False,
) -> None:
    """Replace parts of simulated clouds by those of the real ones, for any detector.

    Without --sensor and --calibration, the rings are found in the real clouds.
    """
    from lidar_gap.apply import (
        FORMATS,
        apply_operators,
        cloud_writer,
        make_output_folder,
        operators_of,
        write_manifest,
    )
    from lidar_gap.pairing import chosen_layout, frame_pairs
    from lidar_gap.reading import cloud_files, read_clouds
    from lidar_gap.rings import range_image
    from osi_lidar.files import check_apart

    limited = checked_choice("--by", by, get_args(By))
    names = operators_of(operators, limited)
    suffix = checked_choice("--format", file_format, FORMATS)
    make_output_folder(out_folder, overwrite=overwrite)
    pairs = frame_pairs(read_clouds(real, metadata=metadata), read_clouds(sim))
    given = [file for path in (real, sim) for file in cloud_files(path)]
    check_apart([out_folder / file.name for file in given], given)
    layout = chosen_layout(sensor, calibration, [cloud for cloud, _ in pairs])
    write = cloud_writer(out_folder, suffix)
    done = apply_operators(names, pairs, lambda cloud: range_image(cloud, layout), write)
    with progress() as bar:
        frames = list(bar.track(done, total=len(pairs), description="frames"))
    settings = {"operators": names, "real": str(real), "sim": str(sim), "sensor": sensor}
    settings["calibration"] = None if calibration is None else str(calibration)
    manifest = write_manifest(out_folder, settings, frames)
    _show_applied(frames, manifest)


def _show_applied(frames: Sequence[AppliedFrame], manifest: Path) -> None:
    """Show the sums of all frames in one line, and where those of each frame are."""
    from lidar_gap.apply import totals

    counts = ", ".join(f"{name} {value:,}" for name, value in totals(frames).items())
    tell(f"{counts}\nManifest: {manifest}")


def metrics(
    boxes_real: RealTableOption = None,
    boxes_sim: SimTableOption = None,
    labels: Annotated[
        Path | None,
        option("FILE", "Table of boxes that are taken for true. Default: those of the real run."),
    ] = None,
    trajectories_real: RealTableOption = None,
    trajectories_sim: SimTableOption = None,
    plans_real: RealTableOption = None,
    plans_sim: SimTableOption = None,
    iou: Annotated[float, option("IOU", "Least IoU at which a box is found.")] = 0.7,
    overlap: Annotated[
        str,
        option("3d|bev", "IoU of boxes: 3d, or bev from above.", complete=one_of("3d", "bev")),
    ] = "3d",
    interpolation: Annotated[
        str,
        option(
            "KIND",
            "Of AP: none, or envelope (Pascal VOC from 2010 on).",
            complete=one_of("none", "envelope"),
        ),
    ] = "none",
    least_score: Annotated[
        float | None,
        option("SCORE", "Real detections below this score are not labels. Default: all are."),
    ] = None,
    recall: Annotated[
        float, option("SHARE", "Recall at which actors are matched for minADE.")
    ] = 0.3,
    as_json: JsonOption = False,
) -> None:
    """Compare detections, predictions and plans made from real and from simulated clouds."""
    from lidar_gap.tasks.detection import INTERPOLATIONS, DetectionRules
    from lidar_gap.tasks.overlap import OVERLAPS
    from lidar_gap.tasks.report import (
        TaskRules,
        TaskTables,
        report_dict,
        report_table,
        task_report,
    )

    tables = TaskTables(
        boxes_real=boxes_real,
        boxes_sim=boxes_sim,
        labels=labels,
        trajectories_real=trajectories_real,
        trajectories_sim=trajectories_sim,
        plans_real=plans_real,
        plans_sim=plans_sim,
    )
    detection = DetectionRules(
        least_iou=_share("--iou", iou),
        overlap=checked_choice("--overlap", overlap, OVERLAPS),
        interpolation=checked_choice("--interpolation", interpolation, INTERPOLATIONS),
    )
    rules = TaskRules(
        detection=detection, least_score=least_score, recall=_share("--recall", recall)
    )
    report = task_report(tables, rules)
    if as_json:
        print_json(report_dict(report))
    else:
        out.print(report_table(report))


def _share(option: str, value: float) -> float:
    """Return a share above 0, at most 1."""
    if not 0.0 < value <= 1.0:
        raise InputError(f"{option}: got {value:g}, expected a number above 0, at most 1")
    return value


gap = Commands("Take parts of the gap to real clouds away, and see what they are worth to a task.")
gap.add(apply, "osi-lidar gap apply drop,add real drive_lidar/VLP-16 --out closer")
gap.add(metrics, "osi-lidar gap metrics --boxes-real real.csv --boxes-sim sim.csv --iou 0.7")
