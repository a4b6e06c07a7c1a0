# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``dataset``: write many runs as one data set for training frameworks."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from lidar_app.cli.parts.completion import one_of, sensors_of_run
from lidar_app.cli.parts.console import progress, say, tell
from lidar_app.cli.parts.parameters import CLUSTER, INPUT, OUT, OUTPUT, argument, option, switch

if TYPE_CHECKING:
    from lidar_app.datasets.record import DataSet, SetRequest
    from lidar_app.datasets.replays import SetInputs

_MAPS = ("kitti", "nuscenes", "openpcdet", "semantickitti")


@dataclass(frozen=True, kw_only=True)
class LabelChoice:
    """Values of options of ``osi-lidar dataset`` for the format, the splits, classes and boxes.

    Attributes
    ----------
    layout : {"nuscenes", "openpcdet", "kitti", "semantickitti"}
        Format of the data set.
    split : str
        Shares of the splits, as "TRAIN/VAL/TEST". Each trace is in one split with all its frames.
    seed : int
        Seed that decides which split a trace gets.
    classes : str or None
        Class map: "kitti", "nuscenes", "openpcdet", "semantickitti", or the path of a file (YAML).
        None: the map of the format.
    boxes : {"at-points", "at-end", "carried"}
        Time of the boxes. "at-points": when beams hit the object. "at-end": the end of the scan.
        "carried": the end of the scan, to which points on moving objects are moved, too.
    """

    layout: Annotated[
        Literal["nuscenes", "openpcdet", "kitti", "semantickitti"],
        option("NAME", "nuscenes, openpcdet, kitti or semantickitti.", OUTPUT, "--format"),
    ]
    split: str = option(
        "TRAIN/VAL/TEST",
        "Shares of the splits. Traces are split, never their frames.",
        OUTPUT,
        default=".8/.1/.1",
    )
    seed: int = option("N", "Seed that decides which split a trace gets.", OUTPUT, default=0)
    classes: str | None = option(
        "NAME|FILE",
        "Class map: kitti, nuscenes, openpcdet, semantickitti, or a file (YAML). Default: the "
        "map of the format.",
        INPUT,
        complete=one_of(*_MAPS),
    )
    boxes: Literal["at-points", "at-end", "carried"] = option(
        "TIME",
        "Time of the boxes. at-points: when beams hit the object. at-end: the end of the scan. "
        "carried: the end of the scan, to which points on moving objects move, too.",
        OUTPUT,
        default="at-points",
    )


@dataclass(frozen=True, kw_only=True)
class RunChoice:
    """Values of options of ``osi-lidar dataset`` for its inputs: runs, or jobs that are run first.

    Attributes
    ----------
    config : str or None
        Path or URL of the configuration (YAML) of jobs that state none; None: one OS1-128.
    sensor : list of str, or None
        Names of the sensors whose clouds are used; None: all sensors of the runs.
    licence : str or None
        Licence of the traces, for the data card; None: not stated.
    estimate : bool
        What is done with runs without tables of ground truth. True: the visibility of objects is
        estimated from the clouds. False: the runs are traced again to write the tables.
    workers : int or None
        Number of processes on this machine that trace; None: one for each core.
    """

    config: str | None = option(
        "FILE",
        "Configuration (YAML) of jobs that state none, a path or a URL. Default: one OS1-128.",
        INPUT,
        "--config",
        "-c",
    )
    sensor: list[str] | None = option(
        "NAME", "Sensor of the runs; may be repeated. Default: all.", INPUT, complete=sensors_of_run
    )
    licence: str | None = option(
        "TEXT", "Licence of the traces, for the data card. Default: not stated.", INPUT
    )

    estimate: bool = switch(
        "Estimate the visibility of objects from the clouds. Default: runs without boxes.parquet "
        "are traced again, and the file is kept beside the run.",
        INPUT,
    )
    workers: int | None = option(
        "N",
        "Processes on this machine that trace. Default: one per core.",
        CLUSTER,
        limits=(1, None),
    )

    def request(self, labels: LabelChoice, chosen: SetInputs) -> SetRequest:
        """Return the request for a data set, put together from these and all other options.

        Parameters
        ----------
        labels : LabelChoice
            The other options: format, splits, classes and boxes.
        chosen : SetInputs
            The inputs: folders of runs, and jobs to replay. Only the names of their traces and the
            addresses of the jobs go into the request.

        Raises
        ------
        InputError
            If the shares of the splits or the class map cannot be used.
        """
        from lidar_app.batch.addresses import base_name
        from lidar_app.datasets.class_map import check_class_file
        from lidar_app.datasets.record import SetRequest
        from lidar_app.datasets.splits import read_shares

        if labels.classes is not None:
            check_class_file(labels.classes)
        return SetRequest(
            form=labels.layout,
            shares=read_shares(labels.split),
            seed=labels.seed,
            classes=labels.classes,
            sensors=self.sensor,
            licence=self.licence,
            estimate=self.estimate,
            when=labels.boxes,
            workers=self.workers,
            config=None if self.config is None else base_name(self.config),
            replayed=chosen.traces,
            jobs=chosen.words,
        )


def dataset(
    runs: Annotated[
        list[str],
        argument(
            "RUNS|JOBS",
            "Folders of runs, or folders that contain runs, here or in a bucket. Or jobs, as batch "
            "takes them: tables (.csv, .parquet), traces, folders, globs or prefixes of a bucket.",
        ),
    ],
    *,
    labels: LabelChoice,
    path: Annotated[Path, option("DIR", "Output folder.", *OUT)],
    inputs: RunChoice,
    overwrite: bool = switch("Replace an earlier data set of that name.", OUTPUT),
) -> None:
    """Write a data set for training: points, boxes, classes, splits and a data card."""
    from lidar_app.datasets.data_set import SetProgress, write_data_set
    from lidar_app.datasets.replays import read_inputs, replayed
    from lidar_app.exports.export_run import check_free

    begin_s = time.perf_counter()
    chosen = read_inputs(runs, path)
    wanted = inputs.request(labels, chosen)
    check_free(path, is_folder=True, overwrite=overwrite)
    with (
        replayed(chosen, inputs.config, path, inputs.workers) as folders,
        progress("clouds") as bar,
    ):
        made = write_data_set(
            folders,
            wanted,
            path,
            overwrite=overwrite,
            shown=SetProgress(
                partial(bar.track, description=labels.layout),
                partial(bar.track, description="runs"),
            ),
        )
    _tell(made, time.perf_counter() - begin_s)


def _tell(made: DataSet, took_s: float) -> None:
    """Print where and how much was written, and which objects and materials have no class."""
    from lidar_app.datasets.card import unlabelled

    for line in unlabelled(made):
        tell(line)
    empty = [name for name, each in made.counts.items() if not each.scenes]
    if empty:
        n_traces = f"{len(made.splits)} trace{'s' * (len(made.splits) != 1)}"
        say(f"only {n_traces}: without scenes in {' and '.join(empty)}", style="yellow")
    scenes = ", ".join(f"{name} {each.scenes}" for name, each in made.counts.items())
    scans = sum(each.scans for each in made.counts.values())
    boxes = made.total("boxes").total()
    tell(f"Scenes: {scenes}; {scans:,} clouds, {boxes:,} boxes, {took_s:.1f} s: {made.path}")
