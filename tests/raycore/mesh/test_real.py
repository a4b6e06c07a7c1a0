# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Mesh files made by others. Extents and names are those that the files' sources state."""

import numpy as np
import pytest

from raycore.errors import MeshError
from raycore.mesh.loading import load_mesh
from raycore.mesh.mesh import Mesh
from raycore.mesh.suffixes import MESH_SUFFIXES

# Has no faces, as its name says; and a glTF file whose buffer was not published with it.
UNUSABLE = {"face_in_group_name.obj": "has no faces", "environment_example.gltf": "does not exist"}


@pytest.fixture(scope="module")
def models(real_data):
    return real_data / "models"


def extent_m(mesh: Mesh) -> np.ndarray:
    return mesh.bounds_m[1] - mesh.bounds_m[0]


@pytest.mark.long
def test_every_real_mesh_opens_and_is_sound(models):
    paths = [path for path in sorted(models.rglob("*")) if path.suffix.lower() in MESH_SUFFIXES]
    assert len(paths) > 100
    for path in paths:
        if path.name in UNUSABLE:
            continue
        mesh = load_mesh(path, roots=[models])
        assert (extent_m(mesh) >= 0).all()
        assert mesh.slot_names == tuple(mesh.slot_names[i] for i in np.unique(mesh.slot))
        assert np.abs(mesh.vertices_m).max() <= 0.5 * extent_m(mesh).max() * (1 + 1e-6)


def test_mesh_whose_buffer_is_missing_names_it(models):
    path = models / "openmaterial3d/environment_example/environment_example.gltf"
    with pytest.raises(MeshError, match=r"needs .*/environment_example\.bin, which does not exist"):
        load_mesh(path)


def test_vehicle_example_has_its_21_materials_and_the_dimension_of_its_osi_object(models):
    mesh = load_mesh(models / "openmaterial3d/vehicle_example/vehicle_example.gltf")
    assert len(mesh.slot_names) == 21
    assert {"Glass", "Paint_Red", "Chrome", "Mirror", "License_Plate", "Rubber_Black"} <= set(
        mesh.slot_names
    )
    assert len(mesh.faces) == 50_760
    # Length, height, width: glTF is Y-up. OSI's dimension of it is 3.85 x 1.62 x 1.30 m.
    np.testing.assert_allclose([3.85, 1.30, 1.62], extent_m(mesh), atol=0.006)
    assert mesh.bounds_m[0, 1] == pytest.approx(0.0, abs=0.01)  # stands on the ground


@pytest.mark.parametrize(
    "name",
    ["openmaterial3d/vehicle_example/vehicle_example.gltf", "gazebo/oak_tree/meshes/oak_tree.dae"],
)
def test_loading_a_real_mesh_twice_gives_the_same_bits(models, name):
    first, second = load_mesh(models / name), load_mesh(models / name)
    for column in ("vertices_m", "faces", "slot", "origin_m"):
        np.testing.assert_array_equal(getattr(first, column), getattr(second, column))
    assert first.slot_names == second.slot_names


def test_human_example_is_as_tall_as_stated(models):
    mesh = load_mesh(models / "openmaterial3d/human_example/human_example.gltf")
    assert extent_m(mesh)[1] == pytest.approx(1.78, abs=0.005)
    assert len(mesh.slot_names) == 14
    assert {"Skin", "Shirt", "Pants", "Vest"} <= set(mesh.slot_names)


def test_binary_and_json_form_of_the_milk_truck_agree(models):
    glb = load_mesh(models / "trimesh/CesiumMilkTruck.glb")
    gltf = load_mesh(models / "lichtblick/MilkTruck.glTF")
    assert len(glb.faces) == len(gltf.faces) == 3_624
    assert glb.slot_names == gltf.slot_names == ("truck", "glass", "window_trim", "wheels")
    np.testing.assert_allclose(glb.bounds_m, gltf.bounds_m, atol=1e-5)
    np.testing.assert_allclose([4.87, 2.58, 2.79], extent_m(glb), atol=0.006)


