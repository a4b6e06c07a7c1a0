# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Options for work in several processes, and for replaying a trace in parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lidar_app.cli.parts.console import stoppable
from lidar_app.cli.parts.parameters import CLUSTER, option

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from distributed import Client

    from osi_lidar.config import Config
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.run.report import Report


@dataclass(frozen=True)
class Workers:
    """Values of options for the processes that share the work.

    Attributes
    ----------
    workers : int or None
        Number of processes on this machine; None: not stated.
    scheduler : str or None
        Address of an existing dask cluster, such as "tcp://host:8786"; None: none.
    """

    workers: int | None = option(
        "N",
        "Number of processes on this machine; needs the extra `cluster`. Default: this process "
        "alone.",
        CLUSTER,
        limits=(1, None),
    )
    scheduler: str | None = option(
        "ADDRESS", "Dask cluster instead of --workers, as tcp://host:8786. Default: none.", CLUSTER
    )

    def cluster(self) -> AbstractContextManager[Client]:
        """Return a context manager that yields a client of a dask cluster.

        The cluster is the one at `scheduler`. Without it, `workers` new processes are started, or
        one for each core, which end with the block.
        """
        from osi_lidar.run.cluster import cluster

        return cluster(workers=self.workers, scheduler=self.scheduler)


@dataclass(frozen=True)
class Split(Workers):
    """Values of options that split a replay over several processes; others as in `Workers`.

    Attributes
    ----------
    intervals : int or None
        Number of parts into which the trace is split; None: one for each process.
    """

    intervals: int | None = option(
        "N",
        "Number of parts to split the trace into. Default: one per worker.",
        CLUSTER,
        limits=(1, None),
    )

    @property
    def is_one_process(self) -> bool:
        """Whether this process does all the work, because none of these options is given."""
        return (self.workers or self.scheduler or self.intervals) is None

    def replay(
        self, source: FrameSource, config: Config, folder: Path, *, overwrite: bool, go_on: bool
    ) -> Report:
        """Replay a trace in several processes, with a progress bar on stderr.

        Ctrl-C ends the run; the files that exist then are complete.

        Parameters
        ----------
        source : FrameSource
            The trace.
        config : Config
            Configuration of the sensors and the scene.
        folder : Path
            Folder for the clouds and the other results.
        overwrite : bool
            Whether an earlier run in the folder is replaced.
        go_on : bool
            Whether an interrupted run in the folder is continued.

        Returns
        -------
        Report
            What was done, see `replay_on`.
        """
        from osi_lidar.run.parallel import replay_on

        with self.cluster() as client, stoppable("replay", source.count) as on_progress:
            return replay_on(
                client,
                source,
                config,
                folder,
                n_intervals=self.intervals,
                overwrite=overwrite,
                go_on=go_on,
                on_progress=on_progress,
            )
