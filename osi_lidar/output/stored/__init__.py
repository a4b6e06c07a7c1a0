# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs on disk: what the folder of a run holds, and the messages that it was made from."""

from osi_lidar.output.stored.messages import InputMessage, input_messages
from osi_lidar.output.stored.run import StoredRun, StoredScan, StoredSensor, open_run

__all__ = [
    "InputMessage",
    "StoredRun",
    "StoredScan",
    "StoredSensor",
    "input_messages",
    "open_run",
]
