# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A commented configuration to start from, with the objects of a trace as rules."""

from lidar_app.show.init_file.document import starter
from lidar_app.show.init_file.files import write_starter

__all__ = ["starter", "write_starter"]
