# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The numbers of the policy of all ports. SECURITY.md has them in a table.

They add up to fewer clients than the 1024 files that a process may have open by default.
"""

from __future__ import annotations

MOST_WAITING_SOURCES = 64
"""Largest number of connections at ``--listen`` that wait to become the source."""
MOST_SUBSCRIBERS = 256
MOST_CONTROLLERS = 16
MOST_CONSUMERS = 64
"""Largest number of connections at the port of ``play``."""
MOST_BROWSERS = 32
"""Largest number of connections at each of ``--view``, ``--metrics`` and ``--foxglove``."""

REQUEST_S = 30.0
"""Longest time from the connection, or a request's first byte, to the end of the request. [s]"""
LAST_WORDS_S = 1.0
"""Time that a refused client has to read the reason. [s]"""
BUFFERED_MESSAGES = 16
BUFFERED_BYTES = 2**25
"""Largest size of all messages that wait for one slow client; the newest is always kept."""
PROVEN_BYTES = 2**24
"""A subscriber that has taken this much keeps its place at the port: it must be reading. [bytes]"""
HEADER_BYTES = 2**16
"""Longest HTTP request, with all its headers. [bytes]"""
LINE_BYTES = 2**20
"""Longest line at the control port. [bytes]"""
MOST_BEAMS = 1_000_000
"""Largest number of beams of all sensors together that a command may set."""
