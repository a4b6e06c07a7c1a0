# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reflectivities of a twin: the law of the sensor, and what its beams say of each place."""
