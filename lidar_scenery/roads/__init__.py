# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Road surfaces, markings and what stands along them, from OSI lanes and OpenDRIVE maps."""
