# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the bench of closed forms."""

from tests.lidar_app.conformance.recorded import files, replied, sheet

__all__ = ["files", "replied", "sheet"]
