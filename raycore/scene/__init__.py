# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scene graph: meshes, instances, their poses over time, and the changes of each commit."""
