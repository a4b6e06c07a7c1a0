# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of vertices that the files of all formats share."""

import pytest

from raycore.errors import MeshError
from raycore.mesh.loading import load_mesh
from tests.builders.files import written
from tests.builders.refusals import one_line


def test_of_bad_vertices_the_first_is_told_as_the_file_counts_and_how_many_there_are(tmp_path):
    """Vertex 1 is in no face, and does not count."""
    text = "v 0 0 0\nv nan 5 6\nv 1e13 2 3\nv 0 1 0\nv 0 nan 0\nf 1 3 4\nf 1 4 5\n"
    words = (
        "a.obj: vertex 2 is [10000000000000.0, 2.0, 3.0], expected finite numbers up to 1e+12 "
        "(2 such vertices)"
    )
    with one_line(MeshError, words):
        load_mesh(written(tmp_path / "a.obj", text))


@pytest.mark.parametrize("axis", ["{} 0 0", "0 {} 0", "0 0 {}"])
def test_a_mesh_may_be_a_million_kilometres_across_and_no_larger(tmp_path, axis):
    text = f"v 1 1 1\nv 2 1 1\nv {axis}\nf 1 2 3\n"
    mesh = load_mesh(written(tmp_path / "a.obj", text.format("1e9")))
    assert mesh.bounds_m.max() == pytest.approx(1e9)
    with one_line(MeshError, "a.obj: is 1.1e+09 across, expected at most 1e+09"):
        load_mesh(written(tmp_path / "a.obj", text.format("1.1e9")))
