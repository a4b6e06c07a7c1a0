# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands ``demo``, ``replay`` and ``scan``."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lidar_app.cli.parts.bundles import bundle_of_trace
from lidar_app.cli.parts.compiling import compilation_message
from lidar_app.cli.parts.console import (
    EXIT_DAMAGED,
    EXIT_INTERRUPTED,
    EXIT_MISSING,
    NO_ROADS,
    can_draw,
    fail,
    progress,
    say,
    stoppable,
    tell,
)
from lidar_app.cli.parts.options import (
    FramesOption,
    MappedSetup,
    Messages,
    OverwriteOption,
    TimedSetup,
    TraceArgument,
    frame_slice,
)
from lidar_app.cli.parts.parameters import INPUT, OUT, OUTPUT, option, switch
from lidar_app.cli.parts.ros2 import NodeOptions
from lidar_app.cli.running.cluster import Split
from lidar_app.cli.view import offer_view, write_with_bar
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lidar_app.bundle.manifest import AuthorRun
    from osi_lidar.config import Config
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.run.report import Progress, Report
    from osi_lidar.scan.step import Step

logger = logging.getLogger(__name__)
PATIENCE_S = 1.0
"""Time that a step waits for reliable subscribers of ROS 2. [s]"""
FolderOption = Annotated[Path, option("DIR", "Output folder.", *OUT)]


@dataclass(frozen=True)
class Results(NodeOptions):
    """Values of options of ``osi-lidar replay`` for its results; others as in `NodeOptions`.

    Attributes
    ----------
    out_folder : Path or None
        Output folder; None: the trace's name with "_lidar", in the working folder.
    overwrite : bool
        Whether an earlier run in the folder is replaced.
    go_on : bool
        Whether an interrupted run in the folder is continued, and its complete files are kept.
    truth : bool
        Whether the ground truth is written, too: boxes.parquet with a row for each object and scan,
        and scans.parquet.
    verify : bool
        Whether the clouds are compared with the clouds of the author of the bundle, byte for byte.

    Raises
    ------
    InputError
        If `go_on` is given with `overwrite` or `truth`.
    """

    out_folder: Path | None = option(
        "DIR", "Output folder. Default: the trace's name with _lidar, in the working folder.", *OUT
    )
    overwrite: OverwriteOption = False
    go_on: bool = switch(
        "Continue an interrupted run and keep its complete files.", OUTPUT, "--resume"
    )
    truth: bool = switch(
        "Also write the ground truth: boxes.parquet (a row for each object and scan), "
        "scans.parquet.",
        OUTPUT,
    )
    verify: bool = switch(
        "Compare the clouds with the clouds of the bundle's author, byte for byte; exit 1 if they "
        "differ.",
        OUTPUT,
    )

    def __post_init__(self) -> None:
        if self.go_on and self.overwrite:
            raise InputError("got both --resume and --overwrite, expected one of them")
        if self.go_on and self.truth:
            raise InputError(
                "got both --resume and --truth, expected one of them: a run with --truth cannot be "
                "resumed"
            )


def demo(out_folder: FolderOption = Path("osi-lidar-demo")) -> None:
    """Replay the bundled street scene and draw a picture of it."""
    from lidar_app.show import tables as reports
    from lidar_app.show.page.page import shown_of
    from lidar_base.files.own_files import claimed
    from osi_lidar.config import load_config
    from osi_lidar.run import example_scene
    from osi_lidar.run.frame_source import FrameSource

    street = example_scene.street()
    with claimed("preview", out_folder / "preview.png"), claimed("view", out_folder / "view.html"):
        pass  # raises before the work starts
    source, config = FrameSource(street.trace), load_config(street.config)
    report = _replay(source, config, out_folder, Results(overwrite=True))
    tell(*reports.summary(report, out_folder))
    _exit_by(report)
    _draw(out_folder, street.picture_frame)
    with claimed("view"):
        page = write_with_bar(shown_of(out_folder)).path
    tell(f"All frames, for the browser: {page}")


