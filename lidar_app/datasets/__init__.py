# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Data sets of labelled clouds from OSI traces: truth for boxes, classes, splits, layouts."""
