# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files: safe writing, bounded reading of foreign formats, and YAML."""
