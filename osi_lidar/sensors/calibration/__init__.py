# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Calibrations in the makers' own files: one reader for each maker.

``record`` holds what a file says, ``reading`` finds the reader of a file.
"""
