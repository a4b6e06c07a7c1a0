# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The frames of a recorded OSI trace."""

from __future__ import annotations

import logging
from collections import deque
from contextlib import suppress
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lidar_base.tables import facts
from osi_bridge import (
    DamagedTrace,
    FrameDecoder,
    MessageOrder,
    OsiInputError,
    Place,
    message_time_ns,
    open_trace,
    read_frames,
)
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from osi_bridge import Frame, TraceReader

logger = logging.getLogger(__name__)

SENSOR_DATA = (
    "holds SensorData, the answer of a sensor, expected SensorView or GroundTruth; "
    "`osi-lidar info` tells what is in it"
)
"""Error text for a trace that holds the answers of a sensor instead of its input."""


class Role(Enum):
    """What a run does with a message of an OSI trace; the value of a member is the reason in words.

    Attributes
    ----------
    ANSWERED
        The run answers the message: sensors may complete scans at its time.
    FOLLOWED
        The message is before the first frame of the run. Only the state of the model is updated.
    HEARD
        The step of the selected frames skips the message. Only its motion and weather are used.
    LATE
        The message is older than an earlier message of the trace, and is left out.
    """

    ANSWERED = "it is one of the frames of the run"
    FOLLOWED = "it is before the first frame of the run, and only its state counts"
    HEARD = "it lies between two frames, and tells of the motion until the next one"
    LATE = "it is older than the message before, and is left out"


class TraceMessage(NamedTuple):
    """A message of an OSI trace, decoded, and what a run does with it.

    Attributes
    ----------
    number : int
        Index of the message in the trace, from 0.
    role : Role
        What the run does with the message, such as answer it or leave it out.
    frame : Frame or None
        The decoded message; None if ``role`` is LATE.
    """

    number: int
    role: Role
    frame: Frame | None


class TraceMoment(NamedTuple):
    """Number and time of a message of an OSI trace, and what a run does with it.

    The message is not decoded, except for its time.

    Attributes
    ----------
    number : int
        Index of the message in the trace, from 0.
    time_ns : int
        Timestamp of the message. [ns]
    role : Role
        What the run does with the message, such as answer it or leave it out.
    """

    number: int
    time_ns: int
    role: Role


