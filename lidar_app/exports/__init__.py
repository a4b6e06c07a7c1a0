# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Export of runs to formats of other tools: each module writes a `StoredRun` in one format."""
