# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Images of base colours: reading them, and how kernels look them up on triangles."""
