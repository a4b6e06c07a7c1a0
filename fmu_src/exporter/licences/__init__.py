# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Licences of the packages in an FMU, and standard texts for wheels without one."""
