# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The sources of a recording: senders of packets, topics, or sensors; clouds are of one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lidar_base.files.sources import RecordedSource, SourceChoiceError, number_of_source
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["PATH_ALONE", "Given", "RecordedSource", "chosen_source"]


class Given(NamedTuple):
    """What a user gives beside the path of a recording.

    Attributes
    ----------
    metadata : Path or None
        A file that its packets need.
    source : str or None
        Which of its sources is read; None for the only one.
    """

    metadata: Path | None = None
    source: str | None = None


PATH_ALONE = Given()


def chosen_source(path: Path, sources: Sequence[RecordedSource], wanted: str | None) -> int:
    """Return the number of the source that is to be read: the wanted one, or the only lidar.

    Raises
    ------
    InputError
        If there are several and none is wanted, or none or several are called so. The line lists
        all of them.
    """
    try:
        return number_of_source(sources, wanted)
    except SourceChoiceError as error:
        raise InputError(f"{path}: {error}") from error
