# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OSI's naming rule for trace files.

``<timestamp>_<type>_<osi version>_<protobuf version>_<frames>_<custom name>.<osi|mcap|txth>``, for
instance ``20210818T150542Z_sd_380_7362_1523_highway.osi``.
"""

from __future__ import annotations

import re
from datetime import datetime, timezone

import google.protobuf
from osi3 import osi_version_pb2

__all__ = [
    "OSI_VERSION",
    "PROTOBUF_VERSION",
    "custom_name",
    "named_message_type",
    "osi_trace_name",
    "trace_start",
]

_CODES = {
    "gt": "GroundTruth",
    "hvd": "HostVehicleData",
    "mr": "MotionRequest",
    "sd": "SensorData",
    "su": "StreamingUpdate",
    "sv": "SensorView",
    "svc": "SensorViewConfiguration",
    "tc": "TrafficCommand",
    "tcu": "TrafficCommandUpdate",
    "tu": "TrafficUpdate",
}
_CODE_OF = {name: code for code, name in _CODES.items()}
# Some tools write fractions of a second or omit the custom name; both are accepted.
_NAME = re.compile(rf"\d{{8}}T\d{{6}}(?:\.\d+)?Z_({'|'.join(_CODES)})_\d+_\d+_\d+(?:[_.]|$)")


def _osi_version() -> tuple[int, int, int]:
    options = osi_version_pb2.DESCRIPTOR.GetOptions()
    current = options.Extensions[osi_version_pb2.current_interface_version]
    return current.version_major, current.version_minor, current.version_patch


OSI_VERSION = _osi_version()
"""Version of the OSI messages in use: major, minor, patch."""
PROTOBUF_VERSION: str = google.protobuf.__version__


def named_message_type(file_name: str) -> str | None:
    """Return the type that a trace's file name states by OSI's rule ("SensorView" for ``sv``).

    ``file_name`` is the name without folders. The result is None if it does not follow the rule.
    """
    match = _NAME.match(file_name)
    return _CODES[match[1]] if match else None


def trace_stem(file_name: str) -> str:
    """Return a trace's file name without the suffixes of the format and of the compression.

    ``file_name`` is the whole name, such as "drive.osi.xz", which gives "drive". Only .osi, .mcap
    and .txth are removed, each alone or followed by .gz or .xz. Other names are unchanged.
    """
    return re.sub(r"\.(osi|mcap|txth)(\.gz|\.xz)?$", "", file_name, flags=re.IGNORECASE)


def custom_name(file_name: str) -> str:
    """Return the custom name in a trace's file name by OSI's rule.

    ``file_name`` is the name without folders. If it breaks the rule or has no custom name, the
    result is the file name without the suffixes of format and compression.
    """
    stem = trace_stem(file_name)
    match = _NAME.match(stem)
    return (stem[match.end() :] if match else "") or stem


def trace_start(file_name: str) -> datetime | None:
    """Return the start time in a trace's file name by OSI's rule, as a datetime in UTC.

    ``file_name`` is the name without folders. A fraction of a second is dropped. The result is None
    if the name breaks the rule or states an impossible date or time.
    """
    if not _NAME.match(file_name):
        return None
    try:
        start = datetime.strptime(file_name[:15], "%Y%m%dT%H%M%S")  # noqa: DTZ007 (OSI uses UTC)
    except ValueError:
        return None
    return start.replace(tzinfo=timezone.utc)


def osi_trace_name(
    start: datetime, message_type: str, n_frames: int, custom: str, suffix: str
) -> str:
    """Return the file name of a trace by OSI's rule.

    Parameters
    ----------
    start : datetime
        Start time of the trace; a time without a time zone is taken as UTC.
    message_type : str
        For instance "SensorData".
    n_frames : int
        Number of messages.
    custom : str
        Custom name. Any run of characters other than letters, digits, "-" and "_" becomes "-".
    suffix : str
        ".osi", ".mcap" or ".txth".
    """
    utc = start.replace(tzinfo=start.tzinfo or timezone.utc).astimezone(timezone.utc)
    osi = "".join(map(str, OSI_VERSION))
    protobuf = PROTOBUF_VERSION.replace(".", "")
    safe = re.sub(r"[^A-Za-z0-9_-]+", "-", custom)
    stamp = utc.strftime("%Y%m%dT%H%M%SZ")
    return f"{stamp}_{_CODE_OF[message_type]}_{osi}_{protobuf}_{n_frames}_{safe}{suffix}"
