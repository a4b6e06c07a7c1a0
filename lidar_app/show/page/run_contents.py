# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of the page of a run: scans, and boxes and scene from its messages."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from lidar_app.show.page.cloud_chunk import CloudChunk, cloud_chunk
from lidar_app.show.page.contents import Contents, PageScans
from lidar_app.show.page.run_messages import MessageReader
from osi_bridge import trace_stem
from osi_lidar.output.stored import StoredScan

if TYPE_CHECKING:
    from osi_lidar.output.frame_table import FrameRow
    from osi_lidar.output.stored import StoredRun

_HASH = re.compile("[0-9a-f]{32}")
_DIGITS = 8  # of a hash in a title


def run_contents(run: StoredRun) -> tuple[Contents, PageScans]:
    """Return the contents of a run's page, still without frames, and the sources of its frames.

    `contents.fill` makes the frames from both.

    Parameters
    ----------
    run : StoredRun
        The run, with the chosen sensors and frames; it must have ended.

    Raises
    ------
    InputError
        If the run has no clouds.
    """
    run.check_clouds()
    contents = Contents(
        title=_title(run),
        sensors=tuple(each.name for each in run.sensors),
        host=run.host_object_id,
        materials=tuple(run.materials),
    )

    def chunk(row: FrameRow) -> CloudChunk:
        scan = StoredScan(row=row, path=run.folder / row.file)
        return cloud_chunk(scan.points(), name=str(scan.path), materials=run.materials)

    with_file = (row for row in run.rows if row.file)
    scans = PageScans(
        groups=[list(rows) for _, rows in groupby(with_file, lambda row: row.frame)],
        chunk=chunk,
        messages=lambda scene_bytes: MessageReader(run, contents, scene_bytes=scene_bytes).read(),
    )
    return contents, scans


def _title(run: StoredRun) -> str:
    """Return the name of the folder of a run; if that is a hash, preceded by the trace."""
    name = run.folder.resolve().name
    if run.trace is None or not _HASH.fullmatch(name):
        return name
    return f"{trace_stem(run.trace.name)} {name[:_DIGITS]}"
