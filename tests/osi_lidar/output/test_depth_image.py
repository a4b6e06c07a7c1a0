# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Depth images of cameras: the depth itself, the files, and what happens where they cannot be."""

import math
import re
import sys

import numpy as np
import pytest

from osi_lidar.config import load_config
from osi_lidar.errors import ConfigurationError, OutputError
from osi_lidar.output import depth_image as module
from osi_lidar.output.depth_image import NO_EXR, write_depth
from osi_lidar.output.run_folder import RunFolder
from osi_lidar.run.replay import scan
from osi_lidar.scan.depth import depth_along_axis
from tests.builders.meshes import quad, write_quads
from tests.builders.messages import frames
from tests.builders.refusals import one_line
from tests.builders.worlds import model_before
from tests.commands import run

SIZE = (24, 17)
"""Width and height of the images here. [pixels]"""
FOV_DEG = 60.0
CAMERA = {
    "kind": "camera",
    "width": SIZE[0],
    "height": SIZE[1],
    "horizontal_fov_deg": FOV_DEG,
}


def pixels(width, height):
    """Return y and z of the pixels' centres at x = 1, each (height, width), from the top left."""
    edge = math.tan(math.radians(FOV_DEG) / 2)
    y = edge * (1.0 - (2.0 * np.arange(width) + 1.0) / width)
    z = edge * (height - (2.0 * np.arange(height) + 1.0)) / width
    return np.meshgrid(y, z)


def image_of(model):
    """Return the depth image of a model's camera after an empty message."""
    model.step(frames([[]], host_id=None)[0])
    (lidar,) = model.lidars
    return depth_along_axis(model.last_scans[lidar.name].scanned).reshape(SIZE[1], SIZE[0])


def read_pfm(path):
    """Return an image as the format's definition reads it."""
    kind, size, scale, rest = path.read_bytes().split(b"\n", 3)
    width, height = map(int, size.split())
    assert kind == b"Pf"
    assert float(scale) < 0.0
    return np.frombuffer(rest, "<f4").reshape(height, width)[::-1]


def read(path):
    return read_pfm(path) if path.suffix == ".pfm" else np.load(path)


@pytest.mark.parametrize("turn_deg", [0.0, 25.0, -40.0])
def test_the_depth_of_a_plane_is_that_along_the_axis(tmp_path, turn_deg):
    """On the plane n . p = c a pixel (y, z) has depth c / (n . (1, y, z)), at whatever y and z."""
    model = model_before(tmp_path, [(quad(12.0, turn_deg, 400.0), "Wall")], pattern=CAMERA)
    image = image_of(model)
    y, _ = pixels(*SIZE)
    turn = math.radians(turn_deg)
    expected = 12.0 * math.cos(turn) / (math.cos(turn) + math.sin(turn) * y)
    assert image.dtype == np.float32
    assert image.shape == (SIZE[1], SIZE[0])
    np.testing.assert_allclose(image, expected, rtol=1e-5)


def test_the_first_row_is_the_upper_one_and_the_first_column_the_left_one(tmp_path):
    near = [(5.0, 0.4, 0.2), (5.0, 9.0, 0.2), (5.0, 9.0, 9.0), (5.0, 0.4, 9.0)]
    surfaces = [(near, "Wall"), (quad(20.0, half_m=100.0), "Wall")]
    model = model_before(tmp_path, surfaces, pattern=CAMERA)
    image = image_of(model)
    y, z = pixels(*SIZE)
    upper_left = (5.0 * y > 0.4) & (5.0 * z > 0.2)
    np.testing.assert_allclose(image, np.where(upper_left, 5.0, 20.0), rtol=1e-5)
    assert upper_left[0, 0]
    assert not upper_left[-1].any()


