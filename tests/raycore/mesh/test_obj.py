# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Wavefront OBJ: each trap of the format in a file of its own."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raycore.errors import MeshError
from raycore.mesh.loading import load_mesh
from raycore.mesh.mesh import Mesh
from raycore.mesh.obj import read_obj
from raycore.mesh.readers import MeshSource
from tests.builders.files import written
from tests.raycore.helpers import corners_m

SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


@pytest.fixture
def load(tmp_path):
    def load_text(text: str | bytes) -> Mesh:
        return load_mesh(written(tmp_path / "a.obj", text))

    return load_text


def materials(mesh: Mesh) -> list[str]:
    return [mesh.slot_names[i] for i in mesh.slot]


def test_materials_are_kept_per_face_in_order_of_first_use(load):
    mesh = load(
        SQUARE + "f 1 2 3\nusemtl b\nf 1 2 3\ng roof\nf 1 3 4\nusemtl a\nusemtl b\nf 1 2 4\n"
        "o other\nusemtl a\nf 2 3 4\nusemtl unused\n"
    )
    assert materials(mesh) == ["", "b", "b", "b", "a"]
    assert mesh.slot_names == ("", "b", "a")
    assert mesh.faces.tolist() == [[0, 1, 2], [0, 1, 2], [0, 2, 3], [0, 1, 3], [1, 2, 3]]


def test_material_names_survive_missing_and_several_libraries(load, tmp_path):
    (tmp_path / "second.mtl").write_text("newmtl glass\nmap_Kd /etc/passwd\n")
    mesh = load(
        "usemtl early\nmtllib first.mtl second.mtl\nmtllib ../../outside.mtl\n"
        + SQUARE
        + "f 1 2 3\nusemtl glass\nf 1 2 3\nusemtl in no library\nf 1 2 3\n"
    )
    assert materials(mesh) == ["early", "glass", "in no library"]


def test_material_names_keep_spaces_hashes_and_their_case(load):
    mesh = load(SQUARE + "usemtl Car Paint  red \nf 1 2 3\nusemtl Material #137\nf 1 2 3\n")
    assert mesh.slot_names == ("Car Paint  red", "Material #137")


def test_material_names_in_utf_8_and_latin_1_are_both_read(load):
    text = SQUARE + "usemtl Bürgersteig\nf 1 2 3\n"
    assert load(text.encode("utf-8-sig")).slot_names == ("Bürgersteig",)
    assert load(text.encode("latin-1")).slot_names == ("Bürgersteig",)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_system_are_read(load, newline):
    mesh = load((SQUARE + "usemtl a\nf 1 2 3 4").replace("\n", newline))
    assert materials(mesh) == ["a", "a"]


def test_tabs_indentation_comments_and_continued_lines_are_read(load):
    mesh = load(
        "# comment\n  v\t0 0 0 # first\nv 1 0 0\n\tv 1 1 0\nv 0 1 0\n\tusemtl\ta\n"
        "\tf\t1/1 2/2 \\\n 3/3 # done\n\nf 1 3 4#x\n"
    )
    assert mesh.faces.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert materials(mesh) == ["a", "a"]


def test_negative_indices_count_back_from_their_own_line(load):
    mesh = load(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf -3//-1 -2//-1 -1//-1"
    )
    assert corners_m(mesh).tolist() == [
        [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
        [[5, 0, 0], [6, 0, 0], [5, 1, 0]],
    ]


def test_polygons_become_fans_beside_triangles_with_texture(load):
    # Six words in both face lines: a hexagon, and a triangle with texture coordinates.
    mesh = load(
        "v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 2 0\nv -1 1 0\n"
        "usemtl hexagon\nf 1 2 3 4 5 6\nusemtl triangle\nf 1/1 2/1 3/1\n"
    )
    assert mesh.faces.tolist() == [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5], [0, 1, 2]]
    assert materials(mesh) == ["hexagon"] * 4 + ["triangle"]


@pytest.mark.parametrize("corner", ["{}", "{}/1", "{}//1", "{}/1/1", "{}/"])
def test_corners_with_texture_or_normal_give_the_same_faces(load, corner):
    face = " ".join(corner.format(i) for i in (1, 2, 3, 4))
    assert load(f"{SQUARE}f {face}\n").faces.tolist() == [[0, 1, 2], [0, 2, 3]]


