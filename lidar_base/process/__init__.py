# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The process that the product runs in: its threads, its user's interrupts, where time goes."""
