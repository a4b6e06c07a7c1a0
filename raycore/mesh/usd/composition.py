# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks that a stage was composed completely, and has no value clips."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pxr import Usd

from raycore.errors import MeshError

if TYPE_CHECKING:
    from raycore.mesh.readers import MeshSource
    from raycore.mesh.usd.layers import Layers

_CYCLES = ("ErrorArcCycle", "ErrorSublayerCycle")
_REFUSED = (
    "ErrorInvalidAssetPath", "ErrorInvalidSublayerPath", "ErrorUnresolvedPrimPath",
    "ErrorInvalidPrimPath", "ErrorVariableExpressionError", "ErrorCapacityExceeded",
)  # fmt: skip
"""Errors of usd-core with which a part of the stage is missing; all others are only reported."""
_ASSET = re.compile(r"@([^@]*)@")
_SITE = re.compile(r"<([^>]*)>")
_ADDRESS = re.compile(r"anon:0x[0-9a-f]+:")
_LONGEST = 200
_MOST_LETTERS = 20
_CLIPS = "clips"


def check_composition(stage: Usd.Stage, layers: Layers, source: MeshSource) -> None:
    """Raise if a part of a stage is missing; add other composition errors to `source.unfollowed`.

    Parameters
    ----------
    stage : Usd.Stage
        The stage, already composed.
    layers : Layers
        The layers of the stage, which know the names of files that usd-core cannot read.
    source : MeshSource
        The file of the stage.

    Raises
    ------
    MeshError
        A layer or prim that the stage names is missing, invalid, or includes itself.
    """
    for error in stage.GetCompositionErrors():
        kind = type(error).__name__
        text = _ADDRESS.sub("", " ".join(str(error).split()))
        named = _ASSET.search(text)
        if kind in _CYCLES:
            site = _SITE.search(text)
            where = f"prim {site[1]}" if site and kind == _CYCLES[0] else "a layer"
            raise MeshError(
                f"{source}: {where} includes itself, expected layers and prims without cycles"
            )
        if named and named[1] in layers.unknown:
            suffix = named[1].rpartition(".")[2]
            source.unfollowed.add(f"file of the format {suffix[:_MOST_LETTERS]}", _place(text))
        elif named and kind in _REFUSED[:2]:
            place = _place(text)
            where = f" named at {place}," if place else ""
            raise MeshError(f"{source}: needs {named[1]},{where} which does not exist")
        elif kind == "ErrorUnresolvedPrimPath":
            raise MeshError(f"{source}: {_missing_prim(text)}")
        elif kind in _REFUSED:
            raise MeshError(f"{source}: {text[:_LONGEST]}")
        else:
            source.unfollowed.add(f"composition error: {kind.removeprefix('Error')}", _place(text))


def _missing_prim(text: str) -> str:
    """Return a message about a missing prim, given usd-core's text of the error.

    That text is like "Unresolved .. @asset@<path> introduced by ..<site>".
    """
    asset = _ASSET.findall(text)
    sites = _SITE.findall(text)
    path = sites[0] if sites else ""
    what = "a default prim" if path == "defaultPrim" else f"prim {path}"
    return (
        f"needs {what} in {asset[0] if asset else ''}, named at {_place(text)}, which is not there"
    )


def _place(text: str) -> str:
    sites = _SITE.findall(text)
    return sites[-1] if sites else ""


def check_prims(stage: Usd.Stage, source: MeshSource) -> None:
    """Check that no prim has value clips, which would open further files.

    ``stage`` is the stage to check. ``source`` is its file, for the message.

    Raises
    ------
    MeshError
        A prim has value clips.
    """
    for prim in Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies()):
        if prim.HasAuthoredMetadata(_CLIPS):
            raise MeshError(
                f"{source}: prim {prim.GetPath()} has value clips, which are not supported; "
                "expected values in its layers"
            )
