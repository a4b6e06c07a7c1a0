# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Extension of Blender: scan the scene that is open with osi-lidar, in a process of its own."""
