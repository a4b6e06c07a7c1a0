# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Common parts of OSI traces in MCAP: metadata that OSI requires, and times."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING

from osi_bridge.traces.names import OSI_VERSION, PROTOBUF_VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

MODEL = "osi-lidar"
TRACE_METADATA = "net.asam.osi.trace"
"""Name of a file's metadata record."""
_CHANNEL = f"{TRACE_METADATA}.channel."
_MAX_TIME_NS = 2**64 - 1


def trace_metadata(description: str) -> dict[str, str]:
    """Return the key-value pairs that OSI requires in the metadata of an MCAP trace file.

    They state the versions of OSI and protobuf, the current time as the time of creation, and
    ``description``, a free text about the file.
    """
    osi = _text(OSI_VERSION)
    return {
        "version": osi,
        "min_osi_version": osi,
        "max_osi_version": osi,
        "min_protobuf_version": PROTOBUF_VERSION,
        "max_protobuf_version": PROTOBUF_VERSION,
        "creation_time": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "description": description,
        "data_sources": MODEL,
    }


def channel_metadata(description: str, osi_version: Sequence[int] = OSI_VERSION) -> dict[str, str]:
    """Return the key-value pairs that OSI requires in the metadata of a channel of an MCAP file.

    ``description`` is a free text. ``osi_version`` is major, minor, patch.
    """
    return {
        _CHANNEL + "osi_version": _text(osi_version),
        _CHANNEL + "protobuf_version": PROTOBUF_VERSION,
        _CHANNEL + "description": description,
    }


def mcap_time(time_ns: int) -> int:
    """Return an OSI time as MCAP can hold it: limited to 0 .. 2**64 - 1 ns.

    ``time_ns`` is the time of a message, which may be negative. [ns]
    """
    return min(max(time_ns, 0), _MAX_TIME_NS)


def _text(version: Sequence[int]) -> str:
    return ".".join(map(str, version))
