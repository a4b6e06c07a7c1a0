# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects and signals of a map: shapes along a road, and paint on the road."""
