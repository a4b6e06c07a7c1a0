# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parametric shapes of vehicles, people and what stands beside a road, made to a size."""
