# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Echoes of beams with a footprint, and the receiver that reports them."""
