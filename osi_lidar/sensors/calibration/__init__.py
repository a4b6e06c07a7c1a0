# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers of calibrations in the makers' own file formats.

``record`` holds the content of a file, ``reading`` finds the reader of a file.
"""
