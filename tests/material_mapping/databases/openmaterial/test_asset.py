# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OpenMATERIAL 3D: assets, mapping tables and materials."""

import numpy as np
import pytest

from material_mapping.databases.openmaterial.asset import read_asset, read_mapping, read_material
from tests.material_mapping.databases.openmaterial.helpers import (
    WAVELENGTH_M,
    brdf,
    in_plane,
    message,
    optical,
)

# Mapping tables


def test_rules_come_in_the_order_of_the_file(write, tmp_path):
    for name in ("steel.xomp", "materials/wood.xomp"):
        write(name, {"materialProperties": {}})
    path = write(
        "x.xomm",
        {
            "materialMapping": [
                ["Paint", "steel.xomp", "red paint"],
                ["RGB:010;0;255", "./materials/wood.xomp", ""],
                ["Window", "materials\\wood.xomp", ""],
            ]
        },
    )
    table = read_mapping(path, [tmp_path])
    assert [rule.key for rule in table.rules] == ["Paint", "rgb:10;0;255", "Window"]
    wood = tmp_path / "materials" / "wood.xomp"
    assert [rule.file for rule in table.rules] == [tmp_path / "steel.xomp", wood, wood]
    assert table.rules[0].comment == "red paint"
    assert table.find("Paint") is table.rules[0]
    assert table.find("paint") is None
    assert table.metadata.copyrights == "(C) A; (C) B"


def test_file_of_that_name_beside_the_table_is_taken_where_the_path_leads_nowhere(write, tmp_path):
    beside = write("wood.xomp", {"materialProperties": {}})
    path = write("x.xomm", {"materialMapping": [["Wood", "./materials/wood.xomp", ""]]})
    assert read_mapping(path, [tmp_path]).rules[0].file == beside
    written = write("materials/wood.xomp", {"materialProperties": {}})
    assert read_mapping(path, [tmp_path]).rules[0].file == written


@pytest.mark.parametrize(
    ("uri", "problem"),
    [
        ("absent.xomp", "no such file: 'absent.xomp'"),
        ("../secret.xomp", "'../secret.xomp' leaves the folders that may be read; it is not"),
        ("a/../../secret.xomp", "leaves the folders"),
        ("..\\secret.xomp", "leaves the folders"),
        ("/etc/secret.xomp", "'/etc/secret.xomp' leaves the folders"),
        ("link.xomp", "'link.xomp' leaves the folders"),
        ("wood.txt", "got 'wood.txt', expected the path of a .xomp file"),
        ("", "got '', expected the path of a .xomp file"),
        ("nul\0.xomp", "expected the path of a .xomp file"),
        ("x" * 300 + ".xomp", "expected the path of a .xomp file"),
    ],
    ids=["absent", "up", "down and up", "backslash", "absolute", "link", "suffix", "empty", "nul",
         "long"],
)  # fmt: skip
def test_rule_that_leads_nowhere_says_why_and_the_others_hold(write, tmp_path, uri, problem):
    write("secret.xomp", {"materialProperties": {}})
    good = write("db/wood.xomp", {"materialProperties": {}})
    (tmp_path / "db" / "link.xomp").symlink_to(tmp_path / "secret.xomp")
    path = write("db/x.xomm", {"materialMapping": [["A", uri, ""], ["B", "wood.xomp", ""]]})
    first, second = read_mapping(path, [tmp_path / "db"]).rules
    assert first.file is None
    assert first.problem.startswith(f"{path}: line 4: ")
    assert problem in first.problem
    assert (second.file, second.problem) == (good, "")


def test_absolute_path_inside_the_folders_is_taken(write, tmp_path):
    wood = write("materials/wood.xomp", {"materialProperties": {}})
    path = write("x.xomm", {"materialMapping": [["Wood", str(wood), ""]]})
    assert read_mapping(path, [tmp_path]).rules[0].file == wood
    assert read_mapping(path, []).rules[0].file is None


def test_second_rule_with_a_key_does_not_count_and_is_told(write, tmp_path):
    first = write("a.xomp", {"materialProperties": {}})
    rows = [["rgb:1;2;3", "a.xomp", ""], ["rgb:01;2;3", "b.xomp", ""]]
    path = write("x.xomm", {"materialMapping": rows})
    table = read_mapping(path, [tmp_path])
    assert [rule.file for rule in table.rules] == [first]
    assert table.remarks == (
        f"{path}: line 5: 'rgb:1;2;3' is mapped a second time, the first row is used",
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({}, "line 1: materialMapping is missing, expected a list"),
        ({"materialMapping": {}}, "line 3: materialMapping: got {}, expected a list"),
        ({"materialMapping": [["A", "a.xomp"]]}, "line 4: materialMapping.0: got ['A', 'a.xomp']"),
        ({"materialMapping": [["A", "a.xomp", 1]]}, "expected [material name or rgb:<R>;<G>;<B>"),
        ({"materialMapping": ["A"]}, "line 3: materialMapping.0: got 'A', expected [material"),
        ({"materialMapping": [["rgb:0;0;256", "a.xomp", ""]]}, "expected rgb:<R>;<G>;<B>, each 0"),
        ({"materialMapping": [["rgb:1;2", "a.xomp", ""]]}, "got 'rgb:1;2', expected rgb:<R>;<G>;"),
        ({"materialMapping": [[" ", "a.xomp", ""]]}, "got an empty name, expected the name of"),
        ({"materialMapping": [["A", "y.xomm", ""]]}, "line 4: leads to a mapping table, expected"),
        (
            {"materialMapping": [], "materialMappingUri": "x.xomm"},
            "mapping tables cannot be chained",
        ),
    ],
    ids=str,
)
def test_bad_mapping_table_is_one_line(write, tmp_path, content, problem):
    assert problem in message(write("x.xomm", content), read_mapping, [tmp_path])


