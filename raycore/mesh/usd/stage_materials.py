# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Materials of a stage: their names, and the appearance that their shaders state.

Inputs of three kinds of shaders are read: UsdPreviewSurface, the OmniPBR of NVIDIA's MDL, and the
standard surface of MaterialX. Where an input is connected to an image, the image's name is kept.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from pxr import Gf, Sdf, Usd, UsdShade

from raycore.mesh.materials import VisualMaterial, file_name, fraction, rgb, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lidar_base.unfollowed import Unfollowed

_CONTEXTS = ("", "mdl", "mtlx")
_COLOR = ("diffuseColor", "diffuse_color_constant", "base_color")
_TEXTURE = ("diffuse_texture",)
_METAL = ("metallic", "metallic_constant", "metalness")
_ROUGH = ("roughness", "reflection_roughness_constant", "specular_roughness")
_TRANSMISSION = ("transmission",)
_OPACITY = ("opacity", "opacity_constant")


class StageMaterials:
    """The materials that a stage binds, numbered by first appearance; 0 means no material.

    Parameters
    ----------
    time : Usd.TimeCode
        Time at which inputs of shaders are read.
    unfollowed : Unfollowed
        List for materials that are ignored because another one has the same name.

    Attributes
    ----------
    found : list of VisualMaterial
        The materials by number; entry 0 is an empty one.
    """

    def __init__(self, time: Usd.TimeCode, unfollowed: Unfollowed) -> None:
        self._time = time
        self._unfollowed = unfollowed
        self._number_of_name = {"": 0}
        self._seen: set[Sdf.Path] = set()
        self.found = [VisualMaterial(name="")]

    def number(self, material: UsdShade.Material) -> int:
        """Return the number of a material, 0 if it is invalid; equal names have the same number."""
        if not material:
            return 0
        name, path = str(material.GetPrim().GetName()), material.GetPath()
        number = self._number_of_name.setdefault(name, len(self.found))
        if path not in self._seen:
            self._seen.add(path)
            look = _appearance(material, self._time)
            if number == len(self.found):
                self.found.append(look)
            elif look != self.found[number]:
                self._unfollowed.add("another look of a material of the same name", str(path))
        return number

    def stated(self) -> list[dict[str, object]]:
        """Return a dictionary for each material, by number: the fields of its `VisualMaterial`.

        Entry 0 is the empty material of faces without one.
        """
        return [asdict(each) for each in self.found]


def bound_materials(prims: list[Usd.Prim]) -> list[UsdShade.Material]:
    """Return the material that is bound to each prim; an invalid one if there is none.

    ``prims`` are the prims; the result is in their order. Bindings for full rendering or for all
    purposes come first, then bindings for previews.
    """
    api = UsdShade.MaterialBindingAPI
    full = api.ComputeBoundMaterials(prims, UsdShade.Tokens.full)[0]
    if all(full):
        return list(full)
    preview = api.ComputeBoundMaterials(prims, UsdShade.Tokens.preview)[0]
    return [one or other for one, other in zip(full, preview, strict=True)]


def _appearance(material: UsdShade.Material, time: Usd.TimeCode) -> VisualMaterial:
    shader = _surface(material)
    color, texture = _color(shader, time)
    opacity = fraction(_value(shader, _OPACITY, time)[0])
    return VisualMaterial(
        name=str(material.GetPrim().GetName()),
        base_color=color,
        opacity=1.0 if opacity is None else visible(opacity),
        metalness=fraction(_value(shader, _METAL, time)[0]),
        roughness=fraction(_value(shader, _ROUGH, time)[0]),
        transmission=fraction(_value(shader, _TRANSMISSION, time)[0]),
        texture=texture,
    )


def _surface(material: UsdShade.Material) -> UsdShade.Shader | None:
    for context in _CONTEXTS:
        shader = material.ComputeSurfaceSource(context)[0]
        if shader:
            return shader
    return None


def _color(
    shader: UsdShade.Shader | None, time: Usd.TimeCode
) -> tuple[tuple[float, float, float] | None, str]:
    """Return the base colour of a shader (None if unknown), and the file name of its image."""
    value, image = _value(shader, _COLOR, time)
    stated = _value(shader, _TEXTURE, time)[0]
    if isinstance(stated, Sdf.AssetPath):
        image = image or file_name(stated.path)
    return rgb(tuple(value)) if isinstance(value, (Gf.Vec3f, Gf.Vec3d)) else None, image


def _value(
    shader: UsdShade.Shader | None, names: Iterable[str], time: Usd.TimeCode
) -> tuple[object, str]:
    """Return the value of the first of these inputs that has one, or its image's file name."""
    if shader is None:
        return None, ""
    for name in names:
        stated = shader.GetInput(name)
        for attribute in stated.GetValueProducingAttributes() if stated else ():
            if UsdShade.Output.IsOutput(attribute):
                return None, _image(attribute.GetPrim(), time)
            return attribute.Get(time), ""
    return None, ""


def _image(prim: Usd.Prim, time: Usd.TimeCode) -> str:
    """Return the name of the file that a texture shader reads; "" if it reads none."""
    stated = UsdShade.Shader(prim).GetInput("file")
    value = stated.Get(time) if stated else None
    return file_name(value.path) if isinstance(value, Sdf.AssetPath) else ""
