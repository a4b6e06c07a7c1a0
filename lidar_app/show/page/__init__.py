# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Clouds as a single HTML page that needs no server and no network."""

from lidar_app.show.page.limits import PageLimits
from lidar_app.show.page.page import cloud_page, write_page

__all__ = ["PageLimits", "cloud_page", "write_page"]
