# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The test bench for lidar models that use OSI: scenes whose answers closed forms give."""