class FrameSource:
    """An iterable of the decoded messages (frames) of a recorded OSI trace.

    Late messages are left out: those that are up to 1 s older than the message before, but later
    than the first one of the run. Any other older message begins a new run.

    Parameters
    ----------
    path : path
        An OSI trace: ``.osi .mcap .txth``, also ``.gz .xz``.
    message_type : str, optional
        "SensorView" or "GroundTruth"; by default as in the file.
    host_id : int, optional
        OSI id of the vehicle that carries the sensors; by default the host in the trace.
    frames : slice
        Numbers of the messages to use, from 0; default: all. All messages before the last of them
        are read, because the first message may be the only one with the static objects.
    source : str, optional
        Topic of an MCAP file that has several channels of the type.

    Attributes
    ----------
    path : Path
        Path of the trace.

    Raises
    ------
    TraceError
        If the file is not an OSI trace.
    InputError
        If the trace holds SensorData, the answers of a sensor, or ``frames`` counts from the end.

    Examples
    --------
    >>> source = osi_lidar.FrameSource("drive.osi", frames=slice(10, 12))
    >>> [(frame.index, len(frame.objects)) for frame in source]
    [(10, 10), (11, 10)]
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        message_type: str | None = None,
        host_id: int | None = None,
        frames: slice = slice(None),
        source: str | None = None,
    ) -> None:
        self.path = Path(path)
        self._source = source
        self._reader = open_trace(self.path, message_type=message_type, source=source)
        if self._reader.message_type == "SensorData":
            raise InputError(f"{self.path}: {SENSOR_DATA}")
        if (frames.start or 0) < 0 or (frames.stop or 0) < 0 or (frames.step or 1) < 1:
            raise InputError(
                f"frames: got {frames}, expected numbers that grow, as in slice(10, 20)"
            )
        self._host_id = host_id
        self._frames = frames

    @property
    def message_type(self) -> str:
        """Type of all messages: "SensorView" or "GroundTruth"."""
        return self._reader.message_type

    @property
    def count(self) -> int | None:
        """Number of selected frames, late ones included; None if only reading the file tells it."""
        total = self._reader.count
        return None if total is None else len(range(*self._frames.indices(total)))

    def __len__(self) -> int:
        """Return `count`, which includes late messages although they are left out.

        Raises
        ------
        TypeError
            If the whole file must be read to know it.
        """
        if self.count is None:
            raise TypeError(f"{self.path}: the number of frames is only known after reading all")
        return self.count

    def __bool__(self) -> bool:
        return True  # a trace is one, with any number of frames

    def __repr__(self) -> str:
        frames = "" if self.count is None else f", frames: {self.count}"
        host = "" if self._host_id is None else f", host {self._host_id}"
        return f"FrameSource({self.path.name}: {self.message_type}{frames}{host})"

    def _repr_html_(self) -> str:
        rows = {"file": self.path, "frames": self.count or "not counted", **self._chosen_rows()}
        return facts("FrameSource", rows).html()

    def _chosen_rows(self) -> dict[str, object]:
        """Return message type, frames and host as chosen, in words for a display."""
        first, stop, step = self._frames.start or 0, self._frames.stop, self._frames.step or 1
        until = "the last" if stop is None else stop - 1
        chosen = f"{first} to {until}" + (f", every {step}." if step != 1 else "")
        host = "as in the trace" if self._host_id is None else self._host_id
        return {"messages": self.message_type, "chosen": chosen, "host": host}

    @property
    def described(self) -> dict[str, object]:
        """The parameters as data for run.json: message_type, host_id, frames and source.

        ``frames`` is [start, stop, step]. ``source`` is absent if it was not given.
        """
        chosen = self._frames
        return {
            "message_type": self.message_type,
            "host_id": self._host_id,
            "frames": [chosen.start or 0, chosen.stop, chosen.step or 1],
            **({} if self._source is None else {"source": self._source}),
        }

    @property
    def reader(self) -> TraceReader:
        """Reader of all messages of the trace, as bytes."""
        return self._reader

    @property
    def starts_later(self) -> bool:
        """Whether the trace has messages before the first frame of the run."""
        return bool(self._frames.start)

    def moments(self) -> list[TraceMoment]:
        """Return number, time and role of each message, without decoding the messages.

        The list begins with the first message of the trace and ends where the selected ``frames``
        end. The role says what a run does with the message: answer it, only follow its state, only
        hear of the motion in it, or leave it out because it is late; see `Role`.

        If a message is damaged or has no time, it and all messages after it are missing from the
        list. No error is raised.
        """
        order, found = MessageOrder(), []
        with suppress(DamagedTrace, OsiInputError):
            for raw in islice(self._reader, self._frames.stop):
                time_ns = message_time_ns(self._reader.message_type, raw.data)
                late = order.take(time_ns) is Place.LATE
                role = Role.LATE if late else self._role(raw.index)
                found.append(TraceMoment(raw.index, time_ns, role))
        return found

    def _role(self, number: int) -> Role:
        """Return the role of a message that is not late."""
        start, step = self._frames.start or 0, self._frames.step or 1
        if (number - start) % step:
            return Role.HEARD
        return Role.ANSWERED if number >= start else Role.FOLLOWED

    def __iter__(self) -> Iterator[Frame]:
        """Yield the frames; errors as of `messages`."""
        for message in self.messages():
            if message.role is Role.ANSWERED and message.frame is not None:
                yield message.frame

    def messages(self, *, thorough: bool = False) -> Iterator[TraceMessage]:
        """Yield all messages up to the end of the selected ``frames``, as `TraceMessage`.

        Each message has its role: what a run does with it. Scans may also need the motion in
        messages before and between the selected frames.

        Parameters
        ----------
        thorough : bool
            Search every message for fields that the model ignores; else ever fewer are searched.

        Raises
        ------
        DamagedTrace
            After the last whole frame of a damaged trace.
        InputError
            If the messages have another type, there is no frame in the selected range, or the
            selected host vehicle never appears.
        """
        n_messages = n_frames = 0
        host_seen = False
        for message in self._decoded(thorough=thorough):
            n_messages += 1
            frame = message.frame
            if frame is not None:
                if frame.index == 0 and frame.host is None:
                    logger.warning(
                        "%s: no moving object to carry the sensors: mountings are world poses",
                        self.path,
                    )
                host_seen |= frame.host is not None
                n_frames += message.role is Role.ANSWERED
            yield message
        if not n_frames:
            start, stop = self._frames.start or 0, self._frames.stop
            asked = f"{start}:{'' if stop is None else stop}"
            raise InputError(
                f"{self.path}: no frame in the range {asked}, the trace has {n_messages} messages"
            )
        if self._host_id is not None and not host_seen:
            raise InputError(f"{self.path}: no message contains the host vehicle {self._host_id}")

    def _decoded(self, *, thorough: bool) -> Iterator[TraceMessage]:
        """Yield the messages before the end of the frames; errors name the file."""
        stop, late = self._frames.stop, deque[int]()
        try:
            decoder = FrameDecoder(self._reader.message_type, self._host_id, thorough=thorough)
            frames = read_frames(self._reader, decoder, late.append)
            for frame in frames:
                while late:
                    yield TraceMessage(late.popleft(), Role.LATE, None)
                if stop is not None and frame.index >= stop:
                    return
                yield TraceMessage(frame.index, self._role(frame.index), frame)
                if stop is not None and frame.index + 1 >= stop:
                    return  # nothing after the last frame is read: it may be damaged
            yield from (TraceMessage(number, Role.LATE, None) for number in late)
        except OsiInputError as error:
            raise InputError(f"{self.path}: {error}") from error
