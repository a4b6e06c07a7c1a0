# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Instances of prims and points are placed where usd-core places them, and read once."""

import numpy as np
import pytest

from raycore.errors import MeshError
from raycore.mesh.loading import load_mesh
from tests.builders.extras import needs
from tests.builders.refusals import one_line
from tests.builders.usd import POINTS, place, square, write_stage

pytestmark = needs("pxr")

CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])


def vertices(mesh):
    return mesh.vertices_m.astype(np.float64) + mesh.origin_m


def instances(n):
    head = "(\ninstanceable = true\nprepend references = </Proto>\n)"
    copies = "".join(f'def "I{k}" {head} {{\n{place(10 * k)}\n}}\n' for k in range(n))
    return f'class Xform "Proto" {{\n{square("Square")}\n}}\n{copies}'


def test_instanceable_prims_are_placed_each_and_read_once(tmp_path, monkeypatch):
    from raycore.mesh.readers import MeshSource
    from raycore.mesh.usd import pieces
    from raycore.mesh.usd.layers import Layers
    from raycore.mesh.usd.stage import CurrentPrim, read_stage

    path = write_stage(tmp_path / "a.usda", instances(4))
    expected = np.concatenate([CORNERS + (10.0 * k, 0, 0) for k in range(4)])
    np.testing.assert_allclose(vertices(load_mesh(path)), expected, atol=1e-6)

    read = []
    made = pieces.polygons
    monkeypatch.setattr(pieces, "polygons", lambda *a, **b: read.append(1) or made(*a, **b))
    monkeypatch.setattr("raycore.mesh.usd.layers.allow", lambda _: None)  # of this process
    source = MeshSource(path=path, roots=None)
    layers = Layers(source)
    layers.open_all()
    triangles, _ = read_stage(layers, source, CurrentPrim())
    assert len(triangles.faces) == 8
    assert len(read) == 1


def test_a_point_instancer_draws_its_prototypes_at_its_points(tmp_path):
    # Prototype A stands half a unit off its own origin; the second instance is turned by 90 degrees
    # about z, the third one scaled, the fourth one invisible. Prototypes come one after the other.
    turned = np.stack([-CORNERS[:, 1], CORNERS[:, 0], CORNERS[:, 2]], axis=1)
    expected = [
        CORNERS + (101.5, 0, 0),
        (CORNERS + (0.5, 0, 0)) * (2, 3, 1) + (103, 0, 0),
        turned + (102, 0, 0),
    ]
    mesh = load_mesh(write_stage(tmp_path / "a.usda", POINTS))
    # Half-precision quaternions are rounded to 1e-3.
    np.testing.assert_allclose(vertices(mesh), np.concatenate(expected), atol=1e-3)


NESTED = f"""
def PointInstancer "Outer" {{
    rel prototypes = [</Outer/Inner>]
    int[] protoIndices = [0, 0]
    point3f[] positions = [(0, 0, 0), (0, 0, 10)]
    def PointInstancer "Inner" {{
        {place(100)}
        rel prototypes = [</Outer/Inner/Square>]
        int[] protoIndices = [0, 0, 0]
        point3f[] positions = [(1, 0, 0), (2, 0, 0), (3, 0, 0)]
        {square("Square", place(0.25))}
    }}
}}
"""


def test_instancers_within_each_other_multiply(tmp_path):
    mesh = load_mesh(write_stage(tmp_path / "a.usda", NESTED))
    expected = [
        CORNERS + (100.25 + x, 0, z) for z in (0, 10) for x in (1, 2, 3)
    ]  # all of the inner one, place by place of the outer one
    np.testing.assert_allclose(vertices(mesh), np.concatenate(expected), atol=1e-5)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[0, 1, 0, 1]", "[0, 2, 0, 1]", "prim /Trees: protoIndices are 0 to 2, expected 0 to 1"),
        (
            "[0, 1, 0, 1]",
            "[0, 1, 0]",
            "differ in number from the 3 protoIndices, expected one for each",
        ),
        ("</Trees/Kinds/B>]", "</Trees>]", "prim /Trees: has itself as a prototype"),
    ],
)
def test_a_point_instancer_that_makes_no_sense_is_refused(tmp_path, old, new, message):
    path = write_stage(tmp_path / "a.usda", POINTS.replace(old, new))
    with one_line(MeshError, message, start=f"mesh file {path}: prim /Trees: "):
        load_mesh(path)


def test_animated_instances_are_read_at_the_first_time_and_listed(tmp_path):
    once = "positions = [(1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0)]"
    later = once.replace("1, 0", "9, 0").removeprefix("positions = ")
    samples = f"positions.timeSamples = {{ 5: {once.removeprefix('positions = ')}, 6: {later} }}"
    mesh = load_mesh(write_stage(tmp_path / "a.usda", POINTS.replace(once, samples)))
    still = load_mesh(write_stage(tmp_path / "b.usda", POINTS))
    np.testing.assert_array_equal(vertices(mesh), vertices(still))
    assert list(map(str, mesh.not_followed)) == ["animation of instances (/Trees)"]


def test_a_prototype_that_does_not_exist_is_listed(tmp_path):
    path = write_stage(tmp_path / "a.usda", POINTS.replace("Kinds/B>", "Kinds/C>"))
    mesh = load_mesh(path)
    assert len(mesh.faces) == 4
    assert list(map(str, mesh.not_followed)) == ["prototype that does not exist (/Trees)"]


def test_a_file_draws_no_more_than_its_bytes_allow(tmp_path):
    # 1100 squares 1100 times, 11 times, as 4 vertices and 6 corners each: 133 million numbers.
    inner = NESTED.replace("Outer", "Middle")
    zeros = ", ".join(["0"] * 1100)
    points = ", ".join(["(0, 0, 0)"] * 1100)
    inner = inner.replace("[0, 0, 0]", f"[{zeros}]").replace("[0, 0]", f"[{zeros}]")
    inner = inner.replace("[(1, 0, 0), (2, 0, 0), (3, 0, 0)]", f"[{points}]")
    inner = inner.replace("[(0, 0, 0), (0, 0, 10)]", f"[{points}]")
    for k in range(11):
        inner += f'def "I{k}" (\nprepend references = </Middle>\n) {{\n}}\n'
    path = write_stage(tmp_path / "a.usda", inner)
    with one_line(MeshError, "vertices and corners: got ", ", expected at most "):
        load_mesh(path)
