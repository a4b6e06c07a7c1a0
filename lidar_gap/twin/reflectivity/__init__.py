# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reflectivities of a twin: law of the sensor's signal, and albedos found from its beams."""
