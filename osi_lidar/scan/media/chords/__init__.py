# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Chords: the part of each beam that lies in a body of spray or dust."""
