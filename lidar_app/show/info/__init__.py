# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of files and folders: a module for each kind, and `describe` to recognise them."""

from lidar_app.show.info.recognition import describe, summary_of
from lidar_app.show.info.record import Info
from lidar_app.show.info.tables import info_dict, info_tables

__all__ = ["Info", "describe", "info_dict", "info_tables", "summary_of"]
