# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures of the gap: pure functions on arrays, one file for each family of measures.

Arguments come in the order real, simulated. The range of a pixel without a return is NaN. A measure
without any data is NaN, too.
"""
