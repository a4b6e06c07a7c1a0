# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What mesh files made by others say of how their materials look, as their text states it."""

from pathlib import Path

import pytest

from raycore.mesh.loading import load_mesh
from raycore.mesh.materials import VisualMaterial
from raycore.mesh.suffixes import MESH_SUFFIXES


@pytest.fixture(scope="module")
def models(real_data):
    return real_data / "models"


def looks_of(path: Path, roots: list[Path]) -> dict[str, VisualMaterial]:
    return {material.name: material for material in load_mesh(path, roots=roots).materials}


@pytest.mark.long
def test_every_real_mesh_states_fractions_and_file_names(models):
    paths = [path for path in sorted(models.rglob("*")) if path.suffix.lower() in MESH_SUFFIXES]
    assert len(paths) > 100
    unusable = {"face_in_group_name.obj", "environment_example.gltf"}
    for path in paths:
        if path.name in unusable:
            continue
        for look in load_mesh(path, roots=[models]).materials:
            numbers = [*(look.base_color or ()), look.opacity]
            numbers += [
                number
                for number in (look.metalness, look.roughness, look.transmission)
                if number is not None
            ]
            assert all(0.0 <= number <= 1.0 for number in numbers)
            assert not {"/", "\\"} & set(look.texture)


def test_vehicle_example_states_the_looks_of_its_21_materials(models):
    looks = looks_of(models / "openmaterial3d/vehicle_example/vehicle_example.gltf", [models])
    assert len(looks) == 21
    assert all(look.base_color and look.metalness is not None for look in looks.values())
    assert looks["Glass"].opacity == pytest.approx(0.04)
    assert looks["Glass"].roughness == 0.0
    assert looks["Paint_Red"].base_color == pytest.approx((0.1646292, 0.0017444, 0.0), abs=1e-6)
    assert looks["Paint_Red"].opacity == 1.0
    assert looks["Chrome"].metalness == looks["Mirror"].metalness == 1.0  # by the default of glTF
    assert looks["Rubber_Black"].metalness == 0.0
    assert looks["License_Plate"].texture == "License_Plate.png"
    assert {name for name, look in looks.items() if look.opacity < 1.0} == {
        name for name in looks if "Lens" in name or name == "Glass"
    }


def test_prius_states_its_textures_and_its_windows(models):
    looks = looks_of(models / "gazebo/prius_hybrid/meshes/Hybrid.obj", [models])
    assert {name: look.texture for name, look in looks.items()} == {
        "Hybrid": "Hybrid.png",
        "Wheels3": "Wheels3.png",
        "Hybrid_Interior": "Hybrid_Interior.png",
        "Windows": "",
    }
    assert looks["Windows"] == VisualMaterial(
        name="Windows", base_color=(0.2627, 0.2627, 0.2627), opacity=0.1
    )


def test_town_tells_streets_from_pavements_by_their_textures(models):
    looks = looks_of(models / "3DCityBB/CityParts/AlphaVille_CenterPart.obj", [models])
    assert {name: look.texture for name, look in looks.items()} == {
        "Material__137": "Street.jpg",
        "Material__138": "Crossing.jpg",
        "Material__139": "Street-X.jpg",
        "Material__170": "pavement1.jpg",
        "Material__195": "Street-T.jpg",
    }


def test_sumo_car_states_colours_only(models):
    looks = looks_of(models / "sumo/car-normal-citrus.obj", [models])
    assert looks["carmaterial_citrus"] == VisualMaterial(
        name="carmaterial_citrus", base_color=(0.705253, 0.515689, 0.026242)
    )
    assert looks["lights.red"].base_color == (0.8, 0.005716, 0.008664)
    assert looks["windows"].opacity == 1.0  # which is what its file says


def test_gazebo_collada_states_its_textures(models):
    looks = looks_of(models / "gazebo/pickup/meshes/pickup.dae", [models])
    assert {name: look.texture for name, look in looks.items()} == {
        "Pickup": "pickup_diffuse.jpg",
        "Pickup_Wheels": "wheels2.jpg",
    }
    assert all(look.opacity == 1.0 for look in looks.values())


def test_milk_truck_names_its_embedded_image_in_one_of_its_forms(models):
    gltf_looks = looks_of(models / "lichtblick/MilkTruck.glTF", [models])
    glb_looks = looks_of(models / "trimesh/CesiumMilkTruck.glb", [models])
    assert gltf_looks["truck"].texture == "CesiumMilkTruck.jpg"
    assert glb_looks["truck"].texture == ""
    assert glb_looks["truck"].base_color is None


def test_loading_twice_states_the_same_looks(models):
    path = models / "gazebo/prius_hybrid/meshes/Hybrid.obj"
    assert load_mesh(path).materials == load_mesh(path, roots=[models]).materials