def test_sumo_car_keeps_its_named_materials(models):
    mesh = load_mesh(models / "sumo/car-normal-citrus.obj")
    assert set(mesh.slot_names) == {
        "carmaterial_citrus",
        "windows",
        "tires",
        "metal",
        "lights",
        "lights.red",
        "lights.orange",
    }


def test_prius_keeps_its_materials_in_hundredths_of_a_metre(models):
    mesh = load_mesh(models / "gazebo/prius_hybrid/meshes/Hybrid.obj")
    assert set(mesh.slot_names) == {"Hybrid", "Windows", "Wheels3", "Hybrid_Interior"}
    # Its SDF scales by 0.01: 4.62 m long (along y), 1.54 m high.
    np.testing.assert_allclose([2.01, 4.62, 1.54], 0.01 * extent_m(mesh), atol=0.006)


@pytest.mark.parametrize(
    ("name", "expected_extent_m", "materials"),
    [
        # Inches. A pickup is about 5.7 m long; a Jersey barrier is 0.81 m wide (32 in).
        ("pickup", [2.47, 5.66, 1.87], {"Pickup", "Pickup_Wheels"}),
        ("jersey_barrier", [4.07, 0.81, 1.14], {"Barrier"}),
        ("telephone_pole", [2.12, 0.23, 9.22], {"TelephonePole_Wood", "TelephonePole_Metal"}),
        # Centimetres, and metres.
        ("fire_hydrant", [0.42, 0.42, 0.93], {"Firehydrant"}),
        ("oak_tree", [10.61, 8.49, 6.60], {"Branch_1", "Bark"}),
    ],
)
def test_gazebo_collada_comes_in_metres_with_its_materials(
    models, name, expected_extent_m, materials
):
    mesh = load_mesh(models / f"gazebo/{name}/meshes/{name}.dae")
    np.testing.assert_allclose(expected_extent_m, extent_m(mesh), atol=0.006)
    assert set(mesh.slot_names) == materials


def test_perforated_plates_keep_their_holes(models):
    def area(mesh: Mesh) -> float:
        a, b, c = np.moveaxis(mesh.vertices_m[mesh.faces].astype(np.float64), 1, 0)
        return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)

    wall = load_mesh(
        models / "gazebo/nist_maze_wall_triple_holes_120/meshes/nist_maze_wall_triple_holes_120.dae"
    )
    np.testing.assert_allclose([1.2, 0.01, 1.2], extent_m(wall), atol=1e-5)
    plate = load_mesh(models / "trimesh/plate_holes.STL")
    np.testing.assert_allclose([203.2, 304.8, 12.7], extent_m(plate), atol=1e-3)  # mm: 8 x 12 in
    # Less than the two full sides alone: there are holes in them.
    assert area(wall) < 2 * 1.2 * 1.2
    assert area(plate) < 2 * 203.2 * 304.8 + 2 * 12.7 * (203.2 + 304.8)


def test_negative_indices_and_polygons_of_others_are_read(models):
    cube = load_mesh(models / "trimesh/negative_indices.obj")
    assert len(cube.faces) == 12
    np.testing.assert_array_equal([2.0, 2.0, 2.0], extent_m(cube))
    assert load_mesh(models / "trimesh/polygonfaces.obj").slot_names == ("Material",)
    assert load_mesh(models / "trimesh/obj_with_no_face_in_chunk.obj").slot_names == ("mat-1",)


def test_town_keeps_streets_and_pavements_apart(models):
    mesh = load_mesh(models / "3DCityBB/CityParts/AlphaVille_CenterPart.obj")
    assert len(mesh.slot_names) == 5
    np.testing.assert_allclose([1000.0, 0.3, 1000.0], extent_m(mesh), atol=0.5)