def test_mapping_table_that_leads_to_itself_ends_at_once(write, tmp_path):
    path = write("x.xomm", {"materialMapping": [["A", "x.xomm", ""]]})
    assert message(path, read_mapping, [tmp_path]) == (
        "line 4: leads to a mapping table, expected .xomp files: mapping tables cannot be chained"
    )


def test_empty_mapping_table_is_told(write, tmp_path):
    path = write("x.xomm", {"materialMapping": []})
    assert read_mapping(path, [tmp_path]).remarks == (f"{path}: the mapping table is empty",)


# Assets


def test_asset_names_its_mapping_replacements_and_textures(write, tmp_path):
    mapping = write("shared.xomm", {"materialMapping": []})
    path = write(
        "cars/car.xoma",
        {
            "materialMappingUri": "../shared.xomm",
            "materialReplacements": [["Body", "rgb:255;00;0"], ["Body", "Wood"], ["Wheel", "Tyre"]],
            "materialTextureAssignment": [["Sign", "sign.png"]],
            "externalAssetReferences": [{"referenceNode": "A", "externalAssetUri": "b.xoma"}],
        },
    )
    asset = read_asset(path, [tmp_path])
    assert asset.mapping == mapping
    assert [asset.key(name) for name in ("Body", "Wheel", "Door")] == [
        "rgb:255;0;0",
        "Tyre",
        "Door",
    ]
    assert asset.textures == (("Sign", "sign.png"),)
    texture, others = asset.remarks
    assert "texture 'sign.png' is not opened, 'Sign' is looked up as a whole" in texture
    assert "refers to 1 other assets, which are not read" in others


def test_asset_without_a_mapping_has_none(write):
    asset = read_asset(write("car.xoma", {}), [])
    assert (asset.mapping, asset.replacements, asset.textures, asset.remarks) == (None, (), (), ())


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"materialMappingUri": "absent.xomm"}, "line 3: no such file: 'absent.xomm'"),
        ({"materialMappingUri": "../x.xomm"}, "'../x.xomm' leaves the folders that may be read"),
        ({"materialMappingUri": "/home/a/x.xomm"}, "leaves the folders that may be read"),
        ({"materialMappingUri": "car.xoma"}, "expected the path of a .xomm file"),
        ({"materialMappingUri": 3}, "materialMappingUri: got 3.0, expected a text"),
        ({"materialReplacements": [["A"]]}, "line 4: materialReplacements.0: got ['A'], expected"),
        ({"materialReplacements": [["A", "rgb:0;0"]]}, "got 'rgb:0;0', expected rgb:<R>;<G>;<B>"),
        ({"materialTextureAssignment": {}}, "materialTextureAssignment: got {}, expected a list"),
    ],
    ids=str,
)
def test_bad_asset_is_one_line(write, tmp_path, content, problem):
    assert problem in message(write("car.xoma", content), read_asset, [tmp_path])


# Materials


def test_material_carries_its_tables_their_sources_and_its_roughness(write, tmp_path):
    write("luts/a_brdf.xompt", brdf(in_plane({0: 0.1, 80: 0.1})), sources="goniometer")
    write("luts/b_optical.xompt", optical([[WAVELENGTH_M, 300, 1.5, 0]]), sources="a book")
    properties = {
        "brdfUris": ["./luts/a_brdf.xompt"],
        "opticalPropertiesUri": "luts/b_optical.xompt",
        "electromagneticPropertiesUri": "absent_emp.xompt",
        "surfaceRoughness": {
            "surfaceHeightRms": 1e-6,
            "surfaceCorrelationLength": 2e-6,
            "sources": "estimate",
        },
    }
    path = write("grey card.xomp", {"materialProperties": properties})
    material = read_material(path, [tmp_path])
    assert (material.name, material.metadata.name) == ("grey card", "Grey card")
    assert material.metadata.licence == "MPL-2.0"
    assert material.metadata.sources == "goniometer; a book"
    assert [table.wavelengths_nm for table in material.brdf_tables] == [(905.0,)]
    index = material.refractive_index
    assert (index.wavelengths_nm.tolist(), index.n.tolist()) == ([905.0], [1.5])
    assert material.roughness.height_rms_m == 1e-6
    assert material.remarks == ()


