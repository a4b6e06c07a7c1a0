# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The option --surroundings and the key scene.surroundings, from the trace to the files."""

import json

import numpy as np
import pytest
from osi3.osi_groundtruth_pb2 import GroundTruth

from lidar_app.show.page import write_page
from osi_lidar import scan_trace
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.config import load_config
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import model_of, with_surroundings
from osi_lidar.run.replay import replay as replay_trace
from tests.builders.messages import framed
from tests.commands import assert_one_line, run
from tests.lidar_app.show.page.decoding import page_of
from tests.osi_lidar.world.test_road_world import _truth

N_FRAMES = 4
HOST, WALKER = 1, 2
VLP_16 = "sensors: [{preset: VLP-16, columns: 300}]\n"


def _message(second):
    """Return a message with a lane along x, its vehicle, and a walker who crosses the verge."""
    truth = _truth(length_m=200.0) if second == 0 else GroundTruth()
    truth.timestamp.seconds = second
    for own_id, kind, place, size in (
        (HOST, truth.moving_object.add(), (60.0 + 5.0 * second, 1.75, 0.75), (4.5, 1.8, 1.5)),
        (WALKER, truth.moving_object.add(), (85.0, 2.0 - 4.0 * second, 0.9), (0.5, 0.5, 1.8)),
    ):
        kind.id.value = own_id
        kind.type = 2 if own_id == HOST else 3
        base = kind.base
        base.position.x, base.position.y, base.position.z = place
        base.dimension.length, base.dimension.width, base.dimension.height = size
    truth.host_vehicle_id.value = HOST
    return truth.SerializeToString()


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    path = tmp_path_factory.mktemp("trace") / "verge_gt_.osi"
    path.write_bytes(framed([_message(k) for k in range(N_FRAMES)]))
    return path


def _config(folder, surroundings="", more=""):
    path = folder / "lidar.yaml"
    key = f"scene: {{surroundings: {surroundings}}}\n" if surroundings else ""
    path.write_text(VLP_16 + key + more)
    return path


def _replayed(trace, folder, *options, surroundings=""):
    out = folder / "out"
    config = _config(folder, surroundings)
    result = run("replay", trace, "--config", config, "--out", out, *options)
    assert result.exit_code == 0, result.output
    clouds = {file.name: file.read_bytes() for file in sorted(out.glob("*/*.pcd"))}
    return clouds, json.loads((out / "run.json").read_text())


@pytest.fixture(scope="module")
def whole(trace, tmp_path_factory):
    return _replayed(trace, tmp_path_factory.mktemp("whole"), "--surroundings")


@pytest.fixture(scope="module")
def bare(trace, tmp_path_factory):
    return _replayed(trace, tmp_path_factory.mktemp("bare"))


def test_a_run_says_seed_and_counts(whole):
    clouds, record = whole
    assert len(clouds) == N_FRAMES
    assert record["surroundings"]["seed"] == 0
    assert record["surroundings"]["counts"]["lamp posts"] > 10
    _, line = record["roads"]
    assert line.startswith("surroundings of seed 0: ")
    names = {each["visual_name"] for each in record["mapping"]}
    assert {"Tree_Leaves", "Tree_Bark", "Lamp_Post_Steel", "Building_Plaster"} <= names


def test_without_the_switch_clouds_are_as_before(trace, bare, whole, tmp_path):
    clouds, record = bare
    assert record["surroundings"] is None
    assert len(record["roads"]) == 1
    assert _replayed(trace, tmp_path, surroundings="false")[0] == clouds
    assert all(whole[0][name] != clouds[name] for name in clouds)


def test_the_same_seed_gives_the_same_bytes_whatever_part_is_replayed(trace, whole, tmp_path):
    for part, numbers in (("2:4", (2, 3)), ("0:4:3", (0, 3)), ("3:4", (3,))):
        out = tmp_path / part.replace(":", "_")
        out.mkdir()
        clouds, _ = _replayed(trace, out, "--surroundings", "--frames", part)
        assert list(clouds.values()) == [whole[0][f"{k:06d}.pcd"] for k in numbers]
    again, record = _replayed(trace, tmp_path, surroundings="{seed: 0}")
    assert again == whole[0]
    assert record["surroundings"] == whole[1]["surroundings"]


