# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A node of ROS 2 without ROS: clouds, transforms and time over DDS while they are made."""
