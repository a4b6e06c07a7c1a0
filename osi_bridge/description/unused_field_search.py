# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Search of messages for fields that are set but not read, in all messages or in a few."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from google.protobuf.unknown_fields import UnknownFieldSet

from lidar_base.unfollowed import MOST_KINDS, NotFollowed, Unfollowed, log_not_followed
from osi_bridge.description.fields_read import READ, UNNEEDED, alternatives, in_braces
from osi_bridge.description.ranges import RANGES
from osi_bridge.description.unused_fields import NOT_SEARCHED, UnusedFields

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from google.protobuf.message import Message

__all__ = ["UnusedFieldSearch"]

MOST_OF_LIST = 32
"""Largest number of entries of a list that are searched; of longer lists, some, evenly spread.

A thorough search covers all objects and other entries of the message's own lists; the limit then
holds only for lists inside these entries.
"""
MOST_NAMED = 6
"""Largest number of fields that a remark names for each group of `fields_read.UNNEEDED`."""
_TRUTH = "SensorView.global_ground_truth"


def _all_read() -> dict[str, bool]:
    """Return for each path whether the field is read as a whole (True) or only in part (False)."""
    read: dict[str, bool] = {}
    for path in (each for row in READ for each in alternatives(row)):
        read[path] = path != _TRUTH
        names = path.split(".")
        for n in range(1, len(names)):
            read.setdefault(".".join(names[:n]), False)
    return read


_READ = _all_read()
_GROUP = {path: group for group in UNNEEDED for row in group.fields for path in alternatives(row)}


class UnusedFieldSearch:
    """Searches the messages of a trace or stream for fields that are set but not read.

    Parameters
    ----------
    thorough : bool
        Whether every message is searched. Otherwise, only the messages 0, 1, 2, 4, 8 and so on are
        searched, because a search takes about a millisecond.

    Attributes
    ----------
    found : UnusedFields
        Result of all searches so far.
    """

    def __init__(self, *, thorough: bool = False) -> None:
        self.found = NOT_SEARCHED
        self._thorough = thorough
        self._n_heard = 0
        self._found = Unfollowed()

    def search(self, message: Message, index: int) -> None:
        """Search a message for unread fields, update `found`, and log fields that are new in it.

        Call this for every message: without `thorough`, the method itself leaves messages out.
        `index` is the message's number in the trace.
        """
        number = self._n_heard
        self._n_heard += 1
        if not self._thorough and number & (number - 1):
            return
        n_before = len(self._found.kinds)
        most = None if self._thorough else MOST_OF_LIST
        for path in dict.fromkeys(_unread(message, most)):
            self._found.add(path, f"message {index}")
        kinds = self._found.kinds
        log_not_followed("OSI messages", _grouped(kinds[n_before:]))
        self.found = UnusedFields(self.found.n_searched + 1, _grouped(kinds))


def _grouped(fields: Iterable[NotFollowed]) -> tuple[NotFollowed, ...]:
    """Return fields; the fields that are left out on purpose are grouped, and come last."""
    alone, groups = Unfollowed(), dict[str, list[NotFollowed]]()
    for each in fields:
        group = _GROUP.get(each.what)
        if group is None:
            alone.add(*each)
        else:
            groups.setdefault(f"{group.what} ({group.reason})", []).append(each)
    return (*alone.kinds, *(_together(words, fields) for words, fields in groups.items()))


def _together(words: str, fields: Sequence[NotFollowed]) -> NotFollowed:
    """Return a group of fields as one entry, with the names of the first fields."""
    more = f" and {len(fields) - MOST_NAMED} more" if len(fields) > MOST_NAMED else ""
    named = in_braces(each.what for each in fields[:MOST_NAMED])
    times = max(each.times for each in fields)
    return NotFollowed(f"{words}: {named}{more}", fields[0].first, times)


def _unread(message: Message, most: int | None) -> Iterator[str]:
    """Yield paths that a SensorView or GroundTruth sets and nothing reads; paths may repeat."""
    is_view = message.DESCRIPTOR.name == "SensorView"
    return _fields(message, "SensorView." if is_view else "", most, whole=False)


def _fields(message: Message, before: str, most: int | None, *, whole: bool) -> Iterator[str]:
    """Yield paths of set fields that are not read; `whole`: all known fields of it are read."""
    for unknown in islice(UnknownFieldSet(message), MOST_KINDS):
        yield _unknown(message, unknown.field_number, unknown.data)
    for field, value in message.ListFields():
        path = before + field.name
        is_whole = _READ.get(path)
        if is_whole is None and not whole:
            yield path
        elif (limits := RANGES.get(path)) is not None and not limits.low <= value <= limits.high:
            yield f"{path} outside of {limits}"
        elif field.message_type is not None:
            at, deeper = ("", most) if path == _TRUTH else (f"{path}.", MOST_OF_LIST)
            for part in _parts(value, most) if field.is_repeated else (value,):
                yield from _fields(part, at, deeper, whole=whole or bool(is_whole))


def _parts(value: Sequence[Message], most: int | None) -> Sequence[Message]:
    """Return the messages of a list, or of a long list some that are evenly spread."""
    every = 1 if most is None else -(-len(value) // most)
    return value if every <= 1 else value[::every]


def _unknown(message: Message, number: int, value: object) -> str:
    """Return a description of an unknown field, or of an unknown enumeration member."""
    kind = message.DESCRIPTOR
    name = kind.full_name.removeprefix("osi3.")
    field = kind.fields_by_number.get(number)
    if field is None:
        return f"unknown field number {number} of {name}"
    if field.enum_type is not None and isinstance(value, int):
        return f"unknown member {value} of {name}.{field.name}"
    return f"{name}.{field.name} as a value of another type"
