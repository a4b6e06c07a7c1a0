# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The scene in the page of a run: the meshes that its beams met, where they stood."""

import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from lidar_app.cli.main import app
from lidar_app.show.page import PageLimits, write_page
from lidar_app.show.page.mesh_chunk import ScenePart, mesh_chunk
from lidar_app.show.page.scene_chunks import STEPS_M, scene_chunks
from osi_lidar.run.replay import scan
from tests.builders.runs import make_run
from tests.builders.worlds import wall_config
from tests.lidar_app.show.page.decoding import chunk_of, page_of, values_of


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return make_run(tmp_path_factory.mktemp("run"))


def content(folder, **limits):
    """Return the manifest of a run's page, its chunks, and its notes."""
    written = write_page(folder, folder.parent / "a.html", limits=PageLimits(**limits))
    return (*page_of(written.path.read_text(encoding="utf-8")), written.notes)


def corners(chunk):
    """Return the corners of the triangles of a part, (n, 3, 3), and their materials."""
    _, columns = chunk_of(chunk)
    vertices = np.stack(
        [each["offset"] + each["codes"] * each["step"] for each in map(columns.get, "xyz")], axis=1
    )
    faces = np.stack([columns[name]["codes"] for name in "abc"], axis=1)
    return vertices[faces], values_of(columns["material"])[faces[:, 0]]


def part_of(corners_m, material=None):
    corners_m = np.asarray(corners_m, float)
    ids = np.zeros(len(corners_m), int) if material is None else np.asarray(material)
    return ScenePart(corners_m=corners_m, material=ids, materials=("tar", "brick"))


def test_corners_are_right_to_half_a_step_and_keep_their_material():
    rng = np.random.default_rng(3)
    middle = rng.uniform(-40.0, 40.0, (200, 1, 3))
    given = middle + rng.uniform(-1.0, 1.0, (200, 3, 3))
    ids = rng.integers(0, 2, 200)
    found, names = corners(mesh_chunk(part_of(given, ids), 0.01))
    for triangle, name in zip(given, np.array(("tar", "brick"))[ids], strict=True):
        gap = np.abs(found[:, :, None] - triangle).max(axis=-1).min(axis=-1).max(axis=-1)
        assert gap.min() <= 0.005 + 1e-9
        assert names[gap.argmin()] == name


def test_places_have_16_bits_so_that_a_wide_mesh_has_a_coarser_step():
    _, columns = chunk_of(mesh_chunk(part_of([[[0, 0, 7], [6000, 0, 7], [0, 30, 7]]])))
    assert columns["x"]["step"] == pytest.approx(6000 / 65535)
    assert columns["y"]["step"] == columns["z"]["step"] == 0.002
    assert columns["z"]["offset"] == 7.0  # a ground lies where it lies


def test_what_rounding_makes_flat_or_twice_is_left_out():
    wide = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    again = [[0, 1, 0.01], [0, 0, 0], [1, 0, 0]]
    thin = [[2, 0, 0], [2.01, 0, 0], [2, 3, 0]]
    found, _ = corners(mesh_chunk(part_of([wide, again, thin]), 0.1))
    assert len(found) == 1


def test_the_scene_has_ground_and_objects_in_their_sizes(run):
    manifest, chunks, notes = content(run)
    assert notes == ()
    scene = manifest["scene"]
    frame = manifest["frames"][2]
    _, boxes = chunk_of(chunks[frame["boxes"]])
    host, box = values_of(boxes["part"])
    assert host == -1  # the model does not see the car that carries it
    shape, _ = corners(chunks[scene["parts"][box]])
    size = [values_of(boxes[name])[1] for name in ("length", "width", "height")]
    np.testing.assert_allclose(np.ptp(shape.reshape(-1, 3), axis=0), size, atol=0.02)
    ((ground, pose, is_ground),) = scene["still"][frame["still"]]
    assert is_ground
    level, _ = corners(chunks[scene["parts"][ground]])
    np.testing.assert_allclose(level[..., 2] + pose[14], 0.0, atol=1e-6)


def test_parts_have_materials_whose_colours_the_page_knows(run):
    manifest, chunks, _ = content(run)
    for place in manifest["scene"]["parts"]:
        _, names = corners(chunks[place])
        assert set(names) <= manifest["colours"].keys()


def test_a_scan_without_messages_shows_its_environment(tmp_path):
    scan(wall_config(tmp_path), tmp_path / "run")
    manifest, chunks, notes = content(tmp_path / "run")
    assert notes == ()
    still = manifest["scene"]["still"][manifest["frames"][0]["still"]]
    ((part, pose, is_ground),) = still
    assert not is_ground
    wall, _ = corners(chunks[manifest["scene"]["parts"][part]])
    points = wall.reshape(-1, 3) + pose[12:15]
    np.testing.assert_allclose(points.min(axis=0), [10.0, -100.0, -100.0], atol=0.01)
    np.testing.assert_allclose(points.max(axis=0), [10.0, 100.0, 100.0], atol=0.01)


