# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Licences of what an FMU holds of others, and standard texts for those whose wheel has none."""
