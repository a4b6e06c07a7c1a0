# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Training data sets from runs: boxes from ground truth, classes, splits, layouts."""
