# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The version of osi-lidar."""

__version__ = "0.3.0"
