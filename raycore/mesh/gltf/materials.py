# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Appearance of glTF materials: their numbers, and the texture coordinates of vertices."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np

from raycore.mesh.materials import VisualMaterial, file_name, fraction, rgb

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from raycore.mesh.gltf.attributes import Header

_WHITE = [1.0, 1.0, 1.0, 1.0]


def material_of(material: Header, header: Header) -> VisualMaterial:
    """Return the appearance that a glTF material states.

    ``material`` is the material's JSON object, and ``header`` is the JSON of the file. If the
    material has a shading model, such as pbrMetallicRoughness, glTF's default values replace values
    that the model leaves out. If it has none, these values are left unset.
    """
    extensions = _object(material.get("extensions")) or {}
    metallic = _object(material.get("pbrMetallicRoughness"))
    glossy = _object(extensions.get("KHR_materials_pbrSpecularGlossiness"))
    transmission = _object(extensions.get("KHR_materials_transmission"))
    texture = base_color_texture(material)
    color = None
    opacity = None
    if metallic is not None:
        color = metallic.get("baseColorFactor", _WHITE)
    elif glossy is not None:
        color = glossy.get("diffuseFactor", _WHITE)
    if material.get("alphaMode") in ("BLEND", "MASK") and isinstance(color, list):
        opacity = fraction(next(iter(color[3:]), None))
    texture_name = "" if texture is None else _texture_name(texture, header)
    if texture is not None and not texture_name:
        color = None  # the factor alone means nothing without the texture
    return VisualMaterial(
        name=str(material.get("name") or ""),
        base_color=rgb(color),
        opacity=1.0 if opacity is None else opacity,
        metalness=_factor(metallic, "metallicFactor", 1.0),
        roughness=_factor(metallic, "roughnessFactor", 1.0),
        transmission=_factor(transmission, "transmissionFactor", 0.0),
        texture=texture_name,
    )


def base_color_texture(material: Header) -> Header | None:
    """Return the reference to the texture of a material's base colour; None without one.

    ``material`` is the JSON object of a glTF material. The reference is a JSON object in it, whose
    "index" is the number of the texture in the file.
    """
    extensions = _object(material.get("extensions")) or {}
    metallic = _object(material.get("pbrMetallicRoughness"))
    glossy = _object(extensions.get("KHR_materials_pbrSpecularGlossiness"))
    stated = None
    if metallic is not None:
        stated = metallic.get("baseColorTexture")
    elif glossy is not None:
        stated = glossy.get("diffuseTexture")
    return None if stated is None else _object(stated) or {}


def _object(value: object) -> Header | None:
    return value if isinstance(value, dict) else None


def _factor(model: Header | None, key: str, default: float) -> float | None:
    return None if model is None else fraction(model.get(key, default))


def image_of(reference: Header, header: Header) -> Header:
    """Return the JSON object of the image that a texture reference means.

    ``reference`` is a JSON object whose "index" is the number of a texture, as in a material.
    ``header`` is the JSON of the file. Raise LookupError, TypeError or AttributeError if there is
    no such image.
    """
    texture = header["textures"][reference["index"]]
    formats = texture.get("extensions", {}).values()  # WebP, Basis and DDS are given there
    sources = [holder["source"] for holder in (texture, *formats) if "source" in holder]
    image: Header = header["images"][sources[0]]
    return image


def base_color_files(header: Header) -> list[Header]:
    """Return the JSON objects of the base colour images of a file's materials.

    ``header`` is the JSON of the glTF file. The order is the order of the materials. Materials
    without such an image are left out; an image that several materials use occurs several times.
    """
    found = []
    for material in header.get("materials", []):
        with suppress(LookupError, TypeError, AttributeError):
            found.append(image_of(base_color_texture(material) or {}, header))
    return found


def _texture_name(reference: Header, header: Header) -> str:
    """Return the file name of a texture's image, or the name of an embedded one."""
    try:
        image = image_of(reference, header)
        uri = image.get("uri", "data:")
        return file_name(image.get("name", "") if uri.startswith("data:") else unquote(uri))
    except (LookupError, TypeError, AttributeError):  # a texture that does not exist
        return ""


def place_in_image(uv: NDArray[Any], reference: Header) -> NDArray[np.float64]:
    """Return texture coordinates after the transform KHR_texture_transform of a texture reference.

    Parameters
    ----------
    uv : float or unsigned integer (n, 2)
        Texture coordinates u, v as in the file. An integer is a fraction of its type's maximum.
    reference : Header
        JSON object of the texture reference; without this transform, nothing is changed.

    Returns
    -------
    float64 (n, 2)
        The coordinates u, v; all NaN if the transform is invalid.
    """
    if uv.dtype.kind == "u":
        uv = uv / np.iinfo(uv.dtype).max
    u, v = uv.astype(np.float64).T
    move = texture_transform(reference)
    try:
        (shift_u, shift_v), (size_u, size_v) = move.get("offset", (0, 0)), move.get("scale", (1, 1))
        turn = float(move.get("rotation", 0.0))
        u, v, cosine, sine = size_u * u, size_v * v, math.cos(turn), math.sin(turn)
        return np.stack([cosine * u + sine * v + shift_u, cosine * v - sine * u + shift_v], axis=1)
    except (TypeError, ValueError):  # wrong content
        return np.full(uv.shape, np.nan)


def texture_transform(reference: Header) -> Header:
    """Return the KHR_texture_transform object of a texture reference; {} if it has none.

    ``reference`` is the JSON object of the reference in a glTF material.
    """
    extensions = _object(reference.get("extensions")) or {}
    return _object(extensions.get("KHR_texture_transform")) or {}
