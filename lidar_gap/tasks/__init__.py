# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Task metrics: compare detections, trajectories and plans from real and from simulated clouds."""
