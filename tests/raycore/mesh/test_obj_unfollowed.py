# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The list of what OBJ and MTL files hold and their reader does not follow."""

from raycore.mesh.loading import load_mesh
from tests.builders.files import written

SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
FACE = "f 1 2 3 4\n"


def listed(tmp_path, text, library=None):
    if library is not None:
        written(tmp_path / "a.mtl", library)
        text = f"mtllib a.mtl\n{text}"
    return list(map(str, load_mesh(written(tmp_path / "a.obj", text)).not_followed))


def test_each_unknown_statement_is_listed_once_with_its_line_and_count(tmp_path):
    lines = "l 1 \\\n 2\nl 2 3\np 1\ncurv 0 1 1 2\nsurf 0 1 0 1 1 2 3 4\n"
    assert listed(tmp_path, f"{SQUARE}{lines}{FACE}call b.obj\nXY\n") == [
        "statement l (2 times, first at line 5)",
        "statement p (line 8)",
        "statement curv (line 9)",
        "statement surf (line 10)",
        "statement call (line 12)",
        "statement XY (line 13)",
    ]


def test_statements_that_say_nothing_of_a_surface_are_passed_over(tmp_path):
    text = "# l 1 2\n#l\n\ng a\no b\ns off\nvn 0 0 1\nvt 0 0\nvp 1 2\ncstype bspline\ndeg 3\nend\n"
    assert listed(tmp_path, f"{SQUARE}{text}{FACE}") == []


def test_further_numbers_of_vertices_are_listed(tmp_path):
    text = "v 0 0 0 # origin\nv 1 0 0 1.0\nv 1 1 0 0.5 0.5 0.5\nf 1 2 3\n"
    assert listed(tmp_path, text) == [
        "further numbers of v, weights or colours (2 times, first at vertex 2)"
    ]


def test_old_faces_are_faces(tmp_path):
    assert len(load_mesh(written(tmp_path / "a.obj", f"{SQUARE}fo 1 2 3 4\n")).faces) == 2


def test_each_unknown_key_of_a_material_is_listed_once_with_its_line_and_count(tmp_path):
    library = (
        "newmtl A\nKd 1 1 1\nNs 10\nmap_d leaf.png\nmap_Kd -s 2 2 wall.png\nrefl -type sphere x\n"
        "disp x.png\nNi 1.5\nnewmtl B\nKd spectral b.rfl\nd -halo 0.5\nmap_d leaf.png\nXY 3\n"
    )
    assert listed(tmp_path, SQUARE + FACE, library) == [
        "map_d of a material (2 times, first at line 4 of a.mtl)",
        "-s of map_Kd of a material (line 5 of a.mtl)",
        "refl of a material (line 6 of a.mtl)",
        "disp of a material (line 7 of a.mtl)",
        "Ni of a material (line 8 of a.mtl)",
        "spectral of Kd of a material (line 10 of a.mtl)",
        "-halo of d of a material (line 11 of a.mtl)",
        "XY of a material (line 13 of a.mtl)",
    ]


def test_keys_of_visible_light_are_passed_over(tmp_path):
    library = "# a\nnewmtl A\nKa 1 1 1\nKs 1 1 1\nKe 0 0 0\nNs 3\nillum 2\nTf 1 1 1\nPm 0\nPr 1\n"
    assert listed(tmp_path, SQUARE + FACE, library) == []
