# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files that a run writes: clouds, images, tables, traces, and the folder around them."""
