# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Health check of a container: its ports are open, and its metrics answer.

The command line of the first process names the ports. They are looked up in the system's table,
because a connection would count as a source or a subscriber. Metrics are asked for, because a
program that hangs keeps its ports. Commands without ports are healthy as long as they run.
"""

from __future__ import annotations

import http.client
import re
import sys
from itertools import pairwise
from pathlib import Path

COMMANDS = {"stream", "play"}
PORTS = ("--listen", "--publish", "--control", "--foxglove", "--view", "--metrics")
TIMEOUT_S = 3.0
_ADDRESS = re.compile(r"(?:tcp://)?(?:(\[[^\]]+\]|[^:/]*):)?([1-9]\d*)")
_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_LISTEN = "0A"
_HERE = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  where to ask


def ports(arguments: list[str]) -> dict[str, tuple[str, int]]:
    """Return hosts and TCP ports by option; ports that the system chooses are left out."""
    if not COMMANDS & set(arguments):
        return {}
    words = [part for each in arguments for part in each.split("=", 1)]
    found = {}
    for option, value in pairwise(words):
        match = _ADDRESS.fullmatch(value)
        if option in PORTS and match is not None:
            host = (match[1] or "").strip("[]")
            found[option] = (_HERE.get(host, host), int(match[2]))
    return found


def open_ports() -> set[int]:
    """Return the TCP ports of this network at which somebody listens."""
    tables = [Path(name) for name in _TABLES if Path(name).is_file()]
    rows = [row.split() for each in tables for row in each.read_text().splitlines()[1:]]
    return {int(row[1].rpartition(":")[2], 16) for row in rows if row[3] == _LISTEN}


def answers(host: str, port: int) -> bool:
    """Return whether a server answers over HTTP, even if it only asks for a token."""
    connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)
    try:
        connection.request("GET", "/metrics")
        connection.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True


def check(command_line: Path = Path("/proc/1/cmdline")) -> str:
    """Return what is wrong with the program of a command line; nothing if it is healthy."""
    named = ports(command_line.read_text(encoding="utf-8", errors="replace").split("\0"))
    listening = open_ports()
    for option, (_, port) in named.items():
        if port not in listening:
            return f"{option}: nobody listens at port {port}"
    if "--metrics" in named and not answers(*named["--metrics"]):
        return f"--metrics: no answer within {TIMEOUT_S:g} s"
    return ""


if __name__ == "__main__":
    sys.exit(check() or 0)
