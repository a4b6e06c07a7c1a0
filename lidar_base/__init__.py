# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The floor under all packages: records, kernels' primitives, YAML; no OSI, Embree or materials."""
