# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The frames of a recorded OSI trace."""

from __future__ import annotations

import logging
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from osi_bridge import (
    DamagedTrace,
    FrameDecoder,
    OsiInputError,
    message_time_ns,
    open_trace,
    read_frames,
)
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from osi_bridge import Frame

logger = logging.getLogger(__name__)


class Moment(NamedTuple):
    """Number of a frame in its trace, and its time."""

    number: int
    time_ns: int


class FrameSource:
    """An iterable of the frames of a recorded trace.

    Parameters
    ----------
    path : path
        An OSI trace: ``.osi .mcap .txth``, also ``.gz .xz``.
    message_type : str, optional
        "SensorView" or "GroundTruth"; by default as in the file.
    host_id : int, optional
        OSI id of the vehicle that carries the sensors; by default the host in the trace.
    frames : slice
        The frames to use. All messages before the last of them are read, because the first
        message may be the only one with the static objects.

    Raises
    ------
    TraceError
        If the file is not an OSI trace.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        message_type: str | None = None,
        host_id: int | None = None,
        frames: slice = slice(None),
    ) -> None:
        self.path = Path(path)
        self._reader = open_trace(self.path, message_type=message_type)
        self._host_id = host_id
        self._frames = frames

    @property
    def message_type(self) -> str:
        """Type of all messages: "SensorView" or "GroundTruth"."""
        return self._reader.message_type

    @property
    def count(self) -> int | None:
        """Number of frames; None if the whole file must be read to know it."""
        total = self._reader.count
        return None if total is None else len(range(*self._frames.indices(total)))

    @property
    def described(self) -> dict[str, object]:
        """The selection: message type, host vehicle, and start, stop and step of the frames."""
        chosen = self._frames
        return {
            "message_type": self.message_type,
            "host_id": self._host_id,
            "frames": [chosen.start or 0, chosen.stop, chosen.step or 1],
        }

    def moments(self) -> list[Moment]:
        """Return number and time of all frames; the messages are read, but not decoded.

        For a damaged trace, these are the frames before the damage; only iterating raises it.
        """
        start, stop, step = self._frames.start or 0, self._frames.stop, self._frames.step or 1
        found: list[Moment] = []
        with suppress(DamagedTrace, OsiInputError):
            for raw in islice(self._reader, stop):
                time_ns = message_time_ns(self._reader.message_type, raw.data)
                if raw.index >= start and (raw.index - start) % step == 0:
                    found.append(Moment(raw.index, time_ns))
        return found

    def __iter__(self) -> Iterator[Frame]:
        """Yield the frames.

        Raises
        ------
        DamagedTrace
            After the last whole frame of a damaged trace.
        InputError
            If the messages have another type, there is no frame in the selected range, or the
            selected host vehicle never appears.
        """
        try:
            decoder = FrameDecoder(self._reader.message_type, self._host_id)
        except OsiInputError as error:
            raise InputError(f"{self.path}: {error}") from error
        start, stop, step = self._frames.start or 0, self._frames.stop, self._frames.step or 1
        n_messages = n_frames = 0
        host_seen = False
        # all are decoded, because an object of a frame may be in an earlier message only
        for frame in self._decoded(decoder, stop):
            n_messages += 1
            if frame.index == 0 and frame.host is None:
                logger.warning("no moving object to carry the sensors: mountings are world poses")
            host_seen |= frame.host is not None
            if frame.index >= start and (frame.index - start) % step == 0:
                n_frames += 1
                yield frame
        if not n_frames:
            asked = f"{start}:{'' if stop is None else stop}"
            raise InputError(
                f"{self.path}: no frame in the range {asked}, the trace has {n_messages}"
            )
        if self._host_id is not None and not host_seen:
            raise InputError(f"{self.path}: host vehicle {self._host_id} never appears")

    def _decoded(self, decoder: FrameDecoder, stop: int | None) -> Iterator[Frame]:
        """Yield the frames before a number; errors name the file."""
        try:
            yield from islice(read_frames(self._reader, decoder), stop)
        except OsiInputError as error:
            raise InputError(f"{self.path}: {error}") from error
