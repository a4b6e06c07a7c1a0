# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Many jobs, each the replay of a trace: their table, shards, workers, outputs and index."""
