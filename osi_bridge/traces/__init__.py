# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Trace files of OSI messages: binary, text and MCAP, read and written."""
