# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The process that runs osi-lidar: its threads, interrupts by the user, and timing."""
