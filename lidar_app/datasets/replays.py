# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Traces in place of runs: they are replayed into a folder that is gone afterwards."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lidar_app.datasets.truth import replay_with_truth
from lidar_base.files.whole_files import make_folder
from osi_bridge import trace_stem
from osi_lidar.errors import InputError, OutputError
from osi_lidar.output.parquet_file import is_parquet_missing
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from osi_lidar.config import Config


@contextmanager
def replayed(paths: Sequence[Path], config: Config, out: Path) -> Iterator[list[Path]]:
    """Yield folders of runs: those that are given, and one for each trace, which is replayed.

    Parameters
    ----------
    paths : sequence of Path
        Folders, and files of traces.
    config : Config
        The configuration of the replays.
    out : Path
        The data set; replays are beside it until the block ends.

    Raises
    ------
    OsiLidarError, OsiError, RayCoreError
        If an input cannot be used, or a trace is damaged.
    """
    traces = [path for path in paths if path.is_file()]
    stems = [trace_stem(path.name) for path in traces]
    twice = next((stem for stem in stems if stems.count(stem) > 1), None)
    if twice is not None:
        raise InputError(f"got several traces {twice}, expected one of each name")
    work = out.parent / f".{out.name}.{os.getpid()}.runs"
    try:
        folders = [path for path in paths if not path.is_file()]
        for trace, stem in zip(traces, stems, strict=True):
            make_folder(work)
            run = replay if is_parquet_missing() else replay_with_truth
            report = run(FrameSource(trace), config, work / stem)
            if report.damage is not None:
                raise InputError(f"{trace}: {report.damage}")
            folders.append(work / stem)
        yield folders
    except OSError as error:
        raise OutputError(f"{work}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(work, ignore_errors=True)