def test_a_large_triangle_is_divided_and_covers_what_it_covered():
    large = [[0, 0, 1], [6000, 0, 1], [0, 6000, 1]]
    box = np.array([[100.0, 200.0, 0.0], [400.0, 300.0, 2.0]])
    found = part_of([large], [1]).within(*box)
    edges = found.corners_m - np.roll(found.corners_m, 1, axis=1)
    assert np.abs(edges).max() <= 100.0
    assert set(found.material) == {1}
    inside = np.random.default_rng(0).uniform(*box[:, :2], (200, 2))[:, None]
    ends = np.roll(found.corners_m, -1, axis=1)
    (ax, ay), (bx, by) = np.moveaxis(found.corners_m, -1, 0)[:2], np.moveaxis(ends, -1, 0)[:2]
    x, y = inside[..., None, 0], inside[..., None, 1]
    is_left = (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0
    assert is_left.all(axis=-1).any(axis=-1).all()


def test_a_small_mesh_far_from_its_origin_is_there_where_the_sensor_reaches_it(tmp_path):
    near = {"x_m": 500.0}
    scan(wall_config(tmp_path, x_m=510.0, half_m=2.0, mounting=near), tmp_path / "run")
    assert len(content(tmp_path / "run")[0]["scene"]["parts"]) == 1
    scan(wall_config(tmp_path, x_m=510.0, half_m=2.0), tmp_path / "far")
    assert content(tmp_path / "far")[0]["scene"]["parts"] == []


@pytest.mark.parametrize("options", [("--no-scene",), ("--scene-mb", "0")])
def test_the_scene_can_be_left_out(run, tmp_path, options):
    page = tmp_path / "a.html"
    result = CliRunner().invoke(app, ["view", str(run), "--no-open", "-o", str(page), *options])
    assert result.exit_code == 0, result.output
    manifest, chunks = page_of(page.read_text(encoding="utf-8"))
    assert manifest["scene"] is None
    _, columns = chunk_of(chunks[manifest["frames"][0]["boxes"]])
    assert "part" not in columns


@pytest.mark.parametrize("size", ["-1", "nan", "inf"])
def test_a_size_of_the_scene_that_is_none_is_refused(run, size):
    result = CliRunner().invoke(app, ["view", str(run), "--no-open", f"--scene-mb={size}"])
    assert result.exit_code == 2
    assert "--scene-mb: got" in result.stderr


def test_a_scene_that_is_too_large_is_left_out_and_the_page_says_so(run):
    manifest, _, notes = content(run, scene_mb=0.0005)
    assert manifest["scene"] is None
    assert notes == ("has no scene: it is larger than 0.0005 MB (--scene-mb)",)


def test_the_scene_is_rounded_until_it_is_small_enough():
    rng = np.random.default_rng(0)
    middle = rng.uniform(-100.0, 100.0, (5000, 1, 3)) * (1, 1, 0.02)
    scene = SimpleNamespace(parts=[part_of(middle + rng.uniform(-0.5, 0.5, (5000, 3, 3)))])
    fine = scene_chunks(scene, [], 1e9)
    assert fine.step_m == STEPS_M[0]
    for share in (0.9, 0.7):
        rounded = scene_chunks(scene, [], share * fine.n_byte)
        assert rounded.step_m > fine.step_m
        assert rounded.n_byte <= share * fine.n_byte
    assert scene_chunks(scene, [], 1000) is None


def test_what_no_beam_reaches_is_no_part_of_the_scene():
    near, far = np.eye(3), np.eye(3) + 500.0
    kept = part_of([near, far]).within(np.full(3, -10.0), np.full(3, 10.0))
    np.testing.assert_array_equal(kept.corners_m, [near])


def test_a_run_whose_meshes_are_gone_has_boxes_but_no_scene_and_says_so(run, tmp_path):
    folder = shutil.copytree(run, tmp_path / "run")
    report = json.loads((folder / "run.json").read_text())
    gone = str(tmp_path / "gone.obj")
    report["config"]["scene"]["environment"] = [{"mesh": gone}]
    (folder / "run.json").write_text(json.dumps(report))
    manifest, _, notes = content(folder)
    assert manifest["scene"] is None
    assert manifest["frames"][0]["boxes"] is not None
    assert notes == (f"has no scene: scene.environment[0].mesh: no such file: '{gone}'",)
