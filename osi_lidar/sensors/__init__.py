# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensors by name: presets with their sources, the makers' calibrations, scan patterns in files."""
