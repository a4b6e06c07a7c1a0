# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""MTL libraries: where they are looked for, what is read from them, and that none is an error."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raycore.mesh.loading import load_mesh
from raycore.mesh.materials import VisualMaterial
from raycore.mesh.mesh import Mesh
from raycore.mesh.obj import _mtl_materials
from raycore.mesh.readers import MeshSource
from tests.builders.files import written

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
NOTHING = VisualMaterial(name="m")


def load_obj(folder: Path, *, head: str = "mtllib a.mtl", uses: tuple[str, ...] = ("m",)) -> Mesh:
    body = "".join(f"usemtl {name}\nf 1 2 3\n" for name in uses)
    return load_mesh(written(folder / "a.obj", f"{head}\n{TRIANGLE}{body}"), roots=[folder])


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("Kd 0.1 0.2 0.3", {"base_color": (0.1, 0.2, 0.3)}),
        ("\tkd\t0.1  0.2 0.3 # red", {"base_color": (0.1, 0.2, 0.3)}),
        ("Kd 0.5", {"base_color": (0.5, 0.5, 0.5)}),
        ("Kd 2 -1 0.5", {"base_color": (1.0, 0.0, 0.5)}),
        ("Kd 0.1 nan 0.3", {}),
        ("Kd 0.1 0.2", {}),
        ("Kd spectral red.rfl 1.0", {}),
        ("Kd xyz 0.1 0.2 0.3", {}),
        ("Kd 0.1 0.2 0.3\nKd 0.4 0.5 0.6", {"base_color": (0.1, 0.2, 0.3)}),
        ("Ka 1 1 1\nKs 1 1 1\nNs 900\nNi 1.5", {}),
        ("d 0.25", {"opacity": 0.25}),
        ("d 0.25 # of 1", {"opacity": 0.25}),
        ("d -halo 0.25", {"opacity": 0.25}),
        ("d 7", {}),
        ("d none", {}),
        ("Tr 0.9", {"opacity": 0.1}),
        ("Tr 0.9\nd 0.3", {"opacity": 0.3}),
        ("Tr 0.9\nd inf", {"opacity": 0.1}),
        ("Tr 1.0", {}),  # MeshLab's way to say opaque
        ("Pr 0.3\nPm 1", {"roughness": 0.3, "metalness": 1.0}),
        ("illum 2\nTf 0.1 0.1 0.1", {}),  # 3ds Max
        ("illum 4\nTf 1.00 1.00 1.00\nNi 1.00", {}),  # Maya, of what is opaque
        ("illum 7", {"transmission": 1.0}),
        ("illum 9\nTf 0.1 0.2 0.6", {"transmission": 0.3}),
        ("illum 6\nTf 0.5", {"transmission": 0.5}),
        ("map_Kd a.png", {"texture": "a.png"}),
        ("MAP_KD a.png", {"texture": "a.png"}),
        ("map_Kd ../textures/my wall.jpg", {"texture": "my wall.jpg"}),
        ("map_Kd C:\\textures\\my wall.jpg", {"texture": "my wall.jpg"}),
        ("map_Kd -s 1 1 1 a.png", {"texture": "a.png"}),
        ("map_Kd -s 1 1 1 2.png", {"texture": "2.png"}),
        ("map_Kd -o 0.5 1.png", {"texture": "1.png"}),
        ("map_Kd -t 1e-3 -1 -clamp on -mm 0 1 -blendu off x/a b.png", {"texture": "a b.png"}),
        ("map_Kd -imfchan r -bm 0.3 -type sphere a.png", {"texture": "a.png"}),
        ("map_Kd", {}),
        ("map_Ka a.png\nmap_d a.png\nbump b.png", {}),
        ("newmtl m\nKd 1 0 0", {}),  # the second of the name
        ("newmtl\nKd 1 0 0", {}),
    ],
)
def test_statements_of_mtl(tmp_path, lines, expected):
    written(tmp_path / "a.mtl", f"Kd 1 1 1\nnewmtl m\n{lines}\nnewmtl other\nd 0.5\n")
    (material,) = load_obj(tmp_path).materials
    assert material == VisualMaterial(name="m", **expected)


def test_each_slot_has_the_look_of_its_name(tmp_path):
    written(tmp_path / "a.mtl", "newmtl glass\nd 0.5\nnewmtl Car  paint #1\nKd 1 0 0\n")
    mesh = load_obj(tmp_path, uses=("Car  paint #1", "in no library", "glass", "Glass"))
    assert mesh.materials == (
        VisualMaterial(name="Car  paint #1", base_color=(1.0, 0.0, 0.0)),
        VisualMaterial(name="in no library"),
        VisualMaterial(name="glass", opacity=0.5),
        VisualMaterial(name="Glass"),
    )
    assert mesh.slot_names == tuple(material.name for material in mesh.materials)


