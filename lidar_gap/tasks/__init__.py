# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Task metrics: detections, trajectories and plans made from real and from simulated clouds."""
