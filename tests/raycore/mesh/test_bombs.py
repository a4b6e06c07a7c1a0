# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OBJ files of many small words and materials end in one line, before these are kept."""

import pytest

from lidar_base.unfollowed import Unfollowed
from raycore.errors import MeshError
from raycore.mesh.drawn import check_collada, check_gltf_pieces
from raycore.mesh.loading import load_mesh
from tests.builders.bombs import memory_bound

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


@pytest.mark.parametrize(
    "more",
    [
        "f 1 2 3\n" * 1_000_000,
        "f " + "1 2 3 " * 1_000_000,
        "\n" * 4_000_000,
        "f" + "\t1" * 3_000_000,
    ],
    ids=["faces", "a fan", "empty lines", "tabs"],
)
def test_an_obj_file_has_words_in_proportion_to_its_bytes(tmp_path, more):
    path = tmp_path / "a.obj"
    path.write_text(TRIANGLE + more)
    problem = "blanks and line ends: got [0-9]+, expected at most [0-9]+$"
    with memory_bound(60), pytest.raises(MeshError, match=problem):
        load_mesh(path)


def test_libraries_of_materials_are_bounded_together(tmp_path):
    (tmp_path / "a.mtl").write_text("newmtl a\nKd 1 1 1\n" * 500_000)
    path = tmp_path / "a.obj"
    path.write_text(f"mtllib a.mtl\nmtllib ./a.mtl\n{TRIANGLE}")
    problem = "bytes of material libraries so far: got [0-9]+, expected at most 8388608$"
    with pytest.raises(MeshError, match=problem):
        load_mesh(path)


def test_a_gltf_file_is_drawn_as_often_as_its_bytes_allow():
    header = {"nodes": [{"mesh": 0}] * 500, "meshes": [{"primitives": [{}] * 500}]}
    with pytest.raises(MeshError, match="uses of primitives: got 250000, expected at most"):
        check_gltf_pieces(header, 1000, "a.gltf")


# 2^30 uses of a kilobyte, and 100 uses of a megabyte
@pytest.mark.parametrize(("n_twice", "n_last", "n_number"), [(30, 1, 1000), (0, 100, 500_000)])
def test_a_collada_file_is_drawn_as_often_as_its_bytes_allow(tmp_path, n_twice, n_last, n_number):
    geometry = '<geometry id="g">' + "0 " * n_number + "</geometry>"
    twice = "".join(
        f'<node id="n{i}">' + f'<instance_node url="#n{i + 1}"/>' * 2 + "</node>"
        for i in range(n_twice)
    )
    uses = '<instance_geometry url="#g"/>' * n_last
    text = f'<COLLADA>{geometry}{twice}<node id="n{n_twice}">{uses}</node></COLLADA>'
    with pytest.raises(MeshError, match=r"got \d+, expected at most \d+"):
        check_collada(text.encode(), tmp_path / "a.dae", Unfollowed())


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (b"element e 0\nproperty float x\n" * 10_000, "lines of its header: got 20001"),
        (b"comment " + bytes(2**20), "its header has no line end_header within 1048576 bytes"),
    ],
)
def test_the_header_of_a_ply_file_is_bounded(tmp_path, more, problem):
    path = tmp_path / "a.ply"
    path.write_bytes(b"ply\n" + more + b"end_header\n")
    with pytest.raises(MeshError, match=problem):
        load_mesh(path)
