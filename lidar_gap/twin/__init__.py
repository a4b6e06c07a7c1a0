# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Twins: meshes with materials of recorded places, built from point clouds and poses."""
