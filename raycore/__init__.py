# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Geometry and the path of light: meshes, scene graph, scan patterns, ray tracing with Embree."""
