# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pixels of image files, as Pillow reads them."""

from __future__ import annotations

import io
import warnings
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.files.bounds import FREE_PIXELS, MOST_PIXELS, PIXELS_OF_BYTE
from raycore.errors import ImageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

NO_PILLOW = "needs Pillow, which is not installed: pip install 'osi-lidar[images]'"
_FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "WEBP", "TGA", "GIF", "DDS", "JPEG2000", "PPM")
_NAMES = ", ".join(_FORMATS)
"""Image formats that are read. For some others, such as PostScript, Pillow starts programs."""
_DEEP = ("I;16", "I;16L", "I;16B", "I;16N", "I")
"""Pillow's modes of grey images of 16 bits; before Pillow 10.3, PNG images have "I"."""


def red_of(content: bytes) -> NDArray[np.uint8]:
    """Return the red channel of an image file, uint8 (n_row, n_column), from the top left.

    ``content`` is the content of the file, in a format such as PNG or JPEG.

    Raises
    ------
    ImageError
        Pillow is not installed, the image is damaged, or it is too large.
    """
    red: NDArray[np.uint8] = _pixels(content, "RGB")[:, :, 0].astype(np.uint8, copy=False)
    return red


def grey_of(content: bytes) -> NDArray[np.float64]:
    """Return the grey values of an image file, float64 (n_row, n_column), from the top left.

    Black is 0 and white is 1, in even steps of 8 or 16 bits. A colour image is converted to its
    luma; transparency is ignored. ``content`` is the content of the file, in a format such as PNG
    or JPEG.

    Raises
    ------
    ImageError
        Pillow is not installed, the image is damaged, or it is too large.
    """
    grey = _pixels(content, "L")
    return grey / (255.0 if grey.dtype == np.uint8 else 65535.0)


def _pixels(content: bytes, mode: str) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Return the pixels of an image file in a mode; for mode "L", 16 bit grey stays 16 bit."""
    try:
        opener = import_module("PIL.Image")
    except ImportError as error:
        raise ImageError(NO_PILLOW) from error
    most = min(MOST_PIXELS, FREE_PIXELS + PIXELS_OF_BYTE * len(content))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of sizes, which are looked at here, and of profiles
            with opener.open(io.BytesIO(content), formats=_FORMATS) as image:
                width, height = image.size
                small = width * height <= most
                deep = mode == "L" and image.mode in _DEEP
                pixels = np.asarray(image if deep else image.convert(mode)) if small else None
    except opener.UnidentifiedImageError as error:  # its words name an object in memory
        raise ImageError(f"cannot be read: is not an image of {_NAMES}, or is damaged") from error
    except Exception as error:  # a damaged image may raise anything
        cause = " ".join(str(error).split())[:200]
        raise ImageError(f"cannot be read: {cause}") from error
    if pixels is None:
        raise ImageError(f"has {width} x {height} pixels, expected at most {most}")
    return np.clip(pixels, 0, 65535).astype(np.uint16) if deep else pixels
