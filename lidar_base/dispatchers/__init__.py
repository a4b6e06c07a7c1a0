# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of numba dispatchers: kernels called one at a time, and kernels linked into others."""
