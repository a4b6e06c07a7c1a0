# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""nuScenes' layout: its documented rules, done again here, and its devkit where it is installed.

Source: nuscenes-devkit, docs/schema_nuscenes.md and nuscenes/nuscenes.py.
"""

import json
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from lidar_app.datasets.formats.nuscenes_tables import TABLES, SceneNames, token
from osi_lidar.scan.from_config import pose_matrix
from tests.builders.data_sets import N_FRAMES
from tests.builders.runs import SENSORS

VERSIONS = {"v1.0-trainval": 4, "v1.0-test": 1}
"""Number of scenes of each."""
KEYS = 3
"""Key frames of a drive of 1.1 s, at 0, 0.5 and 1.0 s."""
FOREIGN = {
    "calibrated_sensor": {"sensor_token": "sensor"},
    "instance": {"category_token": "category"},
    "lidarseg": {"sample_data_token": "sample_data"},
    "panoptic": {"sample_data_token": "sample_data"},
    "sample": {"scene_token": "scene", "prev": "sample", "next": "sample"},
    "sample_annotation": {
        "sample_token": "sample",
        "instance_token": "instance",
        "visibility_token": "visibility",
        "attribute_tokens": "attribute",
        **dict.fromkeys(("prev", "next"), "sample_annotation"),
    },
    "sample_data": {
        "sample_token": "sample",
        "ego_pose_token": "ego_pose",
        "calibrated_sensor_token": "calibrated_sensor",
        **dict.fromkeys(("prev", "next"), "sample_data"),
    },
    "scene": {
        "log_token": "log",
        **dict.fromkeys(("first_sample_token", "last_sample_token"), "sample"),
    },
    "map": {"log_tokens": "log"},
}


@pytest.fixture(scope="module")
def folder(data_set):
    return data_set("nuscenes")


@pytest.fixture(scope="module", params=VERSIONS)
def version(request):
    return request.param


@pytest.fixture(scope="module")
def tables(folder, version):
    """Return the rows of each table by their tokens."""
    read = {name: json.loads((folder / version / f"{name}.json").read_text()) for name in TABLES}
    return {name: {row["token"]: row for row in rows} for name, rows in read.items()}


def test_tokens_are_unique_and_lead_somewhere(folder, version, tables):
    for name, rows in tables.items():
        assert len(rows) == len(json.loads((folder / version / f"{name}.json").read_text())), name
        for field, other in FOREIGN.get(name, {}).items():
            for row in rows.values():
                led = row[field] if isinstance(row[field], list) else [row[field]]
                assert {each for each in led if each} <= set(tables[other]), (name, field)


def test_scenes_have_samples_at_2_hz(version, tables):
    assert len(tables["scene"]) == VERSIONS[version]
    begins = set()
    for scene in tables["scene"].values():
        chain = [tables["sample"][scene["first_sample_token"]]]
        while chain[-1]["next"]:
            chain.append(tables["sample"][chain[-1]["next"]])
        assert chain[-1]["token"] == scene["last_sample_token"]
        assert len(chain) == scene["nbr_samples"] == KEYS
        times = [each["timestamp"] for each in chain]
        assert {after - before for before, after in pairwise(times)} == {500_000}
        begins.add(times[0])
    # NuScenes.list_scenes sorts scenes by their begins, and fails where two are the same
    assert len(begins) == len(tables["scene"])


def test_each_channel_is_a_chain_in_time(tables):
    channels = Counter()
    for row in tables["sample_data"].values():
        if row["prev"]:
            assert tables["sample_data"][row["prev"]]["next"] == row["token"]
            assert tables["sample_data"][row["prev"]]["timestamp"] < row["timestamp"]
        mounted = tables["calibrated_sensor"][row["calibrated_sensor_token"]]
        channel = tables["sensor"][mounted["sensor_token"]]["channel"]
        channels[channel, row["is_key_frame"]] += 1
    n = len(tables["scene"])
    assert channels["LIDAR_TOP", True] == channels["LIDAR_LEFT", True] == KEYS * n
    assert channels["LIDAR_TOP", False] == (N_FRAMES - KEYS) * n
    cameras = {channel for channel, _ in channels if channel.startswith("CAM_")}
    assert len(cameras) == 6
    assert all(channels[channel, True] == KEYS * n for channel in cameras)


def test_every_file_is_there_and_in_its_folder(folder, tables):
    for row in tables["sample_data"].values():
        place = "samples" if row["is_key_frame"] else "sweeps"
        assert row["filename"].startswith(f"{place}/")
        assert (folder / row["filename"]).is_file()
    for row in tables["map"].values():
        assert (folder / row["filename"]).is_file()


def test_points_have_labels_of_known_categories(folder, version, tables):
    numbers = {row["index"]: row["name"] for row in tables["category"].values()}
    assert len(numbers) == len(tables["category"]) == 32
    for table, ending in (("lidarseg", ".bin"), ("panoptic", ".npz")):
        held = list((folder / table / version).iterdir())
        assert len(held) == len(tables[table])
        assert all(path.name.endswith(ending) for path in held)
    found = Counter()
    for each, row in tables["lidarseg"].items():
        cloud = folder / tables["sample_data"][row["sample_data_token"]]["filename"]
        labels = np.fromfile(folder / row["filename"], np.uint8)
        assert len(np.fromfile(cloud, np.float32)) == 5 * len(labels)
        panoptic = np.load(folder / tables["panoptic"][each]["filename"])["data"]
        assert panoptic.dtype == np.uint16
        assert (panoptic // 1000 == labels).all()
        is_thing = np.isin(labels, [2, 17])
        assert ((panoptic % 1000 > 0) == is_thing).all()
        found.update(numbers[n] for n in labels.tolist())
    assert set(found) == {
        *("human.pedestrian.adult", "vehicle.car", "flat.driveable_surface"),
        *("static.manmade", "static.vegetation"),
    }


def test_annotations_count_the_points_in_their_boxes(folder, tables):
    """By the rule of the devkit's points_in_box: on a box counts as in it; all lidars count."""
    counted = Counter()
    for row in tables["sample_data"].values():
        if not row["is_key_frame"] or not row["filename"].endswith(".pcd.bin"):
            continue
        points = np.fromfile(folder / row["filename"], np.float32).reshape(-1, 5)[:, :3]
        pose = tables["ego_pose"][row["ego_pose_token"]]
        mounted = tables["calibrated_sensor"][row["calibrated_sensor_token"]]
        in_world = placed(placed(points.astype(float), mounted), pose)
        for box in tables["sample_annotation"].values():
            if box["sample_token"] != row["sample_token"]:
                continue
            width, length, height = box["size"]
            signs = np.array([(1, 1, 1), (-1, 1, 1), (1, -1, 1), (1, 1, -1)])
            corners = 0.5 * signs * [length, width, height] @ rotation(box["rotation"]).T
            edges = corners[1:] - corners[0]
            along = (in_world - box["translation"] - corners[0]) @ edges.T
            of_edges = (edges**2).sum(axis=1)
            counted[box["token"]] += np.count_nonzero(
                ((along >= 0.0) & (along <= of_edges)).all(axis=1)
            )
    told = {key: row["num_lidar_pts"] for key, row in tables["sample_annotation"].items()}
    assert told == {key: counted[key] for key in told}
    assert sum(told.values()) > 100


