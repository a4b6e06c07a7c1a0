# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The Mesh record, the shapes made from nothing, and what holds for every mesh file."""

import numpy as np
import pytest

from raycore.errors import MeshError, RayCoreError
from raycore.mesh.loading import load_mesh
from raycore.mesh.materials import VisualMaterial
from raycore.mesh.mesh import Mesh, box, plane
from raycore.mesh.suffixes import MESH_SUFFIXES
from tests.builders.files import written
from tests.builders.refusals import one_line
from tests.raycore.helpers import corners_m

TRIANGLE_OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
BY_SUFFIX = [  # USD files are read by a process of their own
    pytest.param(suffix, marks=pytest.mark.long) if suffix.startswith(".usd") else suffix
    for suffix in MESH_SUFFIXES
]


def mesh_of(vertices, faces, slot=None, slot_names=("a",)) -> Mesh:
    faces = np.array(faces, dtype=np.uint32).reshape(-1, 3)
    return Mesh(
        name="test",
        vertices_m=np.array(vertices, dtype=np.float32),
        faces=faces,
        slot=np.array([0] * len(faces) if slot is None else slot, dtype=np.uint16),
        materials=tuple(VisualMaterial(name=name) for name in slot_names),
        origin_m=np.zeros(3),
    )


def test_box_is_closed_centred_and_its_normals_point_outwards():
    mesh = box([4.0, 2.0, 1.5])
    np.testing.assert_array_equal([[-2.0, -1.0, -0.75], [2.0, 1.0, 0.75]], mesh.bounds_m)
    a, b, c = np.moveaxis(corners_m(mesh), 1, 0)
    normal = np.cross(b - a, c - a)
    assert (np.einsum("ij,ij->i", normal, a) > 0.0).all()
    # 2 (4*2 + 4*1.5 + 2*1.5) m^2 = 34 m^2; volume by the divergence theorem 4*2*1.5 m^3 = 12 m^3
    assert np.linalg.norm(normal, axis=1).sum() / 2 == pytest.approx(34.0)
    assert np.einsum("ij,ij->", a, normal) / 6 == pytest.approx(12.0)
    assert mesh.slot_names == ("box",)
    assert mesh.name == "box"


def test_plane_is_a_square_in_z_zero_with_normals_up():
    mesh = plane(50.0)
    np.testing.assert_array_equal([[-50.0, -50.0, 0.0], [50.0, 50.0, 0.0]], mesh.bounds_m)
    a, b, c = np.moveaxis(corners_m(mesh), 1, 0)
    np.testing.assert_array_equal([[0, 0, 1e4], [0, 0, 1e4]], np.cross(b - a, c - a))
    assert mesh.slot_names == ("ground",)


@pytest.mark.parametrize("dimension", [[0.0, 1.0, 1.0], [1.0, -1.0, 1.0], [np.nan, 1, 1], [1, 1]])
def test_box_of_an_impossible_dimension_is_refused(dimension):
    with pytest.raises(MeshError, match=r"dimension_m is .*expected 3 positive numbers"):
        box(dimension)


@pytest.mark.parametrize("half_extent", [0.0, -1.0, np.inf, np.nan])
def test_plane_of_an_impossible_extent_is_refused(half_extent):
    with pytest.raises(MeshError, match="expected a positive number"):
        plane(half_extent)


def test_record_refuses_what_would_crash_the_ray_tracer():
    good = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    with pytest.raises(MeshError, match="no faces"):
        mesh_of(good, [])
    with pytest.raises(MeshError, match="vertex 3, expected 0 to 2"):
        mesh_of(good, [0, 1, 3])
    with pytest.raises(MeshError, match="material slot 1, expected 0 to 0"):
        mesh_of(good, [0, 1, 2], slot=[1])
    with pytest.raises(MeshError, match="not finite"):
        mesh_of([[0, 0, 0], [1, 0, 0], [0, np.nan, 0]], [0, 1, 2])


def test_record_is_read_only_and_usable_as_a_key():
    mesh = box([1, 1, 1])
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices_m[0] = 0.0
    assert {mesh: 1}[mesh] == 1
    assert mesh != box([1, 1, 1])


def test_faces_of_chosen_slots_and_all_others_are_a_partition():
    mesh = mesh_of(np.eye(3), [[0, 1, 2]] * 5, slot=[0, 1, 2, 1, 0], slot_names=("a", "b", "c"))
    assert mesh.faces_of({1, 2}).tolist() == [1, 2, 3]
    assert mesh.faces_of({1, 2}, inverse=True).tolist() == [0, 4]
    assert mesh.faces_of([]).tolist() == []
    assert mesh.faces_of([], inverse=True).tolist() == [0, 1, 2, 3, 4]


def test_utm_sized_coordinates_keep_millimetres(tmp_path):
    x, y, z = 500_000.123, 5_600_000.456, 300.789
    path = written(
        tmp_path / "utm.obj",
        f"v {x} {y} {z}\nv {x + 0.001:.3f} {y} {z}\nv {x} {y + 20.002:.3f} {z}\nf 1 2 3\n",
    )
    mesh = load_mesh(path)
    np.testing.assert_allclose(
        [[x, y, z], [x + 0.001, y + 20.002, z]], mesh.bounds_m, rtol=0, atol=1e-6
    )
    assert np.abs(mesh.vertices_m).max() < 10.01  # half of 20 m: the origin is the centre


