# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Shapes that a large stage draws often are kept once, where the triangles written out would be."""

import numpy as np
import pytest

from raycore.errors import MeshError
from raycore.mesh.cache import MeshCache
from raycore.mesh.loading import load_copies, load_mesh
from tests.builders.extras import needs
from tests.builders.files import written
from tests.builders.refusals import one_line
from tests.builders.usd import MATERIALS, POINTS, place, square, stage, write_stage

pytestmark = needs("pxr")

N_OF_SPHERE = 3968  # triangles: 64 quads in each of 30 rings, and 64 triangles at each end
N_INSTANCE = 320  # 1.3 million triangles
WHITE = "rel material:binding = </Looks/Paint>"


def spheres(n, *, unit=1, up="Z"):
    """Return a stage of a point instancer that draws spheres of a radius of 0.5 in a row."""
    places = ", ".join(f"({3 * k}, 0, 0)" for k in range(n))
    return stage(
        f"""
def PointInstancer "Trees" {{
    rel prototypes = [</Trees/Ball>]
    int[] protoIndices = [{", ".join(["0"] * n)}]
    point3f[] positions = [{places}]
    def Sphere "Ball" {{
        double radius = 0.5
    }}
}}
""",
        unit=unit,
        up=up,
    )


def read_here(path, monkeypatch, *, written_out):
    """Return the triangles of a stage, read in this process, with all or no instances kept once."""
    from raycore.mesh.readers import MeshSource
    from raycore.mesh.usd import joining
    from raycore.mesh.usd.layers import Layers
    from raycore.mesh.usd.stage import CurrentPrim, read_stage

    monkeypatch.setattr("raycore.mesh.usd.layers.allow", lambda _: None)  # of this process
    monkeypatch.setattr(joining, "MOST_USD_WRITTEN_OUT", 10**9 if written_out else 0)
    monkeypatch.setattr(joining, "USD_INSTANCE", 0)
    source = MeshSource(path=path, roots=None)
    layers = Layers(source)
    layers.open_all()
    return read_stage(layers, source, CurrentPrim())[0]


def placed(triangles):
    """Return the corners of all triangles, (n, 3, 3), and their materials, group by group."""
    faces = np.split(triangles.faces, np.cumsum(triangles.n_face)[:-1])
    material = np.split(triangles.material, np.cumsum(triangles.n_face)[:-1])
    places = np.split(triangles.places, np.cumsum(triangles.n_place)[:-1])
    corners = [
        triangles.vertices[of] @ each[:3, :3].T + each[:3, 3]
        for of, where in zip(faces, places, strict=True)
        for each in where
    ]
    of_place = [np.tile(m, len(w)) for m, w in zip(material, places, strict=True)]
    return np.concatenate(corners), np.concatenate(of_place)


def of_one_file(n):
    """Return prims that refer to one square each, and are no instances."""
    proto = f'class Xform "Proto" {{\n{square("Square")}\n}}\n'
    head = "(\nprepend references = </Proto>\n)"
    return proto + "".join(f'def "I{k}" {head} {{\n{place(10 * k)}\n}}\n' for k in range(n))


def bound_by_place():
    """Return four instances of a square, of which every other one has a material of its own."""
    head = "(\ninstanceable = true\nprepend references = </Proto>\n)"
    proto = f'class Xform "Proto" {{\n{square("Square")}\n}}\n'
    copies = "".join(
        f'def Xform "I{k}" {head} {{\n{place(10 * k)}\n{WHITE if k % 2 else ""}\n}}\n'
        for k in range(4)
    )
    return f"{MATERIALS}{proto}{copies}"


@pytest.mark.parametrize(
    ("body", "n_place"),
    [
        (POINTS, [3]),  # of two prototypes that are equal
        (POINTS.replace("(2, 3, 1)", "(-2, 3, 1)"), [3]),
        (POINTS + square("Alone", 'uniform token orientation = "leftHanded"'), [1, 3]),
        (of_one_file(3), [3]),
    ],
)
@pytest.mark.parametrize("head", [{"unit": 1, "up": "Z"}, {"unit": 0.01, "up": "Y"}])
def test_copies_are_where_triangles_are_written_out(tmp_path, monkeypatch, body, n_place, head):
    path = written(tmp_path / "a.usda", stage(body, **head))
    whole = read_here(path, monkeypatch, written_out=True)
    copies = read_here(path, monkeypatch, written_out=False)
    assert len(whole.n_face) == 1
    assert copies.n_place.tolist() == n_place
    expected, got = placed(whole)[0], placed(copies)[0]
    assert got.shape == expected.shape
    np.testing.assert_allclose(
        _in_order(got), _in_order(expected), atol=1e-12 * np.abs(expected).max()
    )