def test_vertex_colours_and_weights_are_passed_over(load):
    mesh = load("v 0 0 0 1 0 0\nv 1 0 0 0.5\nv 0 1 0\nf 1 2 3\n")
    np.testing.assert_array_equal([[0, 0, 0], [1, 1, 0]], mesh.bounds_m)


def test_lines_points_groups_and_short_faces_are_no_faces(load):
    mesh = load(SQUARE + "g An f Three\ng empty\nl 1 2\np 1\nf 1 2\nusemtl a\ng full\nf 1 2 3\n")
    assert materials(mesh) == ["a"]


def test_exponents_are_read(load):
    mesh = load("v 1e-3 -2.5E+1 +1e2\nv 0 0 0\nv 1 0 0\nf 1 2 3\n")
    np.testing.assert_allclose([[0, -25, 0], [1, 0, 100]], mesh.bounds_m, rtol=1e-6)


@pytest.mark.parametrize("text", ["", "v 0 0 0\n", SQUARE, SQUARE + "f 1 2\n", "f\n"])
def test_a_file_without_faces_is_refused(load, text):
    with pytest.raises(MeshError, match="no faces" if text else "is empty"):
        load(text)


@pytest.mark.parametrize("index", [0, 5, -5, 99999999999999])
def test_a_face_that_refers_to_no_vertex_is_quoted(load, index):
    with pytest.raises(
        MeshError, match=rf"a\.obj: face 2 is '1 2 {index}', expected vertices within 1 to 4"
    ):
        load(f"{SQUARE}f 1 2 3\nf 1 2 {index}\n")


@pytest.mark.parametrize("line", ["v 1 2", "v 1 2 x", "f 1 2 x", "f 1.5 2 3", "v 1,5 2,5 3,5"])
def test_a_malformed_line_gives_one_line(load, line):
    with pytest.raises(MeshError, match=r"mesh file .*a\.obj: "):
        load(f"{SQUARE}f 1 2 3\n{line}\n")


@given(st.data())
def test_any_mix_of_polygons_equals_a_plain_loop(data):
    n_vertex = data.draw(st.integers(3, 12))
    vertices = [[float(i), float(i * i % 7), float(-i)] for i in range(n_vertex)]
    lines, expected, names = [], [], []
    written = 0
    for _ in range(data.draw(st.integers(1, 8))):
        upto = data.draw(st.integers(max(3, written), n_vertex))
        lines += [f"v {x} {y} {z}" for x, y, z in vertices[written:upto]]
        written = upto
        name = data.draw(st.sampled_from(["a", "b c", "d"]))
        polygon = data.draw(st.lists(st.integers(0, written - 1), min_size=3, max_size=6))
        backwards = data.draw(st.booleans())
        indices = [i - written if backwards else i + 1 for i in polygon]
        lines += [f"usemtl {name}", "f " + " ".join(f"{i}/{i}" for i in indices)]
        for k in range(1, len(polygon) - 1):
            expected.append([polygon[0], polygon[k], polygon[k + 1]])
            names.append(name)
    surface = read_obj("\n".join(lines).encode(), MeshSource(path="x.obj", roots=None))
    assert surface.faces.tolist() == expected
    assert [surface.materials[i].name for i in surface.material] == names
    assert surface.vertices.tolist() == vertices[:written]


def calls_of(call):
    """Return how many functions, of Python and of C, run while something is called."""
    counts = dict.fromkeys(("call", "c_call", "return", "c_return", "c_exception"), 0)

    def count(_frame, event, _argument):
        counts[event] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(before)
    return counts["call"] + counts["c_call"]


def of_faces(n):
    rng = np.random.default_rng(0)
    rows = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in rng.normal(size=(n // 2, 3)).tolist()]
    rows += [
        f"f {a}/{a}/{a} {b}/{b}/{b} {c}/{c}/{c}" for a, b, c in rng.integers(1, n // 2, (n, 3))
    ]
    return "\n".join(rows)


def test_twenty_thousand_faces_take_a_few_calls_each(load):
    """However many there are before: 30 000 lines take about 8 calls each, some 0.1 s in all."""
    few, many = of_faces(2000), of_faces(20_000)
    assert len(load(many).faces) == 20_000
    n_calls = calls_of(lambda: load(many))
    assert n_calls < 10 * 30_000
    assert n_calls < 10.5 * calls_of(lambda: load(few))
