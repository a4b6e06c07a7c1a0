# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The sources of a recorded file: senders of packets, topics, or sensors; one of them is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_NAMED = 20
ONE_SOURCE = "has one source, --source chooses from recordings of several"
"""Words for a source that is asked for of a format without any."""


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
    is_usable : bool
        Whether it is of the kind that is asked for, such as a lidar, of which clouds can be made.
    unit : str
        What is counted.
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
    """The choice of a source is missing, or fits none or several; the text lists all of them."""


def number_of_source(sources: Sequence[RecordedSource], wanted: str | None) -> int:
    """Return the number of the source that is to be read: the wanted one, or the only usable one.

    Raises
    ------
    SourceChoiceError
        If there are several and none is wanted, or none or several are called so.
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
        meant = "" if wanted is None else f" of the name {wanted!r:.60}"
        raise SourceChoiceError(
            f"has {len(found)} sources{meant}, expected the choice of one by --source: {listed}"
        )
    raise SourceChoiceError(f"has no source {wanted!r:.60}, expected one by --source: {listed}")
