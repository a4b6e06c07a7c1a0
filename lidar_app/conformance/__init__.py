# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The bench of closed forms for any lidar model that speaks OSI: scenes, oracles, subjects."""
