# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Titles and scales of colours for the pictures that tools draw from point clouds.

Sizes are in pixels of the picture. A phone shows a picture of 1100 pixels at a third of its size,
so letters of 28 pixels can be read there.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

INK, GROUND = "#e8edf4", "black"
GAP_PX = 10


class Scale(NamedTuple):
    """What a scale of colours shows: a quantity, its ends, and the colours from 0 to 1."""

    quantity: str
    low: str
    high: str
    colours: Callable[[np.ndarray], np.ndarray]


def write(picture: Image.Image, place_px: tuple[int, int], words: str, size_px: int) -> int:
    """Write words on a dark ground, and return where they end [px]."""
    pen = ImageDraw.Draw(picture)
    x, y = place_px
    end = x + round(pen.textlength(words, font_size=size_px))
    pen.rectangle((x - 6, y, end + 6, y + round(1.3 * size_px)), fill=GROUND)
    pen.text(place_px, words, fill=INK, font_size=size_px)
    return end


def draw_scale(
    picture: Image.Image, place_px: tuple[int, int], scale: Scale, size_px: int, width_px: int = 160
) -> int:
    """Draw a scale of colours in one line with its words, and return where it ends [px]."""
    x, y = place_px
    x = write(picture, place_px, f"{scale.quantity}: {scale.low}", size_px) + GAP_PX
    share = np.tile(np.linspace(0.0, 1.0, width_px), (round(0.7 * size_px), 1))
    bar = Image.fromarray(np.rint(255 * scale.colours(share)[..., :3]).astype(np.uint8))
    top = y + round(0.25 * size_px)
    edge = (x - 2, top - 2, x + bar.width + 1, top + bar.height + 1)
    ImageDraw.Draw(picture).rectangle(edge, fill=GROUND)
    picture.paste(bar, (x, top))
    return write(picture, (x + bar.width + GAP_PX, y), scale.high, size_px)
