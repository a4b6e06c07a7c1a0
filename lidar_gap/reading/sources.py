# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Sources of a recording: senders of packets, topics, or sensors. Clouds come from one source."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lidar_base.files.sources import RecordedSource, SourceChoiceError, number_of_source
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["PATH_ALONE", "Given", "RecordedSource", "chosen_source"]


class Given(NamedTuple):
    """Options that a user gives in addition to the path of a recording.

    Attributes
    ----------
    metadata : Path or None
        File that the recording's packets need, such as a calibration.
    source : str or None
        Source to read; None for the only one.
    """

    metadata: Path | None = None
    source: str | None = None


PATH_ALONE = Given()


def chosen_source(path: Path, sources: Sequence[RecordedSource], wanted: str | None) -> int:
    """Return the index of the source to read: the source with the wanted name, or the only lidar.

    Parameters
    ----------
    path : Path
        The recording, for messages.
    sources : sequence of RecordedSource
        All sources of the recording; the result is an index into it.
    wanted : str or None
        Name of the source to read, in full or in short form; None for the only usable source.

    Raises
    ------
    InputError
        If ``wanted`` is None and there is not exactly one usable source (a lidar), or if no source
        or several sources have the wanted name. The message lists the sources.
    """
    try:
        return number_of_source(sources, wanted)
    except SourceChoiceError as error:
        raise InputError(f"{path}: {error}") from error
