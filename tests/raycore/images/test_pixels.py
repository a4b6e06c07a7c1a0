# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pixels of image files of several kinds."""

import io

import numpy as np
import pytest
from PIL import Image

from raycore.errors import ImageError
from raycore.images.pixels import grey_of, red_of
from tests.builders.images import png
from tests.builders.refusals import one_line


def file_of(pixels, kind="PNG", mode=None):
    """Return an image file of pixels, uint8 or uint16."""
    image, buffer = Image.fromarray(np.asarray(pixels)), io.BytesIO()
    (image if mode is None else image.convert(mode)).save(buffer, kind)
    return buffer.getvalue()


GREY = np.array([[0, 51, 255], [128, 254, 1]], np.uint8)


@pytest.mark.parametrize("kind", ["PNG", "BMP", "TIFF"])
def test_grey_values_are_even_steps_without_a_curve(kind):
    """Unlike sRGB's light: 51 of 255 is one fifth."""
    np.testing.assert_array_equal(grey_of(file_of(GREY, kind)), GREY / 255.0)


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_grey_values_of_16_bits_are_not_cut_to_8(kind):
    deep = np.array([[0, 13107, 65535], [257, 1, 65534]], np.uint16)
    np.testing.assert_array_equal(grey_of(file_of(deep, kind)), deep / 65535.0)


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "LA", "P"])
def test_grey_in_files_of_colours_is_the_same(mode):
    np.testing.assert_array_equal(grey_of(file_of(GREY, mode=mode)), GREY / 255.0)


def test_images_of_one_bit_are_black_and_white():
    black = np.array([[True, False], [False, True]])
    np.testing.assert_array_equal(grey_of(file_of(black)), black.astype(float))


def test_a_colour_counts_as_its_luma():
    """ITU-R BT.601: 0.299 of pure red."""
    red = np.zeros((2, 2, 3), np.uint8)
    red[:, :, 0] = 255
    np.testing.assert_allclose(grey_of(file_of(red)), 0.299, atol=0.5 / 255.0)
    np.testing.assert_array_equal(red_of(file_of(red)), 255)


@pytest.mark.parametrize("content", [b"", b"no image", png([[0, 255]])[:40]])
def test_what_is_no_image_is_told_in_one_line(content):
    for reads in (grey_of, red_of):
        with one_line(ImageError, start="cannot be read: "):
            reads(content)
