# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Titles and scales on the pictures of point clouds."""

from pathlib import Path

import numpy as np

from tests.builders.extras import needs
from tests.scenarios.scripts import script

TOOL = Path(__file__).resolve().parents[2] / "tools" / "picture_words.py"
SIZE_PX = 30


def grey(share):
    """Return colours from dark to white."""
    return np.repeat(0.2 + 0.8 * share[..., np.newaxis], 3, axis=-1)


@needs("PIL")
def test_a_scale_goes_from_its_low_to_its_high_colour():
    from PIL import Image

    tool, picture = script(TOOL), Image.new("RGB", (600, 60), "red")
    scale = tool.Scale("height", "0", "2 m", grey)
    end_px = tool.draw_scale(picture, (10, 8), scale, SIZE_PX)
    pixels = np.asarray(picture)
    row = pixels[8 + round(0.6 * SIZE_PX), :, :]
    first = int(np.flatnonzero((row == 51).all(axis=1))[0])
    bar = row[first : first + 160].astype(int)
    assert (np.diff(bar, axis=0) >= 0).all()
    assert (bar[-1] == 255).all()
    assert first + 160 < end_px < 600
    assert (row[end_px + 7 :] == (255, 0, 0)).all()


@needs("PIL")
def test_words_end_where_they_say_and_lie_on_a_dark_ground():
    from PIL import Image

    tool, picture = script(TOOL), Image.new("RGB", (600, 60), "red")
    end_px = tool.write(picture, (10, 8), "dry and clear", SIZE_PX)
    pixels = np.asarray(picture)
    dark = (pixels == 0).all(axis=2)
    assert dark[:, 10:end_px].any(axis=0).all()
    assert not dark[:, end_px + 7 :].any()
    assert (pixels[:, 10:end_px] > 200).all(axis=2).any()
