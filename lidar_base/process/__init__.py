# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The process that the product runs in: interrupts of its user, and where its time goes."""