def test_a_pixel_that_meets_nothing_is_infinite(tmp_path):
    image = image_of(model_before(tmp_path, [(quad(12.0, 0.0, 0.5), "Wall")], pattern=CAMERA))
    assert np.isinf(image[0]).all()
    assert image[SIZE[1] // 2, SIZE[0] // 2] == pytest.approx(12.0, rel=1e-5)


@pytest.mark.parametrize(
    "sensor",
    [{"min_range_m": 20.0}, {"noise": {"drop_probability": 1.0}}],
    ids=["nearer than the minimum range", "dropouts"],
)
def test_what_the_receiver_does_not_report_has_a_depth_all_the_same(tmp_path, sensor):
    model = model_before(tmp_path, [(quad(12.0, 0.0, 400.0), "Wall")], pattern=CAMERA, **sensor)
    np.testing.assert_allclose(image_of(model), 12.0, rtol=1e-5)
    (lidar,) = model.lidars
    assert not len(model.last_scans[lidar.name].cloud.points)


def test_an_image_of_2000_by_2000_is_written_and_read_back(tmp_path):
    image = np.arange(2000 * 2000, dtype=np.float32).reshape(2000, 2000)
    image[0, 0] = np.inf
    write_depth(tmp_path / "a.pfm", image)
    np.testing.assert_array_equal(read_pfm(tmp_path / "a.pfm"), image)


@pytest.mark.parametrize("kind", ["pfm", "npy"])
def test_a_file_holds_the_image_bit_for_bit(tmp_path, kind):
    image = np.array([[0.1, np.inf, 3.0], [1e30, 5.0, 6.0]], np.float32)
    path = tmp_path / f"image.{kind}"
    write_depth(path, image)
    np.testing.assert_array_equal(read(path), image)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_pfm_file_begins_with_its_lower_row(tmp_path):
    write_depth(tmp_path / "a.pfm", np.array([[1.0, 2.0], [3.0, 4.0]], np.float32))
    expected = b"Pf\n2 2\n-1.0\n" + np.array([3.0, 4.0, 1.0, 2.0], "<f4").tobytes()
    assert (tmp_path / "a.pfm").read_bytes() == expected


def read_pgm(path):
    """Return the grey values of a binary map as the format's definition reads it, and its scale."""
    kind, comment, size, most, rest = path.read_bytes().split(b"\n", 4)
    width, height = map(int, size.split())
    assert (kind, most) == (b"P5", b"65535")
    scale = re.fullmatch(rb"# depth \[m\] = (\S+) \* value; 0: nothing, 65535: .*", comment)
    return np.frombuffer(rest, ">u2").reshape(height, width), float(scale[1])


def test_a_pgm_file_holds_the_depth_in_steps_which_it_states(tmp_path):
    image = np.array([[0.1, np.inf, 3.0004], [1e30, 65.535, 0.0001]], np.float32)
    write_depth(tmp_path / "a.pgm", image)
    grey, step_m = read_pgm(tmp_path / "a.pgm")
    assert step_m == 0.001
    np.testing.assert_array_equal(grey, [[100, 0, 3000], [65535, 65535, 1]])
    write_depth(tmp_path / "a.pgm", image, step_m=0.0025)
    grey, step_m = read_pgm(tmp_path / "a.pgm")
    assert step_m == 0.0025
    np.testing.assert_array_equal(grey, [[40, 0, 1200], [65535, 26214, 1]])


def test_a_pgm_file_is_read_by_another_program(tmp_path):
    pillow = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    image = np.array([[1.0, 2.0, 3.0], [40.0, np.inf, 6.0]], np.float32)
    write_depth(tmp_path / "a.pgm", image)
    with pillow.open(tmp_path / "a.pgm") as opened:
        np.testing.assert_array_equal(np.asarray(opened), [[1000, 2000, 3000], [40000, 0, 6000]])


def test_a_run_writes_images_in_the_steps_that_are_configured(tmp_path):
    path = write_camera(tmp_path, CAMERA, "pgm, depth_step_m: 0.01")
    scan(load_config(path), tmp_path / "out")
    grey, step_m = read_pgm(tmp_path / "out" / "cam" / "000000.pgm")
    assert step_m == 0.01
    np.testing.assert_array_equal(grey, np.full((SIZE[1], SIZE[0]), 1000))


def test_an_exr_file_holds_the_image_bit_for_bit(tmp_path):
    exr = pytest.importorskip("OpenEXR", reason="OpenEXR is not installed")
    image = np.array([[0.1, np.inf, 3.0], [1e30, 5.0, 6.0]], np.float32)
    write_depth(tmp_path / "a.exr", image)
    with exr.File(str(tmp_path / "a.exr")) as file:
        (name,) = file.channels()
        assert name == "Z"
        np.testing.assert_array_equal(file.channels()["Z"].pixels, image)
    assert [file.name for file in tmp_path.iterdir()] == ["a.exr"]


@pytest.mark.parametrize("kind", ["pfm", "npy", "exr", "pgm"])
def test_an_image_that_cannot_be_written_is_one_line_and_leaves_no_file(tmp_path, kind):
    if kind == "exr":
        pytest.importorskip("OpenEXR", reason="OpenEXR is not installed")
    path = tmp_path / "absent" / f"a.{kind}"
    with one_line(OutputError, start=f"{path}: ", match="cannot be written"):
        write_depth(path, np.zeros((2, 2), np.float32))
    assert not list(tmp_path.iterdir())


def write_camera(folder, pattern, depth):
    write_quads(folder / "wall.obj", [(quad(10.0, half_m=100.0), "Wall")])
    path = folder / "config.yaml"
    path.write_text(
        f"sensors: [{{name: cam, pattern: {pattern}, mounting: {{z_m: 0.0}}}}]\n"
        "scene: {ground: none, environment: [{mesh: wall.obj, up: z, forward: x}]}\n"
        f"output: {{depth: {depth}, sensor_data: none}}\n"
    )
    return path


@pytest.mark.parametrize("kind", ["pfm", "npy"])
def test_a_run_writes_an_image_beside_each_cloud_and_overwrites_it(tmp_path, kind):
    config = load_config(write_camera(tmp_path, CAMERA, kind))
    for _ in range(2):
        scan(config, tmp_path / "out", overwrite=True)
        names = sorted(file.name for file in (tmp_path / "out" / "cam").iterdir())
        assert names == sorted([f"000000.{kind}", "000000.pcd"])
        image = read(tmp_path / "out" / "cam" / f"000000.{kind}")
        np.testing.assert_allclose(image, np.full((SIZE[1], SIZE[0]), 10.0), rtol=1e-5)
    scan(load_config(write_camera(tmp_path, CAMERA, "none")), tmp_path / "out", overwrite=True)
    assert [file.name for file in (tmp_path / "out" / "cam").iterdir()] == ["000000.pcd"]


def test_images_of_a_run_without_a_camera_are_refused_with_their_key(tmp_path):
    pattern = "{kind: pairs, azimuth_elevation_deg: [[0, 0]]}"
    path = write_camera(tmp_path, pattern, "pfm")
    with pytest.raises(ConfigurationError) as caught:
        load_config(path)
    words = "output.depth: got pfm, but no sensor has a pattern of kind camera"
    assert str(caught.value) == f"{path}: {words}"


def test_exr_without_its_library_is_refused_before_anything_is_written(tmp_path, monkeypatch):
    config = load_config(write_camera(tmp_path, CAMERA, "exr"))
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(OutputError, match=r"output\.depth: OpenEXR is not installed: pip install"):
        RunFolder(tmp_path / "out", config, custom_name="scan")
    assert not (tmp_path / "out").exists()
    checked = run("check", "--config", tmp_path / "config.yaml")
    assert checked.exit_code != 0
    assert f"output.depth: {NO_EXR}" in " ".join(checked.output.split())


def test_an_exr_image_without_the_library_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "OpenEXR", None)
    with pytest.raises(OutputError) as caught:
        write_depth(tmp_path / "a.exr", np.zeros((2, 2), np.float32))
    assert str(caught.value) == NO_EXR
