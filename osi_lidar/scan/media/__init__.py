# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Air, drops, spray and windows between a sensor and surfaces, and light that takes a detour."""
