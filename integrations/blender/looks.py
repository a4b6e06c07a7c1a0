# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Materials of Blender as looks: name, colour and image of the base colour."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from .errors import SceneError
from .glb import Look

if TYPE_CHECKING:
    from .folder import SceneFolder

_KEPT = {"PNG": ".png", "JPEG": ".jpg"}
"""Formats of images that are copied unchanged; other formats become PNG."""


class Looks:
    """The looks of materials, each read once in an export.

    Parameters
    ----------
    folder : SceneFolder
        Folder for the image files.

    Attributes
    ----------
    not_followed : set of str
        Features of the materials that the export ignores, in words.
    """

    def __init__(self, folder: SceneFolder) -> None:
        self.not_followed: set[str] = set()
        self._folder = folder
        self._looks: dict[str, Look] = {}

    def look_of(self, material: Any) -> Look:  # noqa: ANN401  # types of bpy are not at hand
        """Return the look of a `bpy.types.Material`, or of faces without a material (None).

        The look is read once, in the first exported frame that shows the material; later colour
        changes are ignored.
        """
        if material is None:
            return Look(name="")
        original = material.original
        if original.name_full not in self._looks:
            self._looks[original.name_full] = self._read(original)
        return self._looks[original.name_full]

    def _read(self, material: Any) -> Look:  # noqa: ANN401
        shader = _principled(material)
        if shader is None:
            if material.use_nodes:
                self.not_followed.add(f"material {material.name}: nodes without a Principled BSDF")
            r, g, b, a = material.diffuse_color
            return Look(material.name, (r, g, b, a), material.metallic, material.roughness)
        inputs = shader.inputs
        r, g, b, _ = inputs["Base Color"].default_value
        for name in ("Metallic", "Roughness", "Alpha", "Transmission Weight"):
            if inputs[name].is_linked:
                self.not_followed.add(f"material {material.name}: nodes of {name}")
        return Look(
            name=material.name,
            color=(r, g, b, inputs["Alpha"].default_value),
            metallic=inputs["Metallic"].default_value,
            roughness=inputs["Roughness"].default_value,
            transmission=inputs["Transmission Weight"].default_value,
            image=self._image_of(material, inputs["Base Color"]),
        )

    def _image_of(self, material: Any, color: Any) -> str:  # noqa: ANN401
        """Return the name of the image file behind a base colour, empty without an image."""
        if not color.is_linked:
            return ""
        node = color.links[0].from_node
        if node.type != "TEX_IMAGE" or node.image is None or node.image.source != "FILE":
            is_made = node.type == "TEX_IMAGE" and node.image is not None
            if not (is_made and node.image.source == "GENERATED"):
                self.not_followed.add(f"material {material.name}: nodes of Base Color")
                return ""
        if node.inputs["Vector"].is_linked:
            self.not_followed.add(f"material {material.name}: nodes that place its image")
        data, suffix = _image_bytes(node.image)
        if not data:
            self.not_followed.add(f"image {node.image.name}: has no pixels")
            return ""
        return self._folder.store(Path(node.image.name).stem, suffix, data)


def _principled(material: Any) -> Any:  # noqa: ANN401
    """Return the Principled BSDF of a material's nodes, or None."""
    if not material.use_nodes or material.node_tree is None:
        return None
    nodes = material.node_tree.nodes
    return next((node for node in nodes if node.type == "BSDF_PRINCIPLED"), None)


def _image_bytes(image: Any) -> tuple[bytes, str]:  # noqa: ANN401
    """Return the bytes of an image file and its suffix: a copy of a PNG or JPEG, else a new PNG."""
    suffix = _KEPT.get(image.file_format, "")
    if suffix and image.packed_file is not None:
        return bytes(image.packed_file.data), suffix
    file = Path(bpy.path.abspath(image.filepath, library=image.library))
    if suffix and image.source == "FILE" and file.is_file() and not image.is_dirty:
        try:
            return file.read_bytes(), suffix
        except OSError as error:
            raise SceneError(f"{file}: cannot be read: {error.strerror}") from error
    width, height = image.size
    if not width or not height:
        return b"", ""
    pixels = np.empty(width * height * image.channels, np.float32)
    image.pixels.foreach_get(pixels)
    rows = pixels.reshape(height, width, image.channels)[::-1, :, : min(3, image.channels)]
    return _png(np.broadcast_to(rows, (height, width, 3))), ".png"


def _png(rows: np.ndarray[Any, np.dtype[np.float32]]) -> bytes:
    """Return rows of red, green and blue, 0 to 1, as PNG of 8 bits (ISO/IEC 15948)."""
    height, width, _ = rows.shape
    levels = np.rint(255.0 * np.clip(rows, 0.0, 1.0)).astype(np.uint8).reshape(height, -1)
    lines = np.concatenate((np.zeros((height, 1), np.uint8), levels), axis=1).tobytes()
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
