# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The group of commands ``gap``, and its commands ``gap apply`` and ``gap metrics``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from lidar_app.cli.parts.command import Commands
from lidar_app.cli.parts.completion import known_sensors
from lidar_app.cli.parts.console import display, print_json, progress, tell
from lidar_app.cli.parts.options import (
    CalibrationOption,
    JsonOption,
    MetadataOption,
    OverwriteOption,
    SimSourceOption,
    SourceOption,
)
from lidar_app.cli.parts.parameters import OUT, OUTPUT, SENSOR, argument, option
from lidar_app.cli.real.calibrate import calibrate
from lidar_app.cli.real.compare import compare
from lidar_app.cli.real.reality import reality
from lidar_app.cli.real.twin import twin
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lidar_gap.operators_on_runs import AppliedFrame
    from lidar_gap.pairing import FramePair
    from lidar_gap.records import ScanCloud
    from lidar_gap.tasks.report import TaskRules

RealTableOption = Annotated[
    Path | None, option("FILE", "Table (CSV, JSON) of the real run. Default: none.")
]
SimTableOption = Annotated[
    Path | None, option("FILE", "Table (CSV, JSON) of the simulated run. Default: none.")
]


@dataclass(frozen=True)
class PixelOptions:
    """Values of options of ``osi-lidar gap apply`` for the real sensor and for reading clouds.

    Rings (lasers) and columns (firings of a turn) of the sensor are the pixels of range images.

    Attributes
    ----------
    sensor : str or None
        Known sensor that gives rings and columns; None: of `calibration`, else found in the real
        clouds.
    calibration : Path or None
        The maker's calibration file of the unit; None: none.
    metadata : Path or None
        The maker's file that is needed to decode packets of the real recording; None: none.
    source, sim_source : str or None
        Sender, topic or sensor to read in the real and in the simulated recording; None: the only
        one.
    """

    sensor: str | None = option(
        "NAME",
        "Known sensor whose beams are the pixels of the images. Default: found in the real clouds.",
        SENSOR,
        complete=known_sensors,
    )
    calibration: CalibrationOption = None
    metadata: MetadataOption = None
    source: SourceOption = None
    sim_source: SimSourceOption = None

    def pairs(self, real: Path, sim: Path, folder: Path) -> list[FramePair]:
        """Read the clouds; return a pair (real, simulated) for each frame.

        Parameters
        ----------
        real, sim : Path
            File or folder of the real clouds, and of the simulated ones.
        folder : Path
            Folder into which new clouds with the same file names will be written.

        Raises
        ------
        OutputError
            If a new file would replace one of the given clouds.
        """
        from lidar_base.files.whole_files import check_apart
        from lidar_gap.pairing import frame_pairs, with_one_range
        from lidar_gap.reading import cloud_files, read_clouds

        recorded = read_clouds(real, metadata=self.metadata, source=self.source)
        frames = frame_pairs(recorded, read_clouds(sim, source=self.sim_source))
        (pairs,) = with_one_range(frames)
        given = [file for path in (real, sim) for file in cloud_files(path)]
        check_apart([folder / file.name for file in given], given)
        return pairs


@dataclass(frozen=True)
class TableOptions:
    """Values of options of ``osi-lidar gap metrics``: tables of detections, predictions and plans.

    The tables (CSV, JSON) of the real run were made from real clouds. The tables of the simulated
    run were made from simulated clouds of the same frames. None: no such table.

    Attributes
    ----------
    boxes_real, boxes_sim : Path or None
        Detected boxes of each run.
    labels : Path or None
        Boxes that serve as ground truth; None: the detected boxes of the real run.
    trajectories_real, trajectories_sim : Path or None
        Predicted trajectories of actors of each run.
    plans_real, plans_sim : Path or None
        Plans of the ego vehicle of each run.
    """

    boxes_real: RealTableOption = None
    boxes_sim: SimTableOption = None
    labels: Path | None = option(
        "FILE",
        "Table (CSV, JSON) of boxes that serve as ground truth. Default: the boxes of the real "
        "run.",
    )
    trajectories_real: RealTableOption = None
    trajectories_sim: SimTableOption = None
    plans_real: RealTableOption = None
    plans_sim: SimTableOption = None


@dataclass(frozen=True)
class RuleOptions:
    """Values of options of ``osi-lidar gap metrics`` for the rules of its metrics.

    Attributes
    ----------
    iou : float
        Least intersection over union (IoU) of a detection and a label that match; above 0, at most
        1.
    overlap : {"3d", "bev"}
        IoU of volumes, or of areas seen from above.
    interpolation : {"none", "envelope"}
        Interpolation of the average precision; "envelope" as in Pascal VOC from 2010 on.
    least_score : float or None
        Real detections with a lower score do not serve as labels; None: all serve.
    recall : float
        Recall, above 0 and at most 1, at which actors are matched to compare their trajectories.
    """

    iou: float = option("IOU", "Least IoU at which a box is found.", default=0.7)
    overlap: Literal["3d", "bev"] = option(
        "3d|bev", "IoU of boxes: 3d, or bev from above.", default="3d"
    )
    interpolation: Literal["none", "envelope"] = option(
        "KIND",
        "Interpolation of average precision (AP): none, or envelope (Pascal VOC from 2010 on).",
        default="none",
    )
    least_score: float | None = option(
        "SCORE", "Real detections below this score are not labels. Default: all are."
    )
    recall: float = option("SHARE", "Recall at which actors are matched for minADE.", default=0.3)

    def rules(self) -> TaskRules:
        """Return the rules that these options state.

        Raises
        ------
        InputError
            If `iou` or `recall` is not above 0, or exceeds 1.
        """
        from lidar_gap.tasks.detection import DetectionRules
        from lidar_gap.tasks.report import TaskRules

        detection = DetectionRules(
            least_iou=_share("--iou", self.iou),
            overlap=self.overlap,
            interpolation=self.interpolation,
        )
        recall = _share("--recall", self.recall)
        return TaskRules(detection=detection, least_score=self.least_score, recall=recall)


