# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files that a trace or a configuration names: meshes and maps, found and confined."""
