# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The world that OSI describes: objects, their meshes and materials, as a scene graph."""
