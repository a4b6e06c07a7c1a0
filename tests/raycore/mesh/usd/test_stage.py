# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Stages are read as OpenUSD composes them, in metres and with z up."""

import numpy as np
import pytest

from raycore.mesh.loading import load_mesh
from tests.builders.extras import needs
from tests.builders.usd import square, write_crate, write_layers, write_stage
from tests.builders.usd import stage as stage_text

pytestmark = needs("pxr")

CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])


def vertices(mesh):
    return mesh.vertices_m.astype(np.float64) + mesh.origin_m


def listed(mesh):
    return list(map(str, mesh.not_followed))


TREE = f"""
def Xform "A" {{
    double3 xformOp:translate = (100, 20, -5)
    float3 xformOp:rotateXYZ = (10, 20, 30)
    float3 xformOp:scale = (2, 0.5, 1.5)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ", "xformOp:scale"]
    def Xform "B" {{
        double3 xformOp:translate:pivot = (1, 2, 3)
        quatf xformOp:orient = (0.5, 0.5, -0.5, 0.5)
        uniform token[] xformOpOrder = ["xformOp:translate:pivot", "xformOp:orient",
            "!invert!xformOp:translate:pivot"]
        {square("First")}
    }}
    def Xform "C" {{
        matrix4d xformOp:transform = ((0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (7, 8, 9, 1))
        uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:transform"]
        {square("Second")}
    }}
}}
"""
UPRIGHT = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])


@pytest.mark.parametrize(("up", "turn"), [("Y", UPRIGHT), ("Z", np.eye(3))])
def test_vertices_lie_where_usd_core_itself_places_them(tmp_path, up, turn):
    from pxr import Usd, UsdGeom

    path = write_stage(tmp_path / "a.usda", TREE, up=up, unit=0.01)
    opened = Usd.Stage.Open(str(path))
    expected = []
    for name in ("/A/B/First", "/A/C/Second"):
        matrix = UsdGeom.XformCache().GetLocalToWorldTransform(opened.GetPrimAtPath(name))
        expected += [matrix.Transform(tuple(corner)) for corner in CORNERS.tolist()]
    mesh = load_mesh(path)
    np.testing.assert_allclose(vertices(mesh), 0.01 * np.array(expected) @ turn.T, atol=1e-7)
    assert listed(mesh) == []


def test_a_stage_in_centimetres_with_y_up_stands_upright_in_metres(tmp_path):
    # A wall in the plane z = 0 of the file, 1 cm wide and high: x stays, and y becomes z.
    path = write_stage(tmp_path / "a.usda", square(), up="Y", unit=0.01)
    np.testing.assert_allclose(vertices(load_mesh(path)), 0.01 * CORNERS[:, [0, 2, 1]], atol=1e-9)


def test_a_stage_without_unit_or_axis_is_taken_with_the_defaults_of_openusd(tmp_path, caplog):
    mesh = load_mesh(write_stage(tmp_path / "a.usda", square(), up=""))
    np.testing.assert_allclose(vertices(mesh), 0.01 * CORNERS[:, [0, 2, 1]], atol=1e-9)
    assert "states no metersPerUnit, and is taken in OpenUSD's default of 0.01 m" in caplog.text
    assert "states no upAxis, and is taken with OpenUSD's default of y up" in caplog.text


def test_a_layer_over_a_file_states_another_unit_and_axis(tmp_path):
    write_stage(tmp_path / "a.usda", square(), up="")
    path = write_stage(tmp_path / "b.usda", "", unit=2, more="    subLayers = [@a.usda@]\n")
    np.testing.assert_allclose(vertices(load_mesh(path)), 2.0 * CORNERS, atol=1e-9)


def test_text_binary_and_package_are_the_same(tmp_path):
    from pxr import Sdf, UsdUtils

    path = write_stage(tmp_path / "a.usda", TREE)
    crate = write_crate(tmp_path / "b.usdc", stage_text(TREE))
    either = write_crate(tmp_path / "c.usd", stage_text(TREE))
    package = tmp_path / "d.usdz"
    assert UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(str(crate)), str(package))
    expected = load_mesh(path)
    for other in (crate, either, package):
        mesh = load_mesh(other)
        np.testing.assert_array_equal(mesh.vertices_m, expected.vertices_m)
        np.testing.assert_array_equal(mesh.faces, expected.faces)
        np.testing.assert_array_equal(mesh.origin_m, expected.origin_m)


def test_sublayers_references_payloads_and_variants_are_composed(tmp_path):
    mesh = load_mesh(write_layers(tmp_path))
    assert sorted(vertices(mesh)[::4, 0].round(6)) == [10.0, 20.0, 50.0]


HIDDEN = f"""
{square("Shown")}
{square("Inactive", head="active = false")}
{square("Invisible", 'token visibility = "invisible"')}
class "Prototype" {{
    {square("Abstract")}
}}
{square("Over").replace("def Mesh", "over Mesh")}
def Xform "Helpers" {{
    uniform token purpose = "guide"
    {square("Guide")}
}}
{square("Proxy", 'uniform token purpose = "proxy"')}
{square("Render", 'uniform token purpose = "render"')}
"""


def test_what_a_renderer_does_not_show_is_left_out(tmp_path):
    mesh = load_mesh(write_stage(tmp_path / "a.usda", HIDDEN))
    assert len(mesh.faces) == 4  # Shown and Render
    assert listed(mesh) == ["purpose guide (/Helpers/Guide)", "purpose proxy (/Proxy)"]


