# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenery without assets: roads from lanes and maps, and shapes in place of boxes."""
