# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Plots of materials, ranges, waveforms, sweeps, coverage and weather; need the extra ``plot``."""
