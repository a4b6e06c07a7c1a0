# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What the sensors of a vehicle see around it: blind zones, and ranges of road users."""
