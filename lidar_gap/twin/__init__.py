# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A mesh with materials from point clouds and poses: the recorded place, to be scanned anew."""
