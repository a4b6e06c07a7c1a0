# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Meshes of generated surfaces: their files, and the pictures and the table of shapes."""
