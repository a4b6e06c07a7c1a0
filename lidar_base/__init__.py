# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Basics that all packages use: records, primitives of kernels, files, YAML, errors.

This package knows nothing of OSI, Embree or materials.
"""