def apply(
    operators: Annotated[
        str,
        argument("OPERATORS", "Some of drop, add, echoes, modify=LO:HI, with commas between them."),
    ],
    real: Annotated[Path, argument("REAL", "Real clouds: a file, or a folder of one run.")],
    sim: Annotated[Path, argument("SIM", "Simulated clouds of the same frames.")],
    out_folder: Annotated[Path, option("DIR", "Folder for the new clouds.", *OUT)],
    pixels: PixelOptions,
    by: Literal["difference", "range"] = option(
        "WHAT", "LO and HI limit the difference of both ranges, or the range.", default="difference"
    ),
    file_format: Literal["pcd", "bin", "npy"] = option(
        "FORMAT",
        "pcd, bin (KITTI: x y z intensity) or npy (the same).",
        OUTPUT,
        "--format",
        default="pcd",
    ),
    overwrite: OverwriteOption = False,
) -> None:
    """Replace parts of simulated clouds by parts of real clouds, to see what a detector reacts to.

    Without --sensor and --calibration, the rings are found in the real clouds.
    """
    from lidar_gap.operators_on_runs import (
        cloud_writer,
        make_output_folder,
        operators_of,
        write_manifest,
    )

    names = operators_of(operators, by)
    make_output_folder(out_folder, file_format, overwrite=overwrite)
    pairs = pixels.pairs(real, sim, out_folder)
    frames = _applied(names, pairs, pixels, cloud_writer(out_folder, file_format))
    settings = {"operators": names, "real": str(real), "sim": str(sim), "sensor": pixels.sensor}
    calibration = pixels.calibration
    settings["calibration"] = None if calibration is None else str(calibration)
    _show_applied(frames, write_manifest(out_folder, settings, frames))


def _applied(
    names: Sequence[str],
    pairs: Sequence[FramePair],
    pixels: PixelOptions,
    write: Callable[[str, ScanCloud], str],
) -> list[AppliedFrame]:
    """Write the new clouds with a progress bar; return the counts of each frame."""
    from lidar_base.files.own_files import claimed
    from lidar_gap.operators_on_runs import BY, apply_operators
    from lidar_gap.pairing import chosen_layout
    from lidar_gap.rings import range_image

    layout = chosen_layout(pixels.sensor, pixels.calibration, [cloud for cloud, _ in pairs])
    done = apply_operators(names, pairs, lambda cloud: range_image(cloud, layout), write)
    with progress() as bar, claimed(BY):
        return list(bar.track(done, total=len(pairs), description="frames"))


def _show_applied(frames: Sequence[AppliedFrame], manifest: Path) -> None:
    """Show the totals over all frames, and the manifest, which has the counts of each frame."""
    from lidar_gap.operators_on_runs import totals

    counts = ", ".join(f"{name} {value:,}" for name, value in totals(frames).items())
    tell(f"{counts}\nManifest: {manifest}")


def metrics(tables: TableOptions, wanted: RuleOptions, as_json: JsonOption = False) -> None:
    """Compare detections, predictions and plans made from real and from simulated clouds."""
    from lidar_gap.tasks.report import TaskTables, report_dict, report_table, task_report

    report = task_report(TaskTables(**asdict(tables)), wanted.rules())
    if as_json:
        print_json(report_dict(report))
    else:
        display(report_table(report))


def _share(option: str, value: float) -> float:
    """Check that a share is above 0 and at most 1."""
    if not 0.0 < value <= 1.0:
        raise InputError(f"{option}: got {value:g}, expected a number above 0, at most 1")
    return value


gap = Commands("Compare simulated clouds with real ones: measure the gap, show it, and reduce it.")
gap.add(
    compare,
    "osi-lidar gap compare real drive_lidar/VLP-16 --sensor VLP-16 --out compare",
    writes="gap compare",
)
gap.add(
    calibrate,
    "osi-lidar gap calibrate recording.pcap --sensor VLP-16 --out sensor.yaml",
    writes="gap calibrate",
)
gap.add(
    twin, "osi-lidar gap twin clouds poses.csv --out twin.glb --sensor VLP-16", writes="gap twin"
)
gap.add(apply, "osi-lidar gap apply drop,add real drive_lidar/VLP-16 --out closer")
gap.add(metrics, "osi-lidar gap metrics --boxes-real real.csv --boxes-sim sim.csv --iou 0.7")
gap.add_typer(reality, name="reality")
