# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Detection range: the farthest range at which a sensor sees a reflectivity."""
