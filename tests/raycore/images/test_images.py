# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Images of base colours: where they are, what they show, and where triangles lie in them."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from raycore.errors import MeshError
from raycore.images.faces import NO_IMAGES, images_on_faces, joined
from raycore.images.image_kernels import CLAMP, MIRROR, REPEAT, image_gain
from raycore.images.reading import ColorImage, base_color_images, levels
from raycore.mesh.loading import load_mesh
from tests.builders.files import written
from tests.builders.images import UPRIGHT, data_uri, png, upright, wall, write_wall
from tests.builders.refusals import one_line
from tests.raycore.mesh.gltf.test_reading import glb

LIGHT = {0: 0.0, 128: 0.2158605, 188: 0.5028865, 255: 1.0}
"""IEC 61966-2-1: light of some steps of sRGB."""


def header(**changes):
    return {**wall(upright(), UPRIGHT, data_uri(png([[0, 255]]))), **changes}


def loaded(tmp_path, stated):
    return load_mesh(written(tmp_path / "a.gltf", json.dumps(stated)), roots=[tmp_path])


def images_in(tmp_path, stated):
    path = written(tmp_path / "a.gltf", json.dumps(stated))
    return base_color_images(path, roots=[tmp_path])


def gain(images, row, place, width=0.0):
    return image_gain.py_func(images, np.uint64(row), *place, width)


def on_wall(path, width=0.0):
    """Return a function of the place on a wall as the sensor sees it: its gain there."""
    mesh = load_mesh(path)
    images = images_on_faces(mesh, np.arange(2), base_color_images(path).of_material)

    def at(left_m, up_m):
        row = 0 if -left_m + up_m >= 0 else 1
        return gain(images, row, (10.0, left_m, up_m), width)

    return at


def test_an_image_is_the_light_of_its_red_channel(tmp_path):
    path = write_wall(tmp_path / "a.gltf", [[0, 128], [188, 255]])
    found = base_color_images(path)
    assert found.problems == {}
    image = found.of_material["Wall"]
    assert image.brightness.dtype == np.float32
    assert_allclose(image.brightness, [[LIGHT[0], LIGHT[128]], [LIGHT[188], LIGHT[255]]], atol=1e-6)
    assert image.wrap == (REPEAT, REPEAT)


def test_it_stands_upright_and_has_the_mean_of_its_material(tmp_path):
    at = on_wall(write_wall(tmp_path / "a.gltf", [[0, 128], [188, 255]]))
    mean = sum(LIGHT.values()) / 4
    corners = {(2, 2): 0, (-2, 2): 128, (2, -2): 188, (-2, -2): 255}  # centres of the pixels
    for (left_m, up_m), step in corners.items():
        assert at(left_m, up_m) == pytest.approx(LIGHT[step] / mean, rel=1e-3, abs=1e-6)
    assert at(0.0, 0.0) == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize("face", [0, 1])
def test_the_mean_of_a_ramp_over_a_triangle_is_its_value_at_the_centroid(tmp_path, face):
    """Between the centres of its four pixels, the image is a ramp across and another one down."""
    uv = np.array(UPRIGHT) / 2 + 0.25
    mesh = load_mesh(write_wall(tmp_path / "a.gltf", [[0, 255]], uv=uv.tolist()))
    light = np.array([[0.0, 0.25], [0.5, 0.75]], np.float32)
    ramp = ColorImage(brightness=light, wrap=(CLAMP, CLAMP))
    images = images_on_faces(mesh, np.array([face]), {"Wall": ramp})
    centroid = np.array(upright())[mesh.faces[face]].mean(axis=0)
    assert gain(images, 0, centroid) == pytest.approx(1.0, rel=1e-6)


def test_on_a_slanted_wall_all_three_coordinates_tell_the_place_in_the_image(tmp_path):
    corner, across, down = np.array((9.0, 3.0, 5.0)), np.array((2, -6, 1)), np.array((-3, -1, -4))
    corners = [corner, corner + across, corner + across + down, corner + down]
    path = write_wall(tmp_path / "a.gltf", [[0, 128], [188, 255]], corners=corners)
    images = images_on_faces(load_mesh(path), np.arange(2), base_color_images(path).of_material)
    mean = sum(LIGHT.values()) / 4
    pixels = {(0.25, 0.25): 0, (0.75, 0.25): 128, (0.25, 0.75): 188, (0.75, 0.75): 255}
    for (u, v), step in pixels.items():
        seen = gain(images, int(v > u), corner + u * across + v * down)
        assert seen == pytest.approx(LIGHT[step] / mean, rel=1e-3, abs=1e-6)