def placed(points, pose):
    return points @ rotation(pose["rotation"]).T + pose["translation"]


def rotation(quaternion):
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_instances_follow_their_annotations(tables):
    for row in tables["instance"].values():
        chain = [tables["sample_annotation"][row["first_annotation_token"]]]
        while chain[-1]["next"]:
            chain.append(tables["sample_annotation"][chain[-1]["next"]])
        assert chain[-1]["token"] == row["last_annotation_token"]
        assert len(chain) == row["nbr_annotations"]
        assert {each["instance_token"] for each in chain} == {row["token"]}


def test_attributes_tell_what_moves(tables):
    names = {row["token"]: row["name"] for row in tables["attribute"].values()}
    found = Counter()
    for row in tables["sample_annotation"].values():
        instance = tables["instance"][row["instance_token"]]
        category = tables["category"][instance["category_token"]]["name"]
        found[(category, *(names[each] for each in row["attribute_tokens"]))] += 1
    assert set(found) == {
        ("vehicle.car", "vehicle.moving"),
        ("vehicle.car", "vehicle.parked"),
        ("human.pedestrian.adult", "pedestrian.standing"),
    }


def test_cameras_look_where_their_names_say(tables):
    for row in tables["calibrated_sensor"].values():
        channel = tables["sensor"][row["sensor_token"]]["channel"]
        ahead = rotation(row["rotation"])[:, 2]
        if channel == "CAM_FRONT":
            np.testing.assert_allclose(ahead, [1, 0, 0], atol=1e-9)
        if channel == "CAM_BACK_LEFT":
            np.testing.assert_allclose(
                ahead, [np.cos(np.radians(110)), np.sin(np.radians(110)), 0], atol=1e-9
            )


