# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Live operation of the model on a stream of OSI messages.

    source ──► backlog ──► LidarModel ──► publisher ──► subscribers
    (TCP, UDP)             (a thread)          └──► files

One event loop serves the sockets; the model runs in a separate thread, so that reading never waits
for tracing. ``stream`` connects the stages. ``play`` is a source that plays back a recorded trace
in real time.
"""