def test_loading_twice_gives_the_same_bits(tmp_path):
    rng = np.random.default_rng(0)
    rows = [f"v {x} {y} {z}" for x, y, z in rng.normal(size=(50, 3)).tolist()]
    rows += [f"usemtl m{i % 7}\nf {i + 1} {i + 2} {i + 3}" for i in range(48)]
    path = written(tmp_path / "a.obj", "\n".join(rows))
    first, second = load_mesh(path), load_mesh(str(path))
    for name in ("vertices_m", "faces", "slot", "origin_m"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert first.slot_names == second.slot_names == tuple(f"m{i}" for i in range(7))


def test_vertices_without_a_face_do_not_count(tmp_path):
    text = "v nan 0 0\nv 1e6 0 0\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 3 4 5\n"
    mesh = load_mesh(written(tmp_path / "a.obj", text))
    np.testing.assert_array_equal([[0, 0, 0], [1, 1, 0]], mesh.bounds_m)
    assert len(mesh.vertices_m) == 3


def test_zero_area_faces_stay(tmp_path):
    mesh = load_mesh(written(tmp_path / "a.obj", TRIANGLE_OBJ + "f 1 1 2\n"))
    assert mesh.faces.tolist() == [[0, 1, 2], [0, 0, 1]]


@pytest.mark.parametrize("number", ["nan", "inf", "1e999"])
def test_a_vertex_that_is_not_finite_is_named(tmp_path, number):
    path = written(tmp_path / "a.obj", f"v 0 0 0\nv {number} 0 0\nv 0 1 0\nf 1 2 3\n")
    with pytest.raises(MeshError, match=r"a\.obj: vertex 1 is .*expected finite numbers"):
        load_mesh(path)


def test_a_vertex_beyond_single_precision_is_refused(tmp_path):
    path = written(tmp_path / "a.obj", "v 0 0 0\nv 1e60 0 0\nv 0 1 0\nf 1 2 3\n")
    with pytest.raises(MeshError, match=r"expected finite numbers up to 1e\+12"):
        load_mesh(path)


def test_suffix_is_known_in_any_case(tmp_path):
    usual = {".obj", ".gltf", ".glb", ".dae", ".stl", ".ply"}
    assert set(MESH_SUFFIXES) == {*usual, ".usd", ".usda", ".usdc", ".usdz"}
    assert len(load_mesh(written(tmp_path / "A.OBJ", TRIANGLE_OBJ)).faces) == 1
    with pytest.raises(MeshError, match=r"suffix '\.fbx' is not known, expected \.obj \.gltf"):
        load_mesh(tmp_path / "a.fbx")


@pytest.mark.parametrize("suffix", BY_SUFFIX)
@pytest.mark.parametrize(
    "content", [b"\x00\xff\xfe\x80" * 100, b"<html>404</html>", b"\n", b"solid", b"[1, 2]", b"{}"]
)
def test_a_file_of_something_else_gives_one_line(tmp_path, suffix, content):
    path = written(tmp_path / f"a{suffix}", content)
    with one_line(MeshError, match=f"mesh file .*a\\{suffix}: "):
        load_mesh(path)


@pytest.mark.parametrize("suffix", MESH_SUFFIXES)
def test_absent_empty_or_folder_gives_one_line(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    with pytest.raises(MeshError, match="does not exist"):
        load_mesh(path)
    path.touch()
    with pytest.raises(MeshError, match=r"is empty \(0 bytes\), expected "):
        load_mesh(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(MeshError, match="is not a file"):
        load_mesh(path)


def test_odd_paths_give_one_line(tmp_path):
    link = tmp_path / "loop.obj"
    link.symlink_to(link)
    for path in ("a\0b.obj", "x" * 5000 + ".obj", link):
        with pytest.raises(MeshError, match="mesh file"):
            load_mesh(path)


def test_mesh_outside_the_roots_is_refused(tmp_path):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    secret = written(outside / "a.obj", TRIANGLE_OBJ)
    good = written(inside / "a.obj", TRIANGLE_OBJ)
    assert len(load_mesh(good, roots=[outside, str(inside)]).faces) == 1
    (inside / "link.obj").symlink_to(secret)
    for path in (secret, inside / ".." / "outside" / "a.obj", inside / "link.obj"):
        with pytest.raises(MeshError, match="lies outside the allowed folders"):
            load_mesh(path, roots=[inside])
    with pytest.raises(MeshError, match=r"lies outside the allowed folders \(none\)"):
        load_mesh(good, roots=[])
    with pytest.raises(MeshError, match="lies outside"):  # whether it exists is not told
        load_mesh(outside / "absent.obj", roots=[inside])


def test_a_single_string_as_roots_is_a_mistake(tmp_path):
    with pytest.raises(TypeError, match="expected a sequence of folders"):
        load_mesh(written(tmp_path / "a.obj", TRIANGLE_OBJ), roots=str(tmp_path))


def test_mesh_error_is_a_ray_core_error():
    assert issubclass(MeshError, RayCoreError)