def test_scenes_have_the_names_of_their_split(folder):
    """Converters know splits by names: scene-0001 is of train, 0003 of val, 0077 of test."""
    names = [
        sorted(json.loads((folder / version / "splits.json").read_text()).items())
        for version in VERSIONS
    ]
    train = ["scene-0001", "scene-0002", "scene-0004"]
    assert names == [
        [("osi_train", train), ("osi_val", ["scene-0003"])],
        [("osi_test", ["scene-0077"])],
    ]
    taken = SceneNames()
    lists = {split: [taken.take(split) for _ in range(n)] for split, n in SIZES.items()}
    assert taken.take("train") == "scene-2001"
    assert len({name for names in lists.values() for name in names}) == 1000


SIZES = {"train": 700, "val": 150, "test": 150}
"""Scenes in nuScenes' splits."""


def test_a_token_depends_on_all_its_parts():
    assert token("a", 1) == token("a", 1)
    assert len({token("a", 1), token("a", 2), token("b", 1)}) == 3
    assert len(token("a")) == 32


def test_the_devkit_loads_lists_and_renders(folder, version, tmp_path, capsys):
    pytest.importorskip("nuscenes", reason="nuscenes-devkit is not installed")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from nuscenes.nuscenes import NuScenes

    pyplot.switch_backend("agg")
    loaded = NuScenes(version=version, dataroot=str(folder), verbose=False)
    loaded.list_scenes()
    told = capsys.readouterr().out
    assert "drive_" in told
    sample = loaded.sample[0]
    top = sample["data"]["LIDAR_TOP"]
    for number, options in enumerate(({}, {"show_lidarseg": True}, {"show_panoptic": True})):
        picture = tmp_path / f"{number}.png"
        loaded.render_sample_data(top, out_path=str(picture), verbose=False, **options)
        assert picture.stat().st_size > 1000
    _, boxes, _ = loaded.get_sample_data(top)
    assert boxes


def test_mounting_of_the_fixture_is_that_of_the_table(tables):
    (front,) = {
        json.dumps([row["translation"], row["rotation"]])
        for row in tables["calibrated_sensor"].values()
        if tables["sensor"][row["sensor_token"]]["channel"] == "LIDAR_TOP"
    }
    mounting = SENSORS[0]["mounting"]
    pose = pose_matrix((mounting["x_m"], 0.0, mounting["z_m"]), (0, 0, 0))
    assert json.loads(front) == [pose[:3, 3].tolist(), [1.0, 0.0, 0.0, 0.0]]
