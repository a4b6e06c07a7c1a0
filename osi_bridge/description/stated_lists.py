# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Static lists of GroundTruth messages, which the first message of a run may state for all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from google.protobuf.message import Message

__all__ = ["AppliedList", "StatedLists"]


class AppliedList(NamedTuple):
    """A list that applies to a message.

    ``content`` is the decoded list. ``is_kept`` is True if it comes from the first message, and
    False if the message itself states it, or no message does.
    """

    content: Any
    is_kept: bool


class StatedLists:
    """Finds which lists apply to each message of a trace or stream.

    A list of the first message applies until a later message has entries in the same list. From
    then on, each message's own list applies, even if it is empty.

    Parameters
    ----------
    readers : mapping of str to callable
        Function that decodes a list, by the name of the list in GroundTruth. It takes the list's
        messages.
    """

    def __init__(self, readers: Mapping[str, Callable[[Any], Any]]) -> None:
        self._readers = readers
        self._kept: dict[str, Any] = {}
        self._last: dict[str, tuple[Sequence[Message], Any]] = {}
        self._without: list[AppliedList] | None = None  # what applied to a message without lists

    def of(self, truth: Message, *, first: bool) -> list[AppliedList]:
        """Return the lists that apply to a message, in the order of the readers.

        An unchanged list (the usual case) is not decoded again.

        Parameters
        ----------
        truth : Message
            The GroundTruth of the next message.
        first : bool
            Whether it is the first message of a run.
        """
        stated = {name: getattr(truth, name) for name in self._readers}
        is_without = not any(stated.values())
        if is_without and not first and self._without is not None:
            return self._without
        found = [self._applied(name, own, first=first) for name, own in stated.items()]
        self._without = found if is_without else None
        return found

    def _applied(self, name: str, messages: Sequence[Message], *, first: bool) -> AppliedList:
        kept = self._kept.get(name)
        if kept is not None and not messages:
            return AppliedList(kept, is_kept=True)
        last = self._last.get(name)
        if last is None or last[0] != messages:
            last = self._last[name] = messages, self._readers[name](messages)
        if first and messages:
            self._kept[name] = last[1]
        else:
            self._kept.pop(name, None)
        return AppliedList(last[1], is_kept=False)
