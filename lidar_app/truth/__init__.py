# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Truth for each box and scan of a run: points on it, how much of it is hidden, and its way."""
