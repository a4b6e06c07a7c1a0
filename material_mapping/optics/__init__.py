# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Optics of surfaces: Fresnel's equations, microfacets, reflection models."""
