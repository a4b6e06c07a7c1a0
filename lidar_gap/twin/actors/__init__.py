# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bodies of labelled objects, made of their recorded points, and the trace in which they move."""
