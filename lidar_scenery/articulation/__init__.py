# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects with moving parts: wheels that roll and steer, people who walk."""
