# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The application: commands, tables and pictures for people, and other tools' formats."""
