# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OpenMATERIAL 3D: assets, materials, BRDF tables."""
