# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Likely causes of failed scenes, in words; a common cause is named once."""

from lidar_app.conformance.causes.geometry import Explained
from lidar_app.conformance.causes.naming import causes_of

__all__ = ["Explained", "causes_of"]
