# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The reader of OpenUSD files.

usd-core (extra ``usd``) runs in a separate process, because it writes to stderr, and a damaged file
may end the process that reads it. ``reading`` and ``process`` run in the process that asks. All
other modules run in the process that reads: only they import usd-core.
"""
