# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""KITTI's layout: what OpenPCDet and MMDetection3D check when they convert it, and its evaluation.

The checks are those of pcdet/datasets/kitti/kitti_dataset.py (OpenPCDet) and of
tools/dataset_converters/kitti_data_utils.py (MMDetection3D 1.4), done again here.
"""

import struct
from dataclasses import replace

import numpy as np
import pytest

from tests.builders.kitti_ap import DIFFICULTIES, Label, average_precision, iou_3d, read_labels

TRAIN_SCANS, ALL_SCANS = 72, 120
"""Three of five drives of twelve messages, for two sensors."""


@pytest.fixture(scope="module")
def folder(data_set):
    return data_set("kitti")


def names(folder, split):
    return (folder / "ImageSets" / f"{split}.txt").read_text().split()


def samples(folder, split):
    place = folder / ("testing" if split == "test" else "training")
    return [(place, name) for name in names(folder, split)]


def test_lists_name_each_sample_once(folder):
    assert len(names(folder, "train")) == TRAIN_SCANS
    both = names(folder, "train") + names(folder, "val")
    assert sorted(both) == names(folder, "trainval") == sorted(set(both))
    held = sorted(path.stem for path in (folder / "training" / "velodyne").iterdir())
    assert held == names(folder, "trainval")
    held = sorted(path.stem for path in (folder / "testing" / "velodyne").iterdir())
    assert held == names(folder, "test")
    assert len(both) + len(held) == ALL_SCANS


@pytest.mark.parametrize("split", ["train", "val", "test"])
def test_documented_checks_of_openpcdet_and_mmdetection3d(folder, split):
    for place, name in samples(folder, split):
        points = np.fromfile(place / "velodyne" / f"{name}.bin", np.float32).reshape(-1, 4)
        assert np.isfinite(points).all()
        image = (place / "image_2" / f"{name}.png").read_bytes()
        assert struct.unpack(">II", image[16:24]) == (1242, 375)
        lines = (place / "calib" / f"{name}.txt").read_text().splitlines()
        calib = {line.split(":")[0]: line.split(":")[1].split() for line in lines}
        sizes = {key: len(numbers) for key, numbers in calib.items()}
        assert sizes == {
            **dict.fromkeys(("P0", "P1", "P2", "P3"), 12),
            "R0_rect": 9,
            "Tr_velo_to_cam": 12,
            "Tr_imu_to_velo": 12,
        }
        rows = [
            line.split() for line in (place / "label_2" / f"{name}.txt").read_text().splitlines()
        ]
        assert rows  # OpenPCDet joins the boxes of a sample, and cannot join none
        for row in rows:
            assert len(row) == 15


def test_points_in_boxes_are_those_of_their_objects(folder):
    """Count points in boxes as OpenPCDet does: both frames and the sign of the heading agree."""
    n_boxes = 0
    for place, name in samples(folder, "train"):
        points = np.fromfile(place / "velodyne" / f"{name}.bin", np.float32).reshape(-1, 4)
        for label in read_labels(place / "label_2" / f"{name}.txt"):
            if label.kind == "DontCare":
                continue
            h, w, length, x, y, z, turned = label.box
            # calib.rect_to_lidar, and heading -(pi / 2 + ry), of kitti_dataset.py
            centre = np.array([z, -x, -y + h / 2])
            heading = -(np.pi / 2 + turned)
            away = points[:, :3] - centre
            along = np.cos(heading) * away[:, 0] + np.sin(heading) * away[:, 1]
            across = -np.sin(heading) * away[:, 0] + np.cos(heading) * away[:, 1]
            inside = (
                np.abs(np.stack([along, across, away[:, 2]]).T)
                <= 0.5 * np.array([length, w, h]) + 1e-3
            )
            n_boxes += 1
            assert inside.all(axis=1).any()
    assert n_boxes > TRAIN_SCANS


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
@pytest.mark.parametrize("kind", ["Car", "Pedestrian"])
def test_truth_against_truth_has_an_average_precision_of_1(folder, kind, difficulty):
    truth = [
        read_labels(place / "label_2" / f"{name}.txt") for place, name in samples(folder, "train")
    ]
    assert average_precision(truth, truth, kind, difficulty) == pytest.approx(1.0)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_truth_with_unknown_boxes_in_the_image_has_an_average_precision_of_0(folder, difficulty):
    """Boxes of -1, as exports had before: all truth is dropped, and nothing says so."""
    truth = [
        read_labels(place / "label_2" / f"{name}.txt") for place, name in samples(folder, "train")
    ]
    unknown = [[replace(each, height_px=0.0, occlusion=3) for each in labels] for labels in truth]
    assert average_precision(unknown, unknown, "Car", difficulty) == 0.0


def test_the_evaluation_sees_misplaced_and_missing_boxes(folder):
    truth = [
        read_labels(place / "label_2" / f"{name}.txt") for place, name in samples(folder, "train")
    ]
    moved = [
        [replace(each, box=(*each.box[:3], each.box[3] + 3.0, *each.box[4:])) for each in labels]
        for labels in truth
    ]
    assert average_precision(truth, moved, "Car", "hard") == 0.0
    half = [labels[: len(labels) // 2] for labels in truth]
    assert 0.1 < average_precision(truth, half, "Car", "hard") < 0.9


def test_the_overlap_of_boxes_is_that_of_geometry():
    box = Label("Car", 0.0, 0, 50.0, (1.5, 2.0, 4.0, 1.0, 2.0, 20.0, 0.3)).box
    assert iou_3d(box, box) == pytest.approx(1.0)
    turned = (*box[:6], box[6] + np.pi)
    assert iou_3d(box, turned) == pytest.approx(1.0)
    higher = (*box[:4], box[4] - 0.75, *box[5:])
    assert iou_3d(box, higher) == pytest.approx(1 / 3)
    square = (1.0, 2.0, 2.0, 0.0, 0.0, 10.0, 0.0)
    # two squares of side 2, one turned by 45 degrees, share a regular octagon: 8 (sqrt(2) - 1)
    octagon = 8.0 * (np.sqrt(2.0) - 1.0)
    assert iou_3d(square, (*square[:6], np.pi / 4)) == pytest.approx(octagon / (8.0 - octagon))


def test_truncation_and_occlusion_are_stated(folder):
    labels = [
        each
        for split in ("train", "val", "test")
        for place, name in samples(folder, split)
        for each in read_labels(place / "label_2" / f"{name}.txt")
        if each.kind != "DontCare"
    ]
    assert {each.occlusion for each in labels} <= {0, 1, 2}
    assert all(0.0 <= each.truncation < 1.0 for each in labels)
    assert any(each.truncation > 0.0 for each in labels)
    assert {each.kind for each in labels} == {"Car", "Pedestrian"}
