# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The gap between real and simulated clouds: measured, attributed, and taken apart."""
