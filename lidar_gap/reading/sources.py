# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The sources of a recording: senders of packets, topics, or sensors; clouds are of one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_MOST_NAMED = 20


class RecordedSource(NamedTuple):
    """One of what a recording holds.

    Attributes
    ----------
    name : str
        What ``--source`` takes: ADDRESS:PORT, a topic, or a serial number.
    what : str
        What it looks like, such as "Velodyne VLP-16".
    packets : int or None
        Number of packets or messages; None if the file does not tell.
    also : tuple of str
        Shorter words that may mean it: an address without port, an index.
    is_lidar : bool
        Whether clouds can be made of it.
    """

    name: str
    what: str
    packets: int | None = None
    also: tuple[str, ...] = ()
    is_lidar: bool = True

    def __str__(self) -> str:
        counted = "" if self.packets is None else f"{self.packets:,} packets, "
        return f"{self.name} ({counted}{self.what})"


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
    lidars = [number for number, each in enumerate(sources) if each.is_lidar]
    if wanted is None:
        found = lidars
    else:
        found = [number for number, each in enumerate(sources) if each.name == wanted]
        found = found or [number for number in lidars if wanted in sources[number].also]
    if len(found) == 1:
        return found[0]
    listed = "; ".join(
        map(str, (sources[k] for k in (lidars or range(len(sources)))[:_MOST_NAMED]))
    )
    if found:
        meant = "" if wanted is None else f" of the name {wanted!r:.60}"
        raise InputError(
            f"{path}: has {len(found)} sources{meant}, expected the choice of one by --source: "
            + listed
        )
    raise InputError(f"{path}: has no source {wanted!r:.60}, expected one by --source: {listed}")
