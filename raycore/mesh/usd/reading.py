# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reader of OpenUSD files (.usd, .usda, .usdc, .usdz), through a process with usd-core."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from raycore.errors import MeshError
from raycore.mesh.materials import VisualMaterial, rgb
from raycore.mesh.readers import FaceGroup, MeshSource, Surface, check_faces
from raycore.mesh.usd.process import answer_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIELDS = ("name", "opacity", "metalness", "roughness", "transmission", "texture")


class _Said(NamedTuple):
    """The JSON part of the reading process's answer."""

    error: str
    layers: list[str]
    notes: list[tuple[int, str]]
    not_followed: list[tuple[str, str, int]]
    materials: list[dict[str, object]]


def read_usd(data: bytes, source: MeshSource) -> Surface:
    """Read the stage that an OpenUSD file composes into a `Surface`, in metres and with z up.

    Parameters
    ----------
    data : bytes
        Content of the file. It is not used, because usd-core opens the file itself.
    source : MeshSource
        The file. The layers of the stage are added to its companions.

    Raises
    ------
    MeshError
        If usd-core is not installed, or the stage cannot be read.
    """
    del data
    found = answer_of(source)
    said = _said(found, source)
    for level, text in said.notes:
        source.note(level, text)
    for what, first, times in said.not_followed:
        source.unfollowed.add(what, first, times)
    for name in said.layers:
        source.read_beside(name)
    vertices = found["vertices"].astype("f8", copy=False)
    faces = found["faces"].astype("i8", copy=False)
    check_faces(faces, len(vertices), source)
    return Surface(
        vertices=vertices,
        faces=faces,
        material=found["material"].astype("i8", copy=False),
        materials=tuple(map(_material, said.materials)),
        groups=_groups(found),
    )


def layer_names(source: MeshSource) -> list[str]:
    """Return the paths of the other files that an OpenUSD file includes, relative to its folder.

    ``source`` is the OpenUSD file. Its layers are read in another process, which uses usd-core.

    Raises
    ------
    MeshError
        If usd-core is not installed, or a layer cannot be read.
    """
    return _said(answer_of(source, layers_only=True), source).layers


def _groups(found: dict[str, NDArray[np.generic]]) -> list[FaceGroup]:
    """Return the groups of faces in an answer, each with its poses."""
    n_face: list[int] = found["n_face"].tolist()
    ends = np.cumsum(found["n_place"].astype("i8", copy=False))
    places = found["places"].astype("f8", copy=False)
    spans = pairwise([0, *ends.tolist()])
    return [FaceGroup(n, places[slice(*span)]) for n, span in zip(n_face, spans, strict=True)]


def _said(found: dict[str, NDArray[np.generic]], source: MeshSource) -> _Said:
    said = _Said(**json.loads(found["said"].tobytes()))
    if said.error:
        raise MeshError(f"{source}: {said.error}")
    return said


def _material(stated: dict[str, object]) -> VisualMaterial:
    color = rgb(stated["base_color"])
    return VisualMaterial(base_color=color, **{name: stated[name] for name in _FIELDS})  # type: ignore[arg-type]