def test_a_wide_beam_sees_the_mean(tmp_path):
    checks = 255 * (np.indices((64, 64)).sum(axis=0) % 2)
    path = write_wall(tmp_path / "a.gltf", checks)
    pixel_m = 8.0 / 64
    fine, coarse = on_wall(path), on_wall(path, 2.0 * pixel_m)
    place = 0.5 * pixel_m, 0.5 * pixel_m
    assert fine(*place) in (pytest.approx(0.0, abs=1e-6), pytest.approx(2.0, rel=1e-3))
    assert coarse(*place) == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize(
    ("wrap", "seen"), [(REPEAT, [0, 255, 0, 255]), (CLAMP, [0, 255, 255, 255]),
                       (MIRROR, [0, 255, 255, 0])]
)  # fmt: skip
def test_beyond_its_edges_an_image_is_what_its_sampler_says(tmp_path, wrap, seen):
    twice = [[2 * u, v] for u, v in UPRIGHT]
    sampler = {"wrapS": wrap, "wrapT": wrap}
    path = write_wall(tmp_path / "a.gltf", [[0, 255]], uv=twice, sampler=sampler)
    at = on_wall(path)
    found = np.array([at(left_m, 0.0) for left_m in (3.0, 1.0, -1.0, -3.0)])
    assert_array_equal(found > 0.5, np.array(seen) > 0)