def test_names_agree_between_latin_1_and_utf_8(tmp_path):
    written(tmp_path / "a.mtl", "newmtl Bürgersteig\r\nd 0.5\r\n".encode("latin-1"))
    (material,) = load_obj(tmp_path, uses=("Bürgersteig",)).materials
    assert material.opacity == 0.5


@pytest.mark.parametrize(
    "head",
    [
        "mtllib a.mtl b.mtl",
        "mtllib a.mtl\nmtllib b.mtl\nmtllib a.mtl",
        "mtllib absent.mtl a.mtl\tb.mtl",
        "mtllib a.mtl absent.mtl b.mtl",
        "mtllib a.mtl \\\n b.mtl",
    ],
)
def test_several_libraries_are_read_and_the_first_of_a_name_wins(tmp_path, head):
    written(tmp_path / "a.mtl", "newmtl m\nd 0.1\nnewmtl m\nd 0.2\n")
    written(tmp_path / "b.mtl", "newmtl m\nd 0.3\nnewmtl n\nd 0.4\n")
    mesh = load_obj(tmp_path, head=head, uses=("m", "n"))
    assert [material.opacity for material in mesh.materials] == [0.1, 0.4]


@pytest.mark.parametrize(
    "head",
    [
        "mtllib my car.v2.mtl",
        "mtllib ./my car.v2.mtl",
        "mtllib absent.mtl my car.v2.mtl",
        "mtllib lost folder/my car.v2.mtl",
        "mtllib /another/computer/my car.v2.mtl",
        "mtllib C:\\another computer\\my car.v2.mtl",
        'mtllib "my car.v2.mtl"',
    ],
)
def test_a_library_is_found_beside_the_file_by_a_name_with_blanks(tmp_path, head):
    written(tmp_path / "my car.v2.mtl", "newmtl m\nd 0.5\n")
    (material,) = load_obj(tmp_path, head=head).materials
    assert material.opacity == 0.5


@pytest.mark.parametrize(
    "name", ["100%25.mtl", "a", "looks.txt", "sub/a.mtl", "sub\\a.mtl", "file:a.mtl"]
)
def test_a_library_may_have_any_name(tmp_path, name):
    written(tmp_path / name.replace("\\", "/"), "newmtl m\nd 0.5\n")
    assert load_obj(tmp_path, head=f"mtllib {name}").materials[0].opacity == 0.5
    assert load_obj(tmp_path, head=f"mtllib absent {name}").materials[0].opacity == 0.5


@pytest.mark.parametrize("name", ["../outside.mtl", "link.mtl", "{outside}"])
def test_libraries_outside_the_roots_are_not_read(tmp_path, name):
    inside = tmp_path / "inside"
    inside.mkdir()
    outside = written(tmp_path / "outside.mtl", "newmtl m\nd 0.5\n")
    (inside / "link.mtl").symlink_to(outside)
    head = f"mtllib {name.format(outside=outside)}"
    assert load_obj(inside, head=head).materials == (NOTHING,)
    assert load_mesh(inside / "a.obj").materials[0].opacity == 0.5  # anything may be read


@pytest.mark.parametrize(
    "content", [b"", b"\x00\xff\xfe\x80" * 100, b"<html>404</html>", b"newmtl", b"newmtl m\nd"]
)
def test_a_broken_library_is_no_error(tmp_path, content):
    written(tmp_path / "a.mtl", content)
    assert load_obj(tmp_path).materials == (NOTHING,)


@pytest.mark.parametrize(
    "name", ["absent.mtl", "folder", "loop.mtl", "a\0b.mtl", "x" * 5000, "", ".", "http://a/b.mtl"]
)
def test_a_library_that_is_not_there_is_no_error(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop.mtl").symlink_to(tmp_path / "loop.mtl")
    mesh = load_obj(tmp_path, head=f"mtllib {name}")
    assert mesh.materials == (NOTHING,)
    assert len(mesh.faces) == 1


@given(st.binary() | st.lists(st.sampled_from(
    ["newmtl ", "Kd ", "d ", "Tr ", "Tf ", "illum 7", "map_Kd ", "-s ", "1 ", "x ", "\n", "\\\n"]
)).map(lambda words: "".join(words).encode()))  # fmt: skip
def test_no_text_breaks_the_reader_of_mtl(data):
    source = MeshSource(path=Path("a.obj"), roots=None)
    for material in _mtl_materials(data, "a.mtl", source):
        assert 0.0 <= material.opacity <= 1.0
