# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""SemanticKITTI's layout: sequences, and a configuration for semantic-kitti-api."""

import numpy as np
import pytest
import yaml

from lidar_scenery.classes import NAMES
from tests.builders.data_sets import N_FRAMES


@pytest.fixture(scope="module")
def folder(data_set):
    return data_set("semantickitti")


@pytest.fixture(scope="module")
def config(folder):
    return yaml.safe_load((folder / "semantic-kitti.yaml").read_text())


def labels(folder):
    for path in sorted(folder.glob("sequences/*/labels/*.label")):
        yield path, np.fromfile(path, np.uint32)


def test_each_sensor_of_a_run_has_a_sequence_in_one_split(folder, config):
    found = sorted(int(path.name) for path in (folder / "sequences").iterdir())
    assert found == list(range(10))
    split = config["split"]
    assert sorted(split["train"] + split["valid"] + split["test"]) == found
    assert [len(split[name]) for name in ("train", "valid", "test")] == [6, 2, 2]


def test_documented_checks_of_semantic_kitti_api(folder, config):
    """Sizes agree, and every label is known (auxiliary/laserscan.py, evaluate_semantics.py)."""
    for path, label in labels(folder):
        scan = path.parents[1] / "velodyne" / f"{path.stem}.bin"
        assert len(np.fromfile(scan, np.float32)) == 4 * len(label)
        assert set((label & 0xFFFF).tolist()) <= set(config["learning_map"])
    for name in ("poses.txt", "times.txt"):
        for path in folder.glob(f"sequences/*/{name}"):
            assert len(path.read_text().splitlines()) == N_FRAMES
    learned = set(config["learning_map"].values())
    assert learned == set(config["learning_map_inv"]) == set(config["learning_ignore"])
    assert set(config["labels"]) == set(config["color_map"]) == set(config["content"])


def test_the_configuration_is_that_of_semantickitti(config):
    assert config["labels"] == NAMES
    # of semantic-kitti.yaml: bus, on-rails and other-vehicle are learnt as one, as are lane-marking
    # and road
    assert [config["learning_map"][n] for n in (10, 13, 16, 20, 40, 60, 52)] == [
        1,
        5,
        5,
        5,
        9,
        9,
        0,
    ]
    expected = [0, 10, 11, 15, 18, 20, 30, 31, 32, 40, 44, 48, 49, 50, 51, 70, 71, 72, 80, 81]
    assert config["learning_map_inv"] == dict(enumerate(expected))
    assert [n for n, ignored in config["learning_ignore"].items() if ignored] == [0]


def test_content_is_the_share_of_each_class(folder, config):
    counted = np.bincount(np.concatenate([label & 0xFFFF for _, label in labels(folder)]))
    for number, share in config["content"].items():
        n = counted[number] if number < len(counted) else 0
        assert share == pytest.approx(n / counted.sum())
    # car, person, road, other-structure (the wall), vegetation (the tree)
    assert {n for n, share in config["content"].items() if share} == {10, 30, 40, 52, 70}


def test_instances_are_the_same_over_a_scene(folder):
    of_person = {
        int(each) >> 16
        for path, label in labels(folder)
        if path.parents[1].name == "00"
        for each in label[(label & 0xFFFF) == 30]
    }
    assert len(of_person) == 1
