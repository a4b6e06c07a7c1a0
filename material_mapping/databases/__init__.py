# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Databases of measured materials: ECOSTRESS, time-of-flight at 945 nm, OpenMATERIAL 3D."""
