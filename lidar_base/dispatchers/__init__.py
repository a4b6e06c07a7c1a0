# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of kernel: those whose calls wait for each other, and those that others take in."""
