# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Contents of stages that are not followed: each kind is listed once, with its first place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pxr import UsdGeom

from raycore.mesh.usd.shapes import BUILT_IN, type_of

if TYPE_CHECKING:
    from pxr import Usd

    from lidar_base.unfollowed import Unfollowed

_SILENT = {
    "", "Xform", "Scope", "GeomSubset", "Material", "Shader", "NodeGraph", "SkelRoot", "Backdrop",
    "RenderSettings", "RenderProduct", "RenderVar", "Mesh", *BUILT_IN,
}  # fmt: skip
"""Types of prims that are supported, or have no influence on a surface."""
_MOST_LETTERS = 60
_LEVELS = "LODRootAPI"
_COLORS = ("primvars:displayColor", "primvars:displayOpacity")
_DRAW_MODE = "model:drawMode"
_SKINS = ("skel:skeleton", "primvars:skel:jointIndices")
_OF_INSTANCES = ("protoIndices", "positions", "orientations", "scales", "invisibleIds")
_STAND_INS = ("bounds", "cards", "origin")
"""Draw modes that replace the surface of a model by a stand-in."""
_SHARP = UsdGeom.Tokens.none


def list_prim(prim: Usd.Prim, unfollowed: Unfollowed) -> None:
    """Add content of a prim that the reader ignores to ``unfollowed``.

    It is the prim itself if its type is not supported, and each property that would change the
    surface or its appearance, such as a subdivision scheme, display colours or a skin.
    """
    place = str(prim.GetPath())
    kind = type_of(prim)
    if kind not in _SILENT:
        unfollowed.add(f"prim of type {kind[:_MOST_LETTERS]}", place)
    if _LEVELS in prim.GetAppliedSchemas():
        unfollowed.add("LODRootAPI: all its levels are read", place)
    if prim.IsA(UsdGeom.Gprim):
        for name in _COLORS:
            if _states(prim, name):
                unfollowed.add(name, place)
    if _states(prim, _DRAW_MODE) and prim.GetAttribute(_DRAW_MODE).Get() in _STAND_INS:
        unfollowed.add(f"{_DRAW_MODE} {prim.GetAttribute(_DRAW_MODE).Get()}", place)
    if prim.IsA(UsdGeom.Mesh):
        _list_mesh(prim, unfollowed)


def _states(prim: Usd.Prim, name: str) -> bool:
    attribute = prim.GetAttribute(name)
    return bool(attribute) and bool(attribute.HasAuthoredValue())


def _list_mesh(prim: Usd.Prim, unfollowed: Unfollowed) -> None:
    place = str(prim.GetPath())
    mesh = UsdGeom.Mesh(prim)
    scheme = str(mesh.GetSubdivisionSchemeAttr().Get())
    if scheme != _SHARP:
        what = f"subdivisionScheme {scheme[:_MOST_LETTERS]}: its control mesh is read"
        unfollowed.add(what, place)
    if mesh.GetPointsAttr().ValueMightBeTimeVarying():
        unfollowed.add("animation of points", place)
    if any(prim.HasProperty(name) for name in _SKINS):
        unfollowed.add("skin: it stands as it was modelled", place)


def list_animation(prim: Usd.Prim, unfollowed: Unfollowed) -> None:
    """Add a prim's animated transform or animated instances to ``unfollowed``.

    The reader takes their values at one time only.
    """
    place = str(prim.GetPath())
    moved = UsdGeom.Xformable(prim)
    if moved and moved.TransformMightBeTimeVarying():
        unfollowed.add("animation of a transform", place)
    if prim.IsA(UsdGeom.PointInstancer) and any(
        prim.GetAttribute(name).ValueMightBeTimeVarying() for name in _OF_INSTANCES
    ):
        unfollowed.add("animation of instances", place)
