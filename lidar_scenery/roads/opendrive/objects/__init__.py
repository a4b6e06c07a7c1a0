# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What stands along a road of a map, and what is painted on it: objects and signals."""
