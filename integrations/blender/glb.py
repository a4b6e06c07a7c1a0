# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Surfaces as binary glTF 2.0 [1]_: triangles, names and looks of materials, places in images.

Coordinates stay as in Blender, z up, although glTF says y up; `lidar.yaml` states the axis.

.. [1] https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FLOAT, _UINT32 = 5126, 5125
_VERTICES, _INDICES = 34962, 34963  # what a view of the buffer is for
_JSON, _BINARY = 0x4E4F534A, 0x004E4942


@dataclass(frozen=True)
class Look:
    """Name and appearance of a material.

    Attributes
    ----------
    name : str
        Name in Blender; empty for faces without a material.
    color : (4,) float
        Base colour, linear, and opacity. [1]
    metallic, roughness, transmission : float
        As in Blender's Principled BSDF. [1]
    image : str
        Name of the base colour's image file, in the mesh's folder; empty without an image.
    """

    name: str
    color: tuple[float, float, float, float] = (0.8, 0.8, 0.8, 1.0)
    metallic: float = 0.0
    roughness: float = 0.5
    transmission: float = 0.0
    image: str = ""


@dataclass(frozen=True)
class Surface:
    """Triangles with materials.

    Attributes
    ----------
    points : float32 (n, 3)
        Corners, in units of the scene.
    triangles : uint32 (m, 3)
        Corners of each triangle, indices into `points`.
    look_of : int32 (m,)
        Material of each triangle, an index into `looks`.
    looks : tuple of Look
        The materials.
    uv : float32 (n, 2) or None
        Texture coordinates of the corners, from the upper left of the image, as in glTF.
    """

    points: NDArray[np.float32]
    triangles: NDArray[np.uint32]
    look_of: NDArray[np.int32]
    looks: tuple[Look, ...]
    uv: NDArray[np.float32] | None = None

    @property
    def bounds(self) -> NDArray[np.float64]:
        """Lowest and highest corner of the triangles, float64 (2, 3)."""
        used = self.points[self.triangles.reshape(-1)].astype(np.float64)
        return np.stack((used.min(axis=0), used.max(axis=0)))


class _Document:
    """The JSON and the binary buffer of a `.glb` file while it is put together."""

    def __init__(self) -> None:
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.buffer = bytearray()

    def add(self, rows: NDArray[Any], kind: str, component: int, target: int) -> int:
        """Add an array to the buffer, and return the index of its glTF accessor."""
        data = np.ascontiguousarray(rows).tobytes()
        view = {"buffer": 0, "byteOffset": len(self.buffer), "byteLength": len(data)}
        self.views.append({**view, "target": target})
        self.buffer += data
        accessor = {"bufferView": len(self.views) - 1, "componentType": component}
        self.accessors.append({**accessor, "count": len(rows), "type": kind})
        return len(self.accessors) - 1


def glb_of(surface: Surface) -> bytes:
    """Return a surface as the bytes of a `.glb` file: a primitive for each material in use."""
    document = _Document()
    attributes = {"POSITION": document.add(surface.points, "VEC3", _FLOAT, _VERTICES)}
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    document.accessors[-1].update(min=low.tolist(), max=high.tolist())
    if surface.uv is not None:
        attributes["TEXCOORD_0"] = document.add(surface.uv, "VEC2", _FLOAT, _VERTICES)
    primitives = []
    used = np.unique(surface.look_of).tolist()
    named = [index for index in used if surface.looks[index].name]
    for index in used:
        corners = surface.triangles[surface.look_of == index].reshape(-1).astype(np.uint32)
        indices = document.add(corners, "SCALAR", _UINT32, _INDICES)
        primitive: dict[str, Any] = {"attributes": attributes, "indices": indices}
        if index in named:
            primitive["material"] = named.index(index)
        primitives.append(primitive)
    content = {
        "asset": {"version": "2.0", "generator": "osi-lidar for Blender"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": primitives}],
        "accessors": document.accessors,
        "bufferViews": document.views,
        "buffers": [{"byteLength": len(document.buffer)}],
        **_materials([surface.looks[index] for index in named]),
    }
    return _packed(content, bytes(document.buffer))


def _materials(looks: list[Look]) -> dict[str, Any]:
    """Return the parts of the JSON that describe materials and their images."""
    if not looks:
        return {}
    images = sorted({look.image for look in looks if look.image})
    parts: dict[str, Any] = {"materials": [_material(look, images) for look in looks]}
    if images:
        parts["images"] = [{"uri": image} for image in images]
        parts["textures"] = [{"source": index} for index in range(len(images))]
    if any(look.transmission for look in looks):
        parts["extensionsUsed"] = ["KHR_materials_transmission"]
    return parts


def _material(look: Look, images: list[str]) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "baseColorFactor": [round(each, 6) for each in look.color],
        "metallicFactor": round(look.metallic, 6),
        "roughnessFactor": round(look.roughness, 6),
    }
    if look.image:
        plain["baseColorTexture"] = {"index": images.index(look.image)}
    material: dict[str, Any] = {"name": look.name, "pbrMetallicRoughness": plain}
    if look.color[3] < 1.0:
        material["alphaMode"] = "BLEND"
    if look.transmission:
        factor = {"transmissionFactor": round(look.transmission, 6)}
        material["extensions"] = {"KHR_materials_transmission": factor}
    return material


def _packed(content: dict[str, Any], buffer: bytes) -> bytes:
    """Return the JSON and the buffer as chunks, each padded to four bytes, behind the header."""
    text = json.dumps(content, separators=(",", ":"), sort_keys=True).encode()
    text += b" " * (-len(text) % 4)
    buffer += b"\0" * (-len(buffer) % 4)
    chunks = struct.pack("<II", len(text), _JSON) + text
    chunks += struct.pack("<II", len(buffer), _BINARY) + buffer
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