def test_a_run_that_was_cut_goes_on_with_the_same_surroundings(trace, whole, tmp_path):
    config = load_config(_config(tmp_path, "true"))
    source, out = FrameSource(trace), tmp_path / "out"
    replay_trace(source, config, out, on_step=lambda progress: progress.frames_read < 2)
    replay_trace(source, config, out, go_on=True)
    assert {file.name: file.read_bytes() for file in out.glob("*/*.pcd")} == whole[0]


def test_another_seed_gives_another_street(trace, whole, tmp_path):
    clouds, record = _replayed(trace, tmp_path, surroundings="{seed: 9}")
    assert record["surroundings"]["seed"] == 9
    assert clouds["000000.pcd"] != whole[0]["000000.pcd"]


def test_the_seed_of_all_draws_counts_where_surroundings_have_none(trace, tmp_path):
    config = load_config(_config(tmp_path, "{}", "seed: 4\n"))
    clouds = scan_trace(trace, config=config)
    next(clouds)
    assert clouds.model.world.roads.placed.seed == 4


def test_nothing_stands_where_somebody_walks_later(whole, tmp_path):
    out = tmp_path / "clouds"
    out.mkdir()
    for name, data in whole[0].items():
        (out / name).write_bytes(data)
        cloud = read_pcd(out / name)
        second = int(name[:6])
        x = cloud["x"] + 60.0 + 5.0 * second - 85.0 - 1.3  # about the walker's way
        y = cloud["y"] + 1.75
        above = cloud["z"] > -1.6
        near = above & (np.abs(x) < 0.6) & (y > -9.0) & (y < 0.0)
        assert set(cloud["object_id"][near].tolist()) <= {WALKER, HOST}


def test_what_is_made_up_has_no_object_id_and_classes_of_its_materials(trace, tmp_path):
    config = load_config(_config(tmp_path, "true"))
    points = next(scan_trace(trace, config=config)).points
    assert set(np.unique(points["object_id"]).tolist()) <= {WALKER, 0xFFFFFFFF}


def test_check_scan_and_world_take_the_option(trace, tmp_path):
    checked = run("check", trace, "--surroundings")
    assert "surroundings of seed 0:" in " ".join(checked.output.split())
    mesh = tmp_path / "scene.glb"
    written = run("world", trace, "--out", mesh, "--surroundings")
    assert written.exit_code == 0, written.output
    assert "lamp posts" in written.output
    assert_one_line(run("scan", "--surroundings"), 2, "got nothing to scan")


def test_without_lanes_a_run_says_that_there_are_no_surroundings(tmp_path):
    path = tmp_path / "empty_gt_.osi"
    path.write_bytes(framed([_message(1)]))
    _, record = _replayed(path, tmp_path, "--surroundings")
    assert record["roads"] == [
        "no surroundings: neither lanes nor a map are drawn; --map FILE.xodr draws one"
    ]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("maybe", "scene.surroundings: expected true or false, got 'maybe'"),
        ("3", "scene.surroundings: expected true or false, got 3"),
        ("{seed: -1}", "scene.surroundings.seed: must be greater than or equal to 0, got -1"),
        ("{seed: x}", "scene.surroundings.seed: expected a whole number, got 'x'"),
        ("{sed: 1}", "scene.surroundings.sed: unknown key, did you mean 'seed'? (allowed: seed)"),
    ],
)
def test_a_bad_value_is_one_line(trace, tmp_path, value, words):
    config = _config(tmp_path, value)
    result = run("replay", trace, "--config", config, "--out", tmp_path / "out")
    assert_one_line(result, 2, words)
    assert not (tmp_path / "out").exists()


def test_the_page_of_a_run_draws_what_was_made_up_for_it(trace, tmp_path):
    """The same things at the same places, as far as beams reach: they keep off the walker's way."""
    _replayed(trace, tmp_path, "--surroundings")
    page = write_page(tmp_path / "out").path
    (still,) = page_of(page.read_text(encoding="utf-8"))[0]["scene"]["still"]
    config = with_surroundings(load_config(_config(tmp_path)))
    model = model_of(config, FrameSource(trace))
    for message in FrameSource(trace):
        model.step(message)
    placed = {tuple(each.world_from_object[:3, 3].round(3)) for each in standing_of(model)}
    drawn = {tuple(np.round(pose[12:15], 3)) for _, pose, _ in still}
    assert len(drawn & placed) > 100
    assert len(drawn - placed) <= 5  # roads and the ground


def standing_of(model):
    return model.world.roads.placed.standing
