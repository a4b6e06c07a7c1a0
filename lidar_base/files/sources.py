# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The sources of a recorded file: senders of packets, topics, or sensors; one of them is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_NAMED = 20
ONE_SOURCE = "has a single source; leave out --source"
"""Message for ``--source`` with a format whose files have only one source."""


class RecordedSource(NamedTuple):
    """A source in a recording: a sender of packets, a topic, or a sensor.

    Attributes
    ----------
    name : str
        Name for ``--source``: ADDRESS:PORT, a topic, or a serial number.
    what : str
        Description, such as "Velodyne VLP-16".
    packets : int or None
        Number of packets or messages; None if the file does not state it.
    also : tuple of str
        Shorter names for ``--source``: an address without port, an index.
    is_usable : bool
        Whether the caller can read it, for example as point clouds of a lidar.
    unit : str
        What ``packets`` counts, such as "packets".
    """

    name: str
    what: str
    packets: int | None = None
    also: tuple[str, ...] = ()
    is_usable: bool = True
    unit: str = "packets"

    def __str__(self) -> str:
        counted = "" if self.packets is None else f"{self.packets:,} {self.unit}, "
        return f"{self.name} ({counted}{self.what})"


class SourceChoiceError(ValueError):
    """No single source fits ``--source``; the text lists the sources (at most 20)."""


def number_of_source(sources: Sequence[RecordedSource], wanted: str | None) -> int:
    """Return the index of the source to read: the ``wanted`` name, or the only usable source.

    Raises
    ------
    SourceChoiceError
        None or several sources have the wanted name; or no name is given, and the number of usable
        sources is not 1.
    """
    usable = [number for number, each in enumerate(sources) if each.is_usable]
    if wanted is None:
        found = usable
    else:
        found = [number for number, each in enumerate(sources) if each.name == wanted]
        found = found or [number for number in usable if wanted in sources[number].also]
    if len(found) == 1:
        return found[0]
    listed = "; ".join(
        map(str, (sources[k] for k in (usable or range(len(sources)))[:_MOST_NAMED]))
    )
    if found:
        meant = "" if wanted is None else f" with the name {wanted!r:.60}"
        raise SourceChoiceError(
            f"has {len(found)} sources{meant}; choose one by --source: {listed}"
        )
    raise SourceChoiceError(
        f"has no source {wanted!r:.60}; choose one of these by --source: {listed}"
    )
