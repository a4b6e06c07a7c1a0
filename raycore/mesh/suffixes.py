# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Suffixes of mesh files."""

USD_SUFFIXES = (".usd", ".usdc", ".usda", ".usdz")
"""Suffixes of OpenUSD."""
MESH_SUFFIXES = (".gltf", ".glb", ".obj", ".dae", *USD_SUFFIXES, ".stl", ".ply")
"""In lower case, the richest format first: the order decides between files of one name."""
