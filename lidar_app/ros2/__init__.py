# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A ROS 2 node without ROS: publishes clouds, transforms and time over DDS during a run."""
