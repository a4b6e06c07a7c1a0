# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Suffixes of mesh files."""

USD_SUFFIXES = (".usd", ".usdc", ".usda", ".usdz")
"""Suffixes of OpenUSD."""
MESH_SUFFIXES = (".gltf", ".glb", ".obj", ".dae", *USD_SUFFIXES, ".stl", ".ply")
"""Suffixes of the mesh files that can be read, in lower case. If several mesh files differ only in
suffix, the one whose suffix comes first is taken, as its format holds the most."""
