# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands that scan: ``demo``, ``replay``, ``scan``, ``sweep`` and ``check``."""
