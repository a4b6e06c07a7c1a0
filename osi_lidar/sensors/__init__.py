# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Known sensors with their sources, makers' calibrations, and scan patterns from files."""
