# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Masks of the own vehicle."""

import json
from pathlib import Path

import numpy as np
import pytest

from lidar_gap.layout import Layout
from lidar_gap.own_vehicle import Box, box_mask, mask_from_file
from osi_lidar.errors import InputError
from tests.builders.files import written
from tests.builders.refusals import one_line

LAYOUT = Layout(
    elevation_deg=np.array([10.0, 0.0, -10.0]),
    azimuth_offset_deg=np.zeros(3),
    phase=np.zeros(3),
    origin_m=np.zeros((3, 3)),
    n_column=36,
    step_deg=10.0,
    first_azimuth_deg=180.0,
    ring_number=np.arange(3, dtype=np.int32),
)
BEHIND = {"center_m": [-5.0, 0.0, 0.0], "size_m": [1.0, 1.8, 0.5]}


def test_beams_that_meet_a_box_are_masked() -> None:
    mask = box_mask(LAYOUT, [Box((-5.0, 0.0, 0.0), (1.0, 1.8, 0.5))])
    # seen from 4.5 m, 0.9 m to each side is 11.3 deg, and 0.25 m up is 3.2 deg
    assert np.argwhere(mask).tolist() == [[1, 0], [1, 1], [1, 35]]


def test_a_turned_box_around_the_sensor_masks_everything() -> None:
    assert box_mask(LAYOUT, [Box((0.1, 0.0, 0.0), (2.0, 1.0, 1.0), 45.0)]).all()


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_boxes_are_read(tmp_path: Path, suffix: str) -> None:
    path = written(tmp_path / f"car{suffix}", json.dumps({"boxes": [BEHIND]}))
    assert mask_from_file(path, LAYOUT).sum() == 3


def test_images_are_read(tmp_path: Path) -> None:
    from matplotlib.image import imsave

    mask = np.zeros((3, 36), np.uint8)
    mask[1, 4:7] = 1
    np.save(tmp_path / "a.npy", mask)
    imsave(tmp_path / "a.png", mask, cmap="gray", vmin=0, vmax=1)
    for name in ("a.npy", "a.png"):
        assert (mask_from_file(tmp_path / name, LAYOUT) == (mask == 1)).all()


@pytest.mark.parametrize(
    "text",
    [
        "boxes: []",
        "boxes: 3",
        "other: 1",
        "boxes: [{center_m: [0, 0], size_m: [1, 1, 1]}]",
        "boxes: [{center_m: [0, 0, .nan], size_m: [1, 1, 1]}]",
        "boxes: [{center_m: [0, 0, 0], size_m: [1, 1, -1]}]",
        "boxes: [{center_m: [0, 0, 0], size_m: [1, 1, 1], colour: red}]",
        "boxes: [",
    ],
)
def test_wrong_boxes_give_one_line(tmp_path: Path, text: str) -> None:
    path = written(tmp_path / "car.yaml", text)
    with one_line(InputError):
        mask_from_file(path, LAYOUT)


def test_wrong_images_give_one_line(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((2, 2)))
    (tmp_path / "b.npy").write_bytes(b"junk")
    (tmp_path / "b.png").write_bytes(b"junk")
    (tmp_path / "c.txt").write_bytes(b"junk")
    for name in ("a.npy", "b.npy", "b.png", "c.txt", "missing.npy"):
        with one_line(InputError):
            mask_from_file(tmp_path / name, LAYOUT)
