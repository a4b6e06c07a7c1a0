# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The scene graph: meshes, instances, their poses over time, and what a commit has changed."""
