# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Contents of a run for viewers such as Lichtblick and Foxglove: transforms, scans, a layout."""
