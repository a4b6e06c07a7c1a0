# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of a recording: its sources, and packets that are not used."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from lidar_app.show.info.record import Info
from lidar_base.unfollowed import Unfollowed
from lidar_gap.reading import recording_sources

if TYPE_CHECKING:
    from pathlib import Path

    from lidar_gap.reading import RecordedSource

BAG = "ROS bag"
CAPTURE = "Capture of packets"
OUSTER = "Recording of Ouster sensors"
_LIBRARY = {BAG: "rosbags", CAPTURE: "dpkt", OUSTER: "ouster"}


def recording_info(path: Path, kind: str) -> Info:
    """Return the sources in a recording, such as sensors or topics.

    Parameters
    ----------
    path : Path
        The recording, which must exist.
    kind : {'ROS bag', 'Capture of packets', 'Recording of Ouster sensors'}
        Its format.

    Returns
    -------
    Info
        The list ``sources`` has a row for each source; unusable ones are also "not followed". If
        the library that reads the format is not installed, only the size is returned.

    Raises
    ------
    InputError
        If the recording cannot be read.
    """
    facts = {"bytes": path.stat().st_size} if path.is_file() else {}
    if find_spec(_LIBRARY[kind]) is None:
        return Info(path=path, kind=kind, facts=facts)
    sources = recording_sources(path)
    unknown = Unfollowed()
    for each in sources:
        if not each.is_usable:
            unknown.add(f"packets of {each.name}: {each.what}", times=each.packets or 1)
    lists = {
        "sources": [_row(each) for each in sources],
        "not_followed": [each._asdict() for each in unknown.kinds],
    }
    return Info(path=path, kind=kind, facts=facts, lists=lists)


def _row(source: RecordedSource) -> dict[str, object]:
    return {"source": source.name, "looks_like": source.what, "packets": source.packets}
