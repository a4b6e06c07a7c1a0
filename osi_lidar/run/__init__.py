# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs over a trace: replay, split runs, resumed runs, parameter sweeps, an FMU's master."""
