# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reader of COLLADA files."""

from __future__ import annotations

import io
import logging
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

import numpy as np

from raycore.errors import MeshError
from raycore.mesh.drawn import check_collada
from raycore.mesh.materials import (
    VisualMaterial,
    file_name,
    first_of_each_name,
    fraction,
    rgb,
    visible,
)
from raycore.mesh.readers import MeshPart, MeshSource, Surface, join, transform

if TYPE_CHECKING:
    from collections.abc import Iterator

    import collada

_COLLADA_NAN = re.compile(rb"[>\s][-+]?nan[<\s]", re.IGNORECASE)
_HIDDEN = re.compile(rb"<(?:\w+:)?visibility\b[^<>]*>\s*(?:0[.0]*|false)\s*<")


def read_collada(data: bytes, source: MeshSource) -> Surface:
    """Read a COLLADA file into a `Surface`, scaled by the file's unit to metres.

    The up axis of the file stays the up axis of the surface. trimesh drops the names of COLLADA
    materials, so pycollada is used directly. What pycollada cannot read is left out with a warning.

    Parameters
    ----------
    data : bytes
        Content of the file.
    source : MeshSource
        The file. Ignored content is added to its ``unfollowed``.

    Raises
    ------
    MeshError
        The file has unsupported content, NaN, no scene, or a unit that is not positive.
    """
    from collada import Collada  # noqa: PLC0415 - only COLLADA files need it
    from collada.common import DaeError  # noqa: PLC0415

    data = check_collada(data, source.path, source.unfollowed)
    if _COLLADA_NAN.search(data):  # pycollada would take it for 0
        raise MeshError(f"{source}: contains NaN, expected finite numbers")
    document = Collada(io.BytesIO(data), ignore=[DaeError])
    if document.errors:
        first = " ".join(str(document.errors[0]).split())
        source.note(
            logging.WARNING, f"{len(document.errors)} parts of it are left out, the first: {first}"
        )
    unit_m = document.assetInfo.unitmeter
    unit_m = 1.0 if unit_m is None else float(unit_m)
    if not (np.isfinite(unit_m) and unit_m > 0.0):
        raise MeshError(f"{source}: unit is {unit_m} m, expected a positive number")
    if document.scene is None:
        raise MeshError(f"{source}: has no scene, expected <scene> with an <instance_visual_scene>")
    for each in _HIDDEN.finditer(data):
        line = data.count(b"\n", 0, each.start()) + 1
        source.unfollowed.add("<visibility> of 0", f"line {line}")
        break  # only the first: to count lines for each would be slow
    looks = first_of_each_name(_collada_material(material) for material in document.materials)
    return join(_collada_parts(document.scene, unit_m, source), source, looks)


def _collada_parts(
    scene: collada.scene.Scene, unit_m: float, source: MeshSource
) -> Iterator[MeshPart]:
    for bound in (*scene.objects("geometry"), *scene.objects("controller")):
        if hasattr(bound, "geometry"):  # a skin
            place, primitives = bound.geometry, bound.geometry.original.primitives
        elif hasattr(bound.original, "target_list"):
            place, primitives = bound, _at_rest(bound.original, source).primitives
        else:
            place, primitives = bound, bound.original.primitives
        for primitive in primitives:
            triangles = primitive
            if hasattr(primitive, "triangleset"):  # polygons
                triangles = primitive.triangleset()
            if not hasattr(triangles, "ntriangles") or triangles.vertex is None:
                continue  # lines, or nothing at all
            material = place.materialnodebysymbol.get(triangles.material)
            name = triangles.material or ""
            if material is not None:
                name = _collada_name(material.target)
            vertices = unit_m * transform(triangles.vertex, place.matrix)
            yield MeshPart(vertices, triangles.vertex_index, name)


def _at_rest(morph: collada.controller.Morph, source: MeshSource) -> collada.geometry.Geometry:
    """Return the base geometry of a morph; raise an error if a morph target has a weight."""
    weights = [float(weight) for _, weight in morph.target_list]
    if any(weights):
        raise MeshError(
            f"{source}: <morph> of controller {morph.id} has the weights {weights[:10]}, which are "
            "not supported; expected weights of 0, or the morphed geometry itself"
        )
    return morph.source_geometry


def _collada_name(material: collada.material.Material) -> str:
    return material.name or material.id or ""


def _collada_material(material: collada.material.Material) -> VisualMaterial:
    diffuse = material.effect.diffuse
    texture = ""
    if hasattr(diffuse, "sampler"):
        texture = file_name(unquote(diffuse.sampler.surface.image.path or ""))
    return VisualMaterial(
        name=_collada_name(material),
        base_color=rgb(diffuse),
        opacity=_collada_opacity(material.effect),
        texture=texture,
    )


def _collada_opacity(effect: collada.material.Effect) -> float:
    """Return the opacity of an effect by the equations of COLLADA.

    pycollada supports only two of the four modes, and its default transparency is not COLLADA's.
    """
    node = effect.xmlnode.find(".//{*}transparent")
    mode = "A_ONE" if node is None else node.get("opaque", "A_ONE")
    color = effect.transparent if isinstance(effect.transparent, (tuple, list)) else ()
    share = fraction(color[3]) if len(color) > 3 else None
    if mode.startswith("RGB"):
        red, green, blue = rgb(color) or (1.0, 1.0, 1.0)
        share = 0.212671 * red + 0.715160 * green + 0.072169 * blue  # weights of COLLADA 1.4.1
    share = 1.0 if share is None else share
    if effect.xmlnode.find(".//{*}transparency") is not None:
        strength = fraction(effect.transparency)
        share *= 1.0 if strength is None else strength
    return visible(1.0 - share if mode.endswith("ZERO") else share)