def _draw(folder: Path, frame: int) -> None:
    """Draw a picture of one cloud, if matplotlib is installed."""
    if not can_draw():
        return
    from lidar_app.show.preview import preview
    from lidar_base.files.own_files import claimed

    cloud = folder / "roof" / f"{frame:06d}.pcd"
    with claimed("preview"):
        tell(f"Picture of {cloud}: {preview(cloud, folder / 'preview.png')}")


def replay(
    trace: TraceArgument,
    setup: TimedSetup,
    messages: Messages,
    frames: FramesOption = None,
    *,
    results: Results,
    split: Split,
) -> None:
    """Turn a recorded OSI trace into point clouds and a SensorData trace."""
    from lidar_app.show import tables as reports
    from lidar_app.show.check_windows import weather_doubts
    from lidar_app.show.tables import lacks_roads
    from osi_bridge import trace_stem
    from osi_lidar.scan.timing import rate_warnings

    author = _author(frames) if results.verify else None
    chosen = setup.configuration()
    source = messages.of(trace, frame_slice(frames))
    folder = results.out_folder or Path(f"{trace_stem(trace.name)}_lidar")
    logger.info("trace: %s, of %s messages; results: %s", trace, source.message_type, folder)
    report = _replayed(source, chosen, folder, results, split)
    tell(*reports.summary(report, folder))
    if lacks_roads(chosen.scene, report.record.roads, report.record.ground):
        tell(NO_ROADS)
    for line in (*rate_warnings(report.record.time), *weather_doubts(chosen)):
        say(line, style="yellow")
    offer_view(report, chosen, folder)
    if author is not None and report.status != "interrupted":
        _tell_verdict(folder, author)
    _exit_by(report)


def _replayed(
    source: FrameSource, config: Config, folder: Path, results: Results, split: Split
) -> Report:
    """Replay in one process, or in several as the options say."""
    if split.is_one_process:
        report = _published(source, config, folder, results)
    elif results.truth:
        raise InputError(
            "--truth: works in one process only, got --workers, --scheduler or --intervals"
        )
    elif results.ros2:
        raise InputError(
            "--ros2: works in one process only, got --workers, --scheduler or --intervals"
        )
    else:
        overwrite, go_on = results.overwrite, results.go_on
        report = split.replay(source, config, folder, overwrite=overwrite, go_on=go_on)
    if results.go_on:
        from lidar_app.truth.run import remove_truth

        remove_truth(folder)  # the tables hold only the earlier frames
    return report


def _author(frames: str | None) -> AuthorRun:
    """Return the author's run in the bundle that is TRACE, for --verify."""
    bundle = bundle_of_trace()
    if bundle is None:
        raise InputError("--verify: TRACE is not a bundle, expected a bundle (.osib)")
    if frames is not None:
        raise InputError(f"--verify: got --frames {frames}, expected all frames of the bundle")
    if bundle.manifest.run is None:
        raise InputError(
            f"--verify: {bundle.file} contains no clouds of its author to compare with; its author "
            "can add them by `osi-lidar bundle .. --run RUN`"
        )
    return bundle.manifest.run


def _tell_verdict(folder: Path, author: AuthorRun) -> None:
    """Show whether the clouds of a run equal the author's; exit 1 if they differ."""
    from lidar_app.bundle.author import verdict
    from osi_lidar.output.stored import open_run

    found = verdict(open_run(folder), author)
    if not found.is_same:
        fail(found.words, EXIT_MISSING)
    tell(f"Verified: {found.words}")


