# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""An MCAP file for viewers that is also an OSI trace: OSI messages, and messages for viewers."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from mcap.writer import Writer

from osi_bridge.traces.mcap_metadata import (
    MODEL,
    TRACE_METADATA,
    channel_metadata,
    mcap_time,
    trace_metadata,
)
from osi_bridge.traces.names import OSI_VERSION
from osi_bridge.viewers.messages import schema_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from osi_bridge.viewers.messages import ViewerMessage


class ViewerFile:
    """An MCAP file under construction, with an index and chunks compressed by zstd.

    Parameters
    ----------
    stream : binary file
        Stream to write to; `finish` leaves it open.
    description : str
        Description of the content, for the metadata.

    Raises
    ------
    OSError
        If the stream cannot be written; the methods raise it, too.
    """

    def __init__(self, stream: IO[bytes], description: str) -> None:
        self._writer = Writer(stream)
        self._writer.start(library=MODEL)
        self._writer.add_metadata(TRACE_METADATA, trace_metadata(description))
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self._sequence: dict[str, int] = {}

    def write(
        self,
        topic: str,
        message: ViewerMessage,
        time_ns: int,
        *,
        osi_version: Sequence[int] = OSI_VERSION,
    ) -> None:
        """Append a message; all messages of a topic must have the same type.

        Parameters
        ----------
        topic : str
            The topic.
        message : ViewerMessage
            The message.
        time_ns : int
            Time at which the message was sent. [ns]
        osi_version : sequence of int
            For the first OSI message of a topic: the version of OSI that it states.
        """
        if topic not in self._channels:
            self._channels[topic] = self._add_channel(topic, message.schema, osi_version)
        number = self._sequence[topic] = self._sequence.get(topic, -1) + 1
        log_time = mcap_time(time_ns)
        self._writer.add_message(
            self._channels[topic], log_time, message.data, log_time, sequence=number
        )

    def _add_channel(self, topic: str, schema: str, osi_version: Sequence[int]) -> int:
        if schema not in self._schemas:
            self._schemas[schema] = self._writer.register_schema(
                schema, "protobuf", schema_bytes(schema)
            )
        package, _, name = schema.rpartition(".")
        metadata = channel_metadata(f"OSI {name}", osi_version) if package == "osi3" else {}
        return self._writer.register_channel(topic, "protobuf", self._schemas[schema], metadata)

    def finish(self) -> None:
        """Write the index, which completes the file: no message may follow."""
        self._writer.finish()  # type: ignore[no-untyped-call]
