# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What the page of a run holds: its scans, boxes and scene, and a recording beside them."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from lidar_app.show.page.cloud_chunk import CloudChunk, cloud_chunk
from lidar_app.show.page.contents import Contents, PageScans
from lidar_app.show.page.run_messages import MessageReader
from osi_lidar.errors import InputError
from osi_lidar.output.stored import StoredScan

if TYPE_CHECKING:
    from lidar_app.show.page.recorded import Beside
    from osi_lidar.output.frame_table import FrameRow
    from osi_lidar.output.stored import StoredRun


def run_contents(run: StoredRun, beside: Beside | None = None) -> tuple[Contents, PageScans]:
    """Return the contents of a page of a run that has ended, still without frames, and its scans.

    Parameters
    ----------
    run : StoredRun
        Its chosen sensors and frames.
    beside : Beside, optional
        Clouds that are shown beside those of its only sensor.

    Raises
    ------
    InputError
        If the run has no clouds, or several sensors where clouds are to be beside them.
    """
    run.check_clouds()
    names = tuple(each.name for each in run.sensors)
    contents = Contents(
        title=run.folder.resolve().name,
        sensors=names,
        host=run.host_object_id,
        materials=tuple(run.materials),
    )
    scans = _scans_of(run, contents)
    if beside is None:
        return contents, scans
    if len(names) > 1:
        raise InputError(
            f"--beside: the run has the sensors {', '.join(names)}; choose the one of the "
            "recording (--sensor)"
        )
    return contents, beside.added_to(contents, scans, ("simulated", "recorded"))


def _scans_of(run: StoredRun, contents: Contents) -> PageScans:
    """Return the scans of a run, and what its messages add to the contents."""

    def chunk(row: FrameRow) -> CloudChunk:
        scan = StoredScan(row=row, path=run.folder / row.file)
        return cloud_chunk(scan.points(), name=str(scan.path), materials=run.materials)

    with_file = (row for row in run.rows if row.file)
    return PageScans(
        groups=[list(rows) for _, rows in groupby(with_file, lambda row: row.frame)],
        chunk=chunk,
        messages=lambda scene_bytes: MessageReader(run, contents, scene_bytes=scene_bytes).read(),
    )
