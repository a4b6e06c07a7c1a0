# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Plots: of materials, range limits, waveforms and sweeps. Needs the extra ``plot``."""
