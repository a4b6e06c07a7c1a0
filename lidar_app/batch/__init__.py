# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Batches of jobs, each the replay of a trace: table of jobs, shards, workers, outputs, index."""
