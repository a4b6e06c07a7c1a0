# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Paint follows the colour of a message, or is drawn like those of real cars."""

from collections import Counter

import pytest

from lidar_scenery.shapes.looks import LOOKS
from lidar_scenery.shapes.paints import PAINT_SHARES, paint_of


@pytest.mark.parametrize(
    ("color", "paint"),
    [((1.0, 0.0, 0.0), "Paint_Red"), ((0.0, 0.0, 0.0), "Paint_Black"), ((1, 1, 1), "Paint_White")],
)
def test_paint_is_that_of_the_nearest_colour(color, paint):
    assert paint_of(color, 1, 2) == paint


def test_paint_is_drawn_by_seed_and_object_alone():
    drawn = " ".join(paint_of(None, 1, n).removeprefix("Paint_") for n in range(6))
    assert drawn == "White Black White Blue Grey White"  # on every platform
    assert len({paint_of(None, seed, 7) for seed in range(30)}) > 3


def test_paint_has_the_shares_that_are_stated():
    assert sum(PAINT_SHARES.values()) == 1000
    drawn = Counter(paint_of(None, 0, n) for n in range(20_000))
    for paint, share in PAINT_SHARES.items():
        assert drawn[paint] / 20 == pytest.approx(share, abs=10)


def test_each_paint_has_an_infrared_material_of_its_own():
    assert len({LOOKS[paint].infrared for paint in PAINT_SHARES}) == len(PAINT_SHARES)


def test_ids_beyond_64_bits_and_negative_seeds_draw_too():
    assert paint_of(None, -1, 2**70) in PAINT_SHARES
