# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs in the formats of other tools: each module reads a `StoredRun` and writes one format."""
