# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of shapes: near faces hide far ones, and colours are those of the looks."""

import numpy as np
import pytest
from matplotlib.image import imread

from lidar_app.show.meshes.pictures import picture_of, write_picture, write_sheet
from lidar_scenery.shapes.meshes import mesh_of
from lidar_scenery.shapes.signs import SIGNS
from osi_bridge.description.details import ObjectDetails


@pytest.fixture(name="sign", scope="module")
def stop_sign():
    return mesh_of(SIGNS["sign_stop"].build((0.05, 0.8, 0.8), ObjectDetails()), "sign")


def test_front_hides_the_back(sign):
    picture = picture_of(sign, 60)
    red, green, _, opacity = picture[30, 30]
    assert opacity == 1
    assert red > 3 * green


def test_background_is_clear_and_the_mesh_fills_the_picture(sign):
    opacity = picture_of(sign, 60)[..., 3]
    assert opacity[0, 0] == 0
    rows, columns = np.nonzero(opacity)
    assert max(np.ptp(rows), np.ptp(columns)) > 0.88 * 60


def test_picture_is_written(sign, tmp_path):
    write_picture(sign, tmp_path / "sign.png", size_px=80)
    assert imread(tmp_path / "sign.png").shape == (80, 80, 4)


def test_sheet_has_rows_of_pictures(sign, tmp_path):
    write_sheet(dict.fromkeys("abc", sign), tmp_path / "sheet.png", columns=2, size_px=50)
    height, width, _ = imread(tmp_path / "sheet.png").shape
    assert width == 100
    assert height == 2 * (50 + 16)