def _in_order(corners):
    flat = corners.reshape(len(corners), 9)
    return flat[np.lexsort(np.round(flat, 5).T)]


@pytest.mark.parametrize("scales", ["(0, 1, 1)", "(1, 1, 40)", "(1e7, 1e7, 1e7)"])
def test_instances_that_single_precision_cannot_invert_are_written_out(
    tmp_path, monkeypatch, scales
):
    body = POINTS.replace("[0, 1, 0, 1]", "[0, 0, 0, 0]").replace("(2, 3, 1)", scales)
    path = write_stage(tmp_path / "a.usda", body)
    copies = read_here(path, monkeypatch, written_out=False)
    assert copies.n_place.tolist() == [1, 2]  # three are visible
    expected = placed(read_here(path, monkeypatch, written_out=True))[0]
    got = placed(copies)[0]
    limit = 1e-12 * np.abs(expected).max()
    np.testing.assert_allclose(_in_order(got), _in_order(expected), atol=limit)


def test_instances_with_other_materials_are_kept_apart(tmp_path, monkeypatch):
    path = write_stage(tmp_path / "a.usda", bound_by_place())
    corners, material = placed(read_here(path, monkeypatch, written_out=True))
    got, of_got = placed(read_here(path, monkeypatch, written_out=False))
    assert len(set(material.tolist())) == 2
    first_x = corners[:, :, 0].min(axis=1)
    for number in set(material.tolist()):
        np.testing.assert_allclose(
            np.sort(got[of_got == number][:, :, 0].min(axis=1)),
            np.sort(first_x[material == number]),
        )


def test_a_large_stage_keeps_a_shape_once_and_a_small_one_is_written_out(tmp_path):
    (small,) = load_copies(written(tmp_path / "small.usda", spheres(3)))
    assert small.stands_as_it_is
    assert small.n_triangles == 3 * N_OF_SPHERE

    path = written(tmp_path / "large.usda", spheres(N_INSTANCE))
    (large,) = load_copies(path)
    assert len(large.mesh.faces) == N_OF_SPHERE
    expected = np.tile(np.eye(4), (N_INSTANCE, 1, 1))
    expected[:, 0, 3] = 3.0 * np.arange(N_INSTANCE)
    np.testing.assert_array_equal(large.places, expected)

    whole = load_mesh(path)
    assert len(whole.faces) == N_INSTANCE * N_OF_SPHERE
    np.testing.assert_allclose(
        whole.bounds_m, [[-0.5, -0.5, -0.5], [3 * N_INSTANCE - 2.5, 0.5, 0.5]], atol=1e-4
    )


def test_the_cache_gives_the_same_copies(tmp_path):
    path = written(tmp_path / "a.usda", spheres(N_INSTANCE) + "#" * 2**16)
    cache = MeshCache(tmp_path / "cache")
    (read,) = load_copies(path, cache=cache)
    assert len(cache.entries()) == 1
    (found,) = load_copies(path, cache=cache)
    np.testing.assert_array_equal(found.places, read.places)
    np.testing.assert_array_equal(found.mesh.vertices_m, read.mesh.vertices_m)
    np.testing.assert_array_equal(found.mesh.faces, read.mesh.faces)


def test_more_than_may_be_written_out_is_refused_for_an_object(tmp_path):
    path = written(tmp_path / "a.usda", spheres(3000))  # 42 million vertices and corners
    with one_line(
        MeshError,
        "vertices and corners of all instances: got ",
        "use the file in scene.environment",
        start=f"mesh file {path}: ",
    ):
        load_mesh(path)
    (copies,) = load_copies(path)
    assert copies.n_triangles == 3000 * N_OF_SPHERE
