# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The model on a live stream of OSI messages.

    source ──► backlog ──► LidarModel ──► publisher ──► subscribers
    (TCP, UDP)             (a thread)          └──► files

One event loop serves the sockets; the model works in a thread of its own, so that reading never
waits for tracing. ``stream`` joins the stages, ``play`` is a source: a recorded trace at its own
pace.
"""
