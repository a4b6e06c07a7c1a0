# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What viewers such as Lichtblick and Foxglove draw of a run: transforms, scans, a layout."""
