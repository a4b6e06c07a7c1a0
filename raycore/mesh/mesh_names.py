# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of mesh files, and the axis that points up in a mesh file."""

import re
from pathlib import Path

from raycore.mesh.suffixes import MESH_SUFFIXES, USD_SUFFIXES

ASSET_SUFFIX = ".xoma"  # ASAM OpenMATERIAL 3D asset
REFERENCE_SUFFIXES = (*MESH_SUFFIXES, ASSET_SUFFIX)
_UP_AXIS = re.compile(rb"<up_axis>\s*([XYZ])_UP")
_HEAD_BYTES = 2**20  # a COLLADA file's <asset> comes first


def is_file(path: Path) -> bool:
    """Return whether ``path`` is an existing file; False if permission to look at it is lacking."""
    try:
        return path.is_file()
    except OSError:
        return False


def names_mesh(reference: str) -> bool:
    """Return whether a reference has the suffix of a mesh file or an OpenMATERIAL 3D asset."""
    return reference.lower().endswith(REFERENCE_SUFFIXES)


def up_axis(path: Path) -> str:
    """Return the default up axis of a mesh file: "x", "y" or "z".

    glTF and OpenMATERIAL 3D have y up. COLLADA files state the axis, with y as the default. OpenUSD
    files state it, too, but their reader turns them to z up. All other formats are taken as z up.
    ``path`` is the file; only COLLADA files are opened.
    """
    suffix = path.suffix.lower()
    if suffix == ".dae":
        try:
            with path.open("rb") as file:
                said = _UP_AXIS.search(file.read(_HEAD_BYTES))
        except OSError:
            said = None
        return said[1].decode().lower() if said else "y"
    return "y" if suffix in (".gltf", ".glb", ASSET_SUFFIX) else "z"


def comes_upright(path: Path) -> bool:
    """Return whether the reader of a mesh file turns it to z up; only the OpenUSD reader does.

    ``path`` is the file, of which only the suffix is used.
    """
    return path.suffix.lower() in USD_SUFFIXES


def mesh_beside_asset(asset: Path) -> Path | None:
    """Return the mesh file of an OpenMATERIAL 3D asset, which has the same name; None if absent.

    ``asset`` is the path of the asset file (.xoma). The asset schemas 1.0 and 1.1 have no key for
    the geometry; the shared file name is the link.
    """
    for suffix in MESH_SUFFIXES:
        mesh = asset.with_suffix(suffix)
        if is_file(mesh):
            return mesh
    return None
