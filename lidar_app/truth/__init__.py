# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ground truth for each box and scan of a run: points, occlusion, pose and velocity."""
