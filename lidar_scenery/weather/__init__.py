# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Weather: its sources, its content of air and ground, and its effect on the light of a beam."""
