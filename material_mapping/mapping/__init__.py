# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""From visual to infrared materials: mapping tables, their rules, suggestions."""
