# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The reader of OpenUSD files.

usd-core (extra ``usd``) runs in a process of its own, because it writes to stderr and a damaged
file may end the process that reads it. ``reading`` and ``process`` belong to the process that asks,
all other modules to the one that reads: only those import usd-core.
"""