def test_table_that_cannot_be_used_is_left_out_and_told_and_the_others_hold(write, tmp_path):
    write("good_brdf.xompt", brdf(in_plane({0: 0.1, 80: 0.1})))
    bad = write("bad_brdf.xompt", brdf([[1]]))
    properties = {
        "brdfUris": ["bad_brdf.xompt", "../../good_brdf.xompt", "good_brdf.xompt"],
        "opticalPropertiesUri": "absent_optical.xompt",
    }
    path = write("x.xomp", {"materialProperties": properties})
    material = read_material(path, [tmp_path])
    assert len(material.brdf_tables) == 1
    assert material.refractive_index is None
    first, second, third = material.remarks
    assert first.startswith(f"{bad}: line 4: got [1.0], expected 5 numbers")
    assert second.startswith(f"{path}: line 3: '../../good_brdf.xompt' leaves the folders")
    assert third.startswith(f"{path}: line 3: no such file: 'absent_optical.xompt'")
    assert all(remark.endswith("; this look-up table is left out") for remark in material.remarks)


def test_material_without_optical_data_is_told(write):
    path = write("x.xomp", {"materialProperties": {}})
    material = read_material(path, [])
    assert (material.brdf_tables, material.refractive_index, material.roughness) == ((), None, None)
    assert material.remarks == (
        f"{path}: no BRDF table and no index of refraction could be read from it",
    )


@pytest.mark.parametrize(
    ("properties", "problem"),
    [
        (None, "materialProperties is missing, expected a table of keys"),
        ({"brdfUris": [1]}, "materialProperties.brdfUris: got 1.0, expected a text, or a list"),
        ({"surfaceRoughness": {}}, "surfaceRoughness.surfaceHeightRms is missing, expected a numb"),
        (
            {"surfaceRoughness": {"surfaceHeightRms": -1}},
            "got -1.0, expected a number of 0 or more",
        ),
        (
            {"surfaceRoughness": {"surfaceHeightRms": "a"}},
            "got 'a', expected a number of 0 or more",
        ),
    ],
    ids=str,
)
def test_bad_material_is_one_line(write, properties, problem):
    path = write("x.xomp", {"materialProperties": properties})
    assert problem in message(path, read_material, [])


# Real files


@pytest.fixture(scope="module")
def persival(real_data):
    return real_data / "materials" / "persival"


def test_every_ideal_material_is_read(persival):
    materials = [read_material(file, [persival]) for file in sorted(persival.glob("*.xomp"))]
    assert len(materials) == 46
    remarks = [remark for material in materials for remark in material.remarks]
    assert len(remarks) == 1
    assert "is a mirror's" in remarks[0]
    without = [material.name for material in materials if not material.brdf_tables]
    assert without == ["glass_tempered"]
    glass = next(material for material in materials if material.name == "glass_tempered")
    index = glass.refractive_index
    assert np.interp([905.0, 1550.0], index.wavelengths_nm, index.n).tolist() == [1.51, 1.5]
    assert not index.k.any()


def test_all_rules_but_one_of_the_real_mapping_table_lead_to_a_material(persival):
    table = read_mapping(persival / "persival_mapping_table.xomm", [persival])
    assert len(table.rules) == 119
    assert [rule.key for rule in table.rules if rule.file is None] == ["rgb:218;165;32"]
    lost = table.find("rgb:218;165;32")
    assert lost.problem.endswith(
        "line 129: no such file: './materials/polymer_lambertian_20pc.xomp'"
    )


def test_asphalt_example_covers_grazing_angles_only(real_data):
    folder = real_data / "materials" / "openmaterial3d"
    material = read_material(folder / "example_material.xomp", [folder])
    of_files = {table.file.name: table for table in material.brdf_tables}
    lidar = of_files["example_material_lidar_brdf.xompt"]
    assert (lidar.sensor, lidar.covers_normal) == ("lidar", False)
    assert lidar.angle_range_deg == (86.0, 90.0)
    assert any("from 86 to 90 deg only, nothing near" in remark for remark in material.remarks)
    camera = of_files["example_material_camera_brdf.xompt"]
    # its rows have exit zenith 0, whatever the incident
    assert camera.angle_range_deg == (0.0, 2.0)
    assert len(camera.wavelengths_nm) == 32
    index = material.refractive_index
    n, k = (np.interp(905.0, index.wavelengths_nm, column) for column in (index.n, index.k))
    assert (n, k) == pytest.approx((8.346, 2.015), abs=1e-3)


def test_example_asset_leads_to_its_materials(real_data):
    folder = real_data / "materials" / "openmaterial3d"
    asset = read_asset(folder / "example_asset.xoma", [folder])
    rules = read_mapping(asset.mapping, [folder])
    assert asset.key("Material_Sphere") == "rgb:255;0;0"
    assert rules.find(asset.key("Material_Sphere")).file == folder / "example_material.xomp"
    assert asset.textures == (("Material_Cube", "checker_xom.png"),)


@pytest.mark.parametrize("name", ["vehicle", "human", "environment"])
def test_example_assets_name_no_mapping(real_data, name):
    folder = real_data / "models" / "openmaterial3d" / f"{name}_example"
    asset = read_asset(folder / f"{name}_example.xoma", [folder])
    assert (asset.mapping, asset.remarks) == (None, ())
