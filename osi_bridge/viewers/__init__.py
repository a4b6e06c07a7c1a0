# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages and files for Lichtblick, Foxglove and Rerun, in Foxglove's schemas."""
