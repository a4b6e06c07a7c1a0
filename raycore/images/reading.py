# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Images of the base colour of glTF materials: the brightness of their red channel.

Of the visible colours, red is nearest to the infrared. For 50 measured surfaces of ECOSTRESS that
are not plants, the logarithm of the reflectance at 905 nm correlates by 0.88 with that at 600 to
680 nm (slope 0.83), and by 0.79 with that of the luminance. For the 29 artificial surfaces among
them, correlation and slope are 0.93 and 0.99.
"""

from __future__ import annotations

import base64
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.errors import BoundError
from lidar_base.files.bounds import MOST_PIXELS, PIXELS_OF_BYTE, check_at_most
from raycore.errors import ImageError, MeshError
from raycore.images.image_kernels import CLAMP, MIRROR, REPEAT
from raycore.images.pixels import red_of
from raycore.mesh.gltf.materials import base_color_texture, image_of
from raycore.mesh.gltf.reading import header_of_glb, header_of_gltf, read_buffers
from raycore.mesh.readers import MeshSource

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from raycore.mesh.gltf.attributes import Header

# IEC 61966-2-1: light of each of the 256 steps of sRGB
_STEP = np.arange(256) / 255.0
_LIGHT = (
    np.where(_STEP <= 0.04045, _STEP / 12.92, ((_STEP + 0.055) / 1.055) ** 2.4)
    .round(7)
    .astype(np.float32)
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColorImage:
    """The base colour of a material as an image.

    Attributes
    ----------
    brightness : float32 (n_row, n_column)
        Linear light of the red channel, 0..1, from the top left.
    wrap : (int, int)
        Continuation beyond the edges, across and down: REPEAT, CLAMP or MIRROR.
    """

    brightness: NDArray[np.float32]
    wrap: tuple[int, int]


class Images(NamedTuple):
    """The images of a mesh file by material name, and the reasons why further images are missing.

    Attributes
    ----------
    of_material : dict of str to ColorImage
        Base colour image by the name of the material.
    problems : dict of str to str
        For each material whose image cannot be used, by its name, a text that says why: the image
        cannot be read, or materials of one name have different images, or only some have one.
    """

    of_material: dict[str, ColorImage]
    problems: dict[str, str]  # the image cannot be read, or one name has several images


def base_color_images(
    path: Path,
    *,
    roots: Sequence[str | os.PathLike[str]] | None = None,
    digests: dict[Path, str] | None = None,
) -> Images:
    """Return the base colour images of a glTF file; for other formats, no images.

    A material whose image is not usable has the reason in ``problems`` of the result, and no image.

    Parameters
    ----------
    path : Path
        The mesh file.
    roots : sequence of paths, optional
        Folders that reading is confined to, including the files that the mesh file names; None
        means no confinement.
    digests : dict of Path to str, optional
        Dictionary to which the SHA-256, hexadecimal, of each file that was read is added.

    Raises
    ------
    MeshError
        If the mesh file itself cannot be read.
    """
    if path.suffix.lower() not in {".gltf", ".glb"}:
        return Images({}, {})
    source = MeshSource(path=path, roots=roots)
    file = _ImageFile.of(source)
    found = Images({}, {})
    references: dict[str, Header | None] = {}
    for material in file.header.get("materials", []):
        name, reference = str(material.get("name") or ""), base_color_texture(material)
        if name in references and references[name] != reference:
            found.of_material.pop(name, None)
            found.problems[name] = "materials of one name have images of their own"
        elif name not in references and reference is not None:
            try:
                found.of_material[name] = file.image(reference)
            except MeshError as error:
                found.problems[name] = str(error)
        references.setdefault(name, reference)
    if digests is not None:
        digests.update(source.digests)
    return found


class _ImageFile:
    """Reads the images of a glTF file; each image is opened once."""

    def __init__(self, header: Header, binary: bytes | None, source: MeshSource) -> None:
        self.header, self._binary, self._source = header, binary, source
        self._buffers: dict[str, bytes] | None = None
        self._opened: dict[int, NDArray[np.float32]] = {}
        self._n_left = MOST_PIXELS

    @classmethod
    def of(cls, source: MeshSource) -> _ImageFile:
        data = source.read()
        try:
            if source.path.suffix.lower() == ".glb":
                return cls(*header_of_glb(data, source), source)
            return cls(header_of_gltf(data), None, source)
        except (ValueError, struct.error) as error:  # it was read as a mesh before
            raise MeshError(
                f"{source}: has changed since its mesh was read; read it again"
            ) from error

    def image(self, reference: Header) -> ColorImage:
        """Return the image of a texture reference; raise MeshError if it cannot be read."""
        try:
            image = image_of(reference, self.header)
            number = next(i for i, one in enumerate(self.header["images"]) if one is image)
            if number not in self._opened:
                content = self._content(image)
                self._n_left += PIXELS_OF_BYTE * len(content)
                light = _brightness(content)
                check_at_most(light.size, self._n_left, "pixels of its images together")
                self._n_left -= light.size
                self._opened[number] = light
            texture = self.header["textures"][reference["index"]]
            sampler = self.header["samplers"][texture["sampler"]] if "sampler" in texture else {}
            across, down = (
                stated if (stated := sampler.get(name)) in (CLAMP, MIRROR) else REPEAT
                for name in ("wrapS", "wrapT")
            )
            return ColorImage(brightness=self._opened[number], wrap=(across, down))
        except BoundError as error:
            raise MeshError(f"{self._source}: {error}") from None
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            cause = f"its image makes no sense ({type(error).__name__})"
            raise MeshError(f"{self._source}: {cause}") from error

    def _content(self, stated: Header) -> bytes:
        if "bufferView" not in stated:
            uri: str = stated["uri"]
            if uri.startswith("data:"):
                return base64.b64decode(uri.partition(",")[2])
            return self._source.read_uri(uri)
        if self._buffers is None:
            self._buffers = read_buffers(self.header, self._binary, self._source)
        view = self.header["bufferViews"][stated["bufferView"]]
        start = view.get("byteOffset", 0)
        return self._buffers[f"buffer {view['buffer']}"][start : start + view["byteLength"]]


def _brightness(content: bytes) -> NDArray[np.float32]:
    """Return the linear light of an image file's red channel, float32 (n_row, n_column)."""
    try:
        light: NDArray[np.float32] = _LIGHT[red_of(content)]
    except ImageError as error:
        raise MeshError(f"its image {error}") from error
    return light


def levels(brightness: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """Return the image itself and ever coarser levels of it, each of half the width and height.

    The last level has one pixel. A pixel is the mean of the four pixels that it covers in the level
    before. If that level has an odd number of rows or columns, its last one counts twice.

    Parameters
    ----------
    brightness : float32 (n_row, n_column)
        Brightness of the pixels of the image.

    Returns
    -------
    list of float32 (n_row, n_column)
        One array for each level, from fine to coarse. Odd sizes are halved upwards.
    """
    found = [brightness]
    while max(found[-1].shape) > 1:
        fine = found[-1].astype(np.float64)
        n_row, n_column = fine.shape
        fine = np.pad(fine, ((0, n_row % 2), (0, n_column % 2)), mode="edge")
        quarters = fine.reshape(fine.shape[0] // 2, 2, fine.shape[1] // 2, 2)
        found.append(quarters.mean(axis=(1, 3)).astype(np.float32))
    return found
