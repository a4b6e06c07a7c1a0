# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OpenPCDet's custom layout: what its own info step reads, done again here.

Source: pcdet/datasets/custom/custom_dataset.py.
"""

import numpy as np
import pytest
import yaml


@pytest.fixture(scope="module")
def folder(data_set):
    return data_set("openpcdet")


def names(folder, split):
    return (folder / "ImageSets" / f"{split}.txt").read_text().split()


def read_label(folder, name):
    """Return boxes and classes as `CustomDataset.get_label` does."""
    rows = [
        line.strip().split(" ")
        for line in (folder / "labels" / f"{name}.txt").read_text().splitlines()
    ]
    return np.array([row[:-1] for row in rows], np.float32), np.array([row[-1] for row in rows])


@pytest.mark.parametrize("split", ["train", "val", "test"])
def test_documented_checks_of_create_custom_infos(folder, split):
    config = yaml.safe_load((folder / "custom_dataset.yaml").read_text())
    listed = names(folder, split)
    assert listed
    for name in listed:
        points = np.load(folder / "points" / f"{name}.npy")
        assert points.dtype == np.float32
        assert points.shape[1] == len(config["POINT_FEATURE_ENCODING"]["src_feature_list"])
        boxes, kinds = read_label(folder, name)
        assert boxes[:, :7].shape == (len(kinds), 7)  # fails there where there is no box
        assert np.isfinite(boxes).all()
        assert set(kinds) <= set(config["MAP_CLASS_TO_KITTI"])


def test_boxes_hold_points(folder):
    for name in names(folder, "train"):
        points = np.load(folder / "points" / f"{name}.npy")[:, :3]
        for x, y, z, dx, dy, dz, heading in read_label(folder, name)[0].astype(float):
            away = points - [x, y, z]
            cos, sin = np.cos(heading), np.sin(heading)
            own = away @ np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
            assert (np.abs(own) <= 0.5 * np.array([dx, dy, dz]) + 1e-3).all(axis=1).any()


def test_the_range_of_the_configuration_fits_its_voxels_and_the_boxes(folder):
    config = yaml.safe_load((folder / "custom_dataset.yaml").read_text())
    low, high = np.array(config["POINT_CLOUD_RANGE"]).reshape(2, 3)
    voxel = config["DATA_PROCESSOR"][2]["VOXEL_SIZE"]
    # 1504 x 1504 x 40 voxels, as in OpenPCDet's own configuration
    assert np.allclose((high - low) / voxel, [1504, 1504, 40])
    boxes = np.concatenate([read_label(folder, name)[0] for name in names(folder, "train")])
    assert (boxes[:, 2] - boxes[:, 5] / 2 >= low[2]).all()
    assert (boxes[:, 2] + boxes[:, 5] / 2 <= high[2]).all()


def test_samples_without_boxes_are_in_no_split(folder):
    listed = [name for split in ("train", "val", "test", "empty") for name in names(folder, split)]
    assert sorted(listed) == sorted(path.stem for path in (folder / "points").iterdir())
    for name in names(folder, "empty"):
        assert not (folder / "labels" / f"{name}.txt").read_text()