def test_places_may_be_whole_numbers_and_moved_by_the_material(tmp_path):
    """KHR_texture_transform's own example: the lower left quarter, turned clockwise."""
    stated = header()
    move = {"offset": [0, 1], "rotation": np.pi / 2, "scale": [0.5, 0.5]}
    texture = stated["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]
    texture["extensions"] = {"KHR_texture_transform": move}
    assert_allclose(
        loaded(tmp_path, stated).uv, [[0, 1], [0, 0.5], [0.5, 0.5], [0.5, 1]], atol=1e-7
    )
    del texture["extensions"]
    whole = np.array([[0, 0], [65535, 0], [65535, 65535], [0, 32768]], "<u2").tobytes()
    stated["buffers"].append({"uri": data_uri(whole), "byteLength": 16})
    stated["bufferViews"].append({"buffer": 1, "byteLength": 16})
    stated["accessors"][1] = {"bufferView": 3, "componentType": 5123, "normalized": True,
                              "count": 4, "type": "VEC2"}  # fmt: skip
    assert_allclose(
        loaded(tmp_path, stated).uv, [[0, 0], [1, 0], [1, 1], [0, 32768 / 65535]], atol=1e-6
    )


@pytest.mark.parametrize(
    "change",
    [
        {"count": 3},
        {"count": 5},
        {"bufferView": 99},
        {"type": "VEC3"},
        {"componentType": 5125},
        {"byteOffset": 9},
        {"sparse": {}},
    ],
)
def test_places_that_make_no_sense_leave_a_mesh_without(tmp_path, change):
    stated = header()
    stated["accessors"][1] |= change
    mesh = loaded(tmp_path, stated)
    assert len(mesh.faces) == 2
    assert mesh.uv.shape == (0, 2)


def test_a_mesh_without_images_has_no_places(tmp_path):
    stated = header()
    del stated["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]
    assert loaded(tmp_path, stated).uv.shape == (0, 2)
    assert images_in(tmp_path, stated).of_material == {}


def test_images_lie_in_the_file_beside_it_or_in_its_binary_part(tmp_path):
    content = png([[0, 255]])
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a b.png").write_bytes(content)
    beside = images_in(tmp_path, header(images=[{"uri": "sub/a%20b.png"}]))
    stated = header(images=[{"bufferView": 3, "mimeType": "image/png"}])
    stated["buffers"].append({"byteLength": len(content)})
    stated["buffers"].reverse()
    for view in stated["bufferViews"]:
        view["buffer"] = 1
    stated["bufferViews"].append({"buffer": 0, "byteLength": len(content)})
    (tmp_path / "a.glb").write_bytes(glb(stated, content + bytes(-len(content) % 4)))
    inside = base_color_images(tmp_path / "a.glb")
    for found in (beside, inside):
        assert found.problems == {}
        assert_array_equal(found.of_material["Wall"].brightness, [[0.0, 1.0]])


@pytest.mark.parametrize(
    ("images", "reason"),
    [
        ([{"uri": "absent.png"}], "absent.png, which does not exist"),
        ([{"uri": "../outside.png"}], "lies outside the allowed folders"),
        ([{"uri": "https://x.org/a.png"}], "expected the path of a file"),
        ([{"uri": data_uri(b"no image")}], "its image cannot be read"),
        ([{"uri": data_uri(png([[0, 255]])[:40])}], "its image cannot be read"),
        ([{"uri": 7}], "its image makes no sense"),
        ([{"bufferView": 77}], "its image makes no sense"),
        ([], "its image makes no sense"),
    ],
)
def test_an_image_that_cannot_be_read_is_said_and_no_error(tmp_path, images, reason):
    (tmp_path / "in").mkdir()
    (tmp_path / "outside.png").write_bytes(png([[0, 255]]))
    found = images_in(tmp_path / "in", header(images=images))
    assert found.of_material == {}
    assert reason in found.problems["Wall"]
    assert "\n" not in found.problems["Wall"]


def test_images_that_are_too_large_are_not_opened(tmp_path, monkeypatch):
    monkeypatch.setattr("raycore.images.pixels.MOST_PIXELS", 1)
    found = images_in(tmp_path, header())
    assert found.problems["Wall"] == "its image has 2 x 1 pixels, expected at most 1"


def test_two_materials_of_one_name_share_an_image_or_have_none(tmp_path):
    stated = header()
    stated["materials"] *= 2
    assert list(images_in(tmp_path, stated).of_material) == ["Wall"]
    stated["materials"] = [stated["materials"][0], {"name": "Wall"}]
    found = images_in(tmp_path, stated)
    assert found.of_material == {}
    assert "images of their own" in found.problems["Wall"]


@pytest.mark.parametrize("wrap", [None, "x", 7, 1e300, [1], {}])
def test_a_sampler_that_makes_no_sense_repeats(tmp_path, wrap):
    path = write_wall(tmp_path / "a.gltf", [[0, 255]], sampler={"wrapS": wrap, "wrapT": CLAMP})
    assert base_color_images(path).of_material["Wall"].wrap == (REPEAT, CLAMP)


def test_a_file_that_is_no_mesh_any_more_is_one_line(tmp_path):
    for name in ("a.gltf", "a.glb"):
        (tmp_path / name).write_bytes(b"{")
        with one_line(MeshError):
            base_color_images(tmp_path / name)


def test_an_image_that_is_black_is_none(tmp_path):
    path = write_wall(tmp_path / "a.gltf", [[0, 0]])
    images = images_on_faces(load_mesh(path), np.arange(2), base_color_images(path).of_material)
    assert_array_equal(images.face_of_row, [-1, -1])


def test_coarser_levels_are_means_down_to_one_pixel():
    fine = np.arange(15, dtype=np.float32).reshape(3, 5)
    found = levels(fine)
    assert [level.shape for level in found] == [(3, 5), (2, 3), (1, 2), (1, 1)]
    assert_allclose(found[1][0], [3.0, 5.0, 6.5])
    assert_allclose(found[1][1], [10.5, 12.5, 14.0])


def test_images_of_several_meshes_are_found_by_their_rows(tmp_path):
    reds = [[0, 255]], [[255, 255], [0, 255], [255, 255]]
    parts = []
    for number, red in enumerate(reds):
        path = write_wall(tmp_path / f"{number}.gltf", red)
        found = base_color_images(path).of_material
        parts.append(images_on_faces(load_mesh(path), np.arange(2), found))
    whole = joined([(2, parts[0]), (3, NO_IMAGES), (2, parts[1])])
    assert_array_equal(whole.face_of_row, [0, 1, -1, -1, -1, 2, 3])
    for row, (part, own) in {0: (0, 0), 1: (0, 1), 5: (1, 0), 6: (1, 1)}.items():
        for place in ((10.0, -1.0, 2.0), (10.0, 2.0, -3.0)):
            assert gain(whole, row, place, 0.1) == gain(parts[part], own, place, 0.1)


def test_images_behind_those_of_a_black_mesh_are_its_own(tmp_path):
    parts = []
    for number, red in enumerate(([[0, 0]], [[0, 255], [255, 128]])):
        path = write_wall(tmp_path / f"{number}.gltf", red)
        found = base_color_images(path).of_material
        parts.append(images_on_faces(load_mesh(path), np.arange(2), found))
    whole = joined([(2, each) for each in (*parts, parts[1])])
    assert_array_equal(whole.face_of_row[:2], [-1, -1])
    for row in (0, 1):
        for place in ((10.0, -1.0, 2.0), (10.0, 2.0, -3.0)):
            expected = gain(parts[1], row, place, 0.1)
            assert [gain(whole, before + row, place, 0.1) for before in (2, 4)] == [expected] * 2
