# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Mesh files of generated surfaces, for viewers, editors and later runs."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np
import trimesh
from trimesh.exchange.obj import export_obj
from trimesh.visual import TextureVisuals
from trimesh.visual.material import PBRMaterial

from lidar_base.files.whole_files import replacing
from lidar_scenery.shapes.looks import LOOKS
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from osi_lidar.world.object_records import PlacedMesh
    from raycore.mesh.mesh import Mesh

SUFFIXES = (".glb", ".obj")
_GLTF_FROM_WORLD = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], np.float64)


def check_suffix(path: Path) -> None:
    """Raise InputError unless the suffix of `path` is .glb or .obj, which `write_mesh` can write.

    Upper and lower case do not matter. The file need not exist.
    """
    if path.suffix.lower() not in SUFFIXES:
        expected = " or ".join(SUFFIXES)
        raise InputError(f"{path}: cannot write {path.suffix or 'no suffix'}, expected {expected}")


def write_mesh(path: Path, placed: Sequence[PlacedMesh]) -> list[Path]:
    """Write meshes to one file, and a mapping table of their materials beside it.

    In glTF, the y axis points up, as the format requires; in OBJ the z axis, as in OSI. Existing
    files are replaced.

    Parameters
    ----------
    path : Path
        ``.glb`` or ``.obj``; an OBJ file gets a material file (.mtl) beside it.
    placed : sequence of PlacedMesh
        The meshes, each with its pose in the world.

    Returns
    -------
    list of Path
        The files written. The mapping table is for ``materials.mapping`` of a configuration.

    Raises
    ------
    InputError
        If the suffix is not allowed, or the folder does not exist.
    """
    check_suffix(path)
    if not path.parent.is_dir():
        raise InputError(f"{path}: no such folder: '{path.parent}'")
    names = dict.fromkeys(name for mesh, _ in placed for name in mesh.slot_names)
    mapping = path.with_suffix(".materials.yaml")
    rules = [f"  {name}: {LOOKS[name].infrared}" for name in names if name in LOOKS]
    if path.suffix.lower() == ".glb":
        files = {path: _scene(placed, _GLTF_FROM_WORLD).export(file_type="glb")}
    else:
        files = _obj_files(path, _scene(placed, np.eye(4)))
    files[mapping] = "\n".join(["materials:", *rules, ""]).encode()
    with ExitStack() as all_or_none:
        for name, content in files.items():
            all_or_none.enter_context(replacing(name)).write_bytes(content)
    return [*files]


def _obj_files(path: Path, scene: Any) -> dict[Path, bytes]:  # noqa: ANN401  trimesh has no types
    library = path.with_suffix(".mtl").name
    text, beside = export_obj(  # type: ignore[no-untyped-call]
        scene, include_texture=True, return_texture=True, mtl_name=library
    )
    return {path: text.encode(), **{path.with_name(name): data for name, data in beside.items()}}


def _scene(placed: Sequence[PlacedMesh], file_from_world: NDArray[np.float64]) -> Any:  # noqa: ANN401
    """Return a trimesh scene with a geometry per material of each mesh; instances share it."""
    scene = trimesh.Scene()
    known: dict[tuple[int, int], str] = {}
    for number, (mesh, world_from_mesh) in enumerate(placed):
        local = np.eye(4)
        local[:3, 3] = mesh.origin_m
        pose = file_from_world @ world_from_mesh @ local
        for slot, visual in enumerate(mesh.materials):
            name = f"{mesh.name}_{number}_{visual.name}"
            geometry = known.setdefault((id(mesh), slot), name)
            if geometry == name and (part := _part(mesh, slot)) is not None:
                scene.add_geometry(part, node_name=name, geom_name=name, transform=pose)
            elif geometry in scene.geometry:
                scene.graph.update(  # type: ignore[no-untyped-call]
                    frame_to=name, matrix=pose, geometry=geometry
                )
    return scene


def _part(mesh: Mesh, slot: int) -> trimesh.Trimesh | None:
    """Return the faces of a mesh with one material, None if there are none."""
    visual, faces = mesh.materials[slot], mesh.faces[mesh.slot == slot]
    if not len(faces):
        return None
    used, faces = np.unique(faces, return_inverse=True)
    red, green, blue = visual.base_color or (0.5, 0.5, 0.5)
    color = [round(255 * part) for part in (red, green, blue, 1.0)]
    material = PBRMaterial(  # type: ignore[no-untyped-call]
        name=visual.name, baseColorFactor=color, metallicFactor=0.0, roughnessFactor=0.9
    )
    return trimesh.Trimesh(
        mesh.vertices_m[used],
        faces.reshape(-1, 3),
        visual=TextureVisuals(material=material),  # type: ignore[no-untyped-call]
        process=False,
    )