@dataclass(frozen=True)
class From:
    """Values of options of ``osi-lidar scan`` for the poses of the vehicle from which it scans.

    At most one of the two may be given; `of` checks it.

    Attributes
    ----------
    poses : Path or None
        File with the poses, one frame for each (CSV, TUM, KITTI, 4x4); None: not given.
    at : str or None
        A single pose in the world, as "X,Y,Z" or "X,Y,Z,YAW" in metres and degrees; None: not
        given.
    """

    poses: Path | None = option(
        "FILE",
        "Poses to scan from, one frame each (CSV, TUM, KITTI, 4x4). Default: as configured, "
        "else the mountings.",
        INPUT,
    )
    at: str | None = option(
        "X,Y,Z[,YAW]",
        "One pose to scan from, in metres and degrees in the world. Default: --poses.",
        INPUT,
    )

    def of(self, config: Config) -> Config:
        """Return a configuration with the poses of these options.

        Parameters
        ----------
        config : Config
            The configuration, which is not changed. Without `poses` and `at`, it is returned
            itself.

        Raises
        ------
        InputError
            If both options are given, or `at` is invalid.
        """
        if self.poses is not None and self.at is not None:
            raise InputError("got both --at and --poses, expected one of them")
        if self.poses is not None:
            return config.model_copy(update={"poses": self.poses.absolute()})
        if self.at is None:
            return config
        from osi_lidar.run.poses import from_pose

        return from_pose(config, *_numbers(self.at))


def _numbers(text: str) -> tuple[float, ...]:
    """Return X,Y,Z[,YAW]; raise InputError if the text is not of that form."""
    try:
        numbers = tuple(float(word) for word in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) not in (3, 4):
        raise InputError(f"--at: got {text!r}, expected X,Y,Z or X,Y,Z,YAW, such as 12,-1.5,1.8,90")
    return numbers


def scan(
    setup: MappedSetup,
    from_: From,
    out_folder: FolderOption = Path("scan_lidar"),
    overwrite: OverwriteOption = False,
) -> None:
    """Scan the meshes of a configuration, or a map (--map); no OSI trace is needed."""
    from lidar_app.show import tables as reports
    from osi_lidar.run.replay import scan as run_scan

    if setup.config is None and setup.map_file is None:
        raise InputError("got nothing to scan, expected --config FILE or --map FILE")
    chosen = from_.of(setup.configuration())
    with progress() as bar, compilation_message():
        bar.add_task("scan", total=None)
        report = run_scan(chosen, out_folder, overwrite=overwrite)
    tell(*reports.summary(report, out_folder))
    offer_view(report, chosen, out_folder)


def _published(source: FrameSource, config: Config, folder: Path, results: Results) -> Report:
    """Replay, and publish each step to ROS 2 if --ros2 is given."""
    serve = results.server(patience_s=PATIENCE_S)
    if serve is None:
        return _replay(source, config, folder, results)
    with serve(config) as (node, address):
        logger.info("clouds in ROS 2 at %s", address)
        return _replay(source, config, folder, results, node.publish)


def _replay(
    source: FrameSource,
    config: Config,
    folder: Path,
    results: Results,
    show: Callable[[Step], object] | None = None,
) -> Report:
    """Replay with a progress bar; Ctrl-C ends the run after the current step."""
    from osi_lidar.run.replay import replay as run

    with stoppable("replay", source.count, first="first frame") as going, compilation_message():

        def on_step(done: Progress) -> bool:
            if show is not None and done.step is not None:
                show(done.step)
            return going(done.frames_read)

        overwrite = results.overwrite
        if results.truth:
            from lidar_app.truth.run import replay_with_truth

            return replay_with_truth(source, config, folder, overwrite=overwrite, on_step=on_step)
        go_on = results.go_on
        return run(source, config, folder, overwrite=overwrite, go_on=go_on, on_step=on_step)


def _exit_by(report: Report) -> None:
    if report.damage is not None:
        fail(str(report.damage), EXIT_DAMAGED)
    if report.status == "interrupted":
        fail("interrupted; finished files are complete", EXIT_INTERRUPTED)