def test_an_animated_stage_is_read_at_its_first_time(tmp_path):
    moved = (
        "double3 xformOp:translate.timeSamples = { 0: (1, 0, 0), 10: (5, 0, 0), 20: (9, 0, 0) }\n"
        'uniform token[] xformOpOrder = ["xformOp:translate"]\n'
        'token visibility.timeSamples = { 0: "invisible", 10: "inherited" }'
    )
    path = write_stage(tmp_path / "a.usda", square(more=moved), more="    startTimeCode = 10\n")
    mesh = load_mesh(path)
    np.testing.assert_allclose(vertices(mesh), CORNERS + (5, 0, 0), atol=1e-6)
    assert listed(mesh) == [
        "animation of visibility (/Square)",
        "animation of a transform (/Square)",
    ]


def test_polygons_follow_orientation_and_holes(tmp_path):
    # The first face is clockwise from above, and a hole; the second becomes counter-clockwise.
    body = """def Mesh "M" {
        int[] faceVertexCounts = [3, 4, 2]
        int[] faceVertexIndices = [0, 1, 2, 0, 3, 2, 1, 0, 1]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
        int[] holeIndices = [0]
        uniform token orientation = "leftHanded"
    }"""
    mesh = load_mesh(write_stage(tmp_path / "a.usda", body))
    assert mesh.faces.tolist() == [[0, 2, 3], [0, 1, 2]]
    assert listed(mesh) == [
        "subdivisionScheme catmullClark: its control mesh is read (/M)",
        "face of fewer than three corners (/M, face 2)",
    ]


# Extents of the built-in shapes along x, y and z, by their documentation.
BUILT_IN = {
    "Cube": ("double size = 3", (3, 3, 3)),
    "Sphere": ("double radius = 2", (4, 4, 4)),
    "Cylinder": ('double radius = 1\ndouble height = 5\nuniform token axis = "X"', (5, 2, 2)),
    "Cylinder_1": ("double radiusTop = 1\ndouble radiusBottom = 2\ndouble height = 5", (4, 4, 5)),
    "Cone": ('double radius = 1\ndouble height = 5\nuniform token axis = "Y"', (2, 5, 2)),
    "Capsule": ('double radius = 1\ndouble height = 5\nuniform token axis = "Z"', (2, 2, 7)),
    "Capsule_1": ("double radiusTop = 1\ndouble radiusBottom = 1\ndouble height = 5", (2, 2, 7)),
}


def test_built_in_shapes_have_the_extent_that_usd_core_computes(tmp_path):
    from pxr import Usd, UsdGeom

    shapes = [*((kind, stated) for kind, (stated, _) in BUILT_IN.items())]
    for axis in "XYZ":
        plane = f'double width = 2\ndouble length = 6\nuniform token axis = "{axis}"'
        shapes.append(("Plane", plane))
    body = "".join(
        f'def {kind} "S{number}" {{\n{stated}\ndouble3 xformOp:translate = ({20 * number}, 0, 0)\n'
        'uniform token[] xformOpOrder = ["xformOp:translate"]\n}\n'
        for number, (kind, stated) in enumerate(shapes)
    )
    path = write_stage(tmp_path / "a.usda", body)
    mesh = load_mesh(path)
    corners = vertices(mesh)
    of_shape = np.rint(corners[:, 0] / 20).astype(int)
    opened = Usd.Stage.Open(str(path))
    for number, (kind, _) in enumerate(shapes):
        prim = UsdGeom.Boundable(opened.GetPrimAtPath(f"/S{number}"))
        extent = UsdGeom.Boundable.ComputeExtentFromPlugins(prim, Usd.TimeCode.Default())
        found = corners[of_shape == number] - (20 * number, 0, 0)
        # The narrow side of 64 corners on a circle lies on the axes, too.
        expected = np.array(extent, np.float64)
        np.testing.assert_allclose([found.min(0), found.max(0)], expected, atol=1e-5, err_msg=kind)
        if kind in BUILT_IN:
            np.testing.assert_allclose(np.ptp(found, axis=0), BUILT_IN[kind][1], atol=1e-5)


def test_an_unknown_type_is_read_as_the_one_that_the_file_falls_back_on(tmp_path):
    more = '    fallbackPrimTypes = {\n        token[] Ball = ["Sphere"]\n    }\n'
    body = 'def Ball "B" {\n    double radius = 2\n}\n'
    mesh = load_mesh(write_stage(tmp_path / "a.usda", body, more=more))
    np.testing.assert_allclose(mesh.bounds_m, [[-2, -2, -2], [2, 2, 2]], atol=1e-6)
    assert listed(mesh) == []


def test_contents_that_are_not_followed_are_listed_once_with_their_first_place(tmp_path):
    body = f"""
    def Camera "Camera" {{
    }}
    def DistantLight "Sun" {{
    }}
    def BasisCurves "Hair" {{
    }}
    def Points "Dust" {{
    }}
    def Xform "A" {{
        {square("M", "color3f[] primvars:displayColor = [(1, 0, 0)]")}
        def Points "More" {{
        }}
    }}
    def Mesh "Empty" {{
    }}
    def Xform "Model" {{
        uniform token model:drawMode = "cards"
    }}
    """
    assert listed(load_mesh(write_stage(tmp_path / "a.usda", body))) == [
        "prim of type Camera (/Camera)",
        "prim of type DistantLight (/Sun)",
        "prim of type BasisCurves (/Hair)",
        "prim of type Points (2 times, first at /Dust)",
        "primvars:displayColor (/A/M)",
        "subdivisionScheme catmullClark: its control mesh is read (/Empty)",
        "Mesh without points or faces (/Empty)",
        "model:drawMode cards (/Model)",
    ]
