# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What stands between a sensor and surfaces: air, drops, spray, windows, light by other ways."""
