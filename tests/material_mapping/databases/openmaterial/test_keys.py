# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Keys of OpenMATERIAL 3D files that nobody reads are listed, but for those of no lidar."""

import logging

import pytest

from material_mapping.databases.openmaterial.asset import read_asset, read_mapping, read_material
from material_mapping.databases.openmaterial.entries import OpenMaterials
from tests.material_mapping.databases.openmaterial.helpers import (
    brdf,
    in_plane,
    optical,
    write_json,
)


def listed(found):
    return [str(each) for each in found.not_followed]


def test_keys_of_all_kinds_of_files_are_listed_with_their_lines(tmp_path):
    asset = write_json(tmp_path, "a.xoma", {"geometryProperties": [], "lightDefinitions": []})
    assert listed(read_asset(asset, [tmp_path])) == ["key geometryProperties (line 3)"]
    mapping = write_json(tmp_path, "a.xomm", {"materialMapping": [], "wild": {"cards": 1}})
    assert listed(read_mapping(mapping, [tmp_path])) == ["key wild (line 4)"]
    write_json(tmp_path, "b.xompt", {"brdf": brdf(in_plane({0: 0.1}))["brdf"] | {"units": "sr"}})
    write_json(tmp_path, "n.xompt", optical([[905e-9, 293.15, 1.5, 0.0]]) | {"more": 1})
    content = {"brdfUris": "b.xompt", "opticalPropertiesUri": "n.xompt", "densityData": {"a": 1}}
    content |= {"surfaceRoughness": {"surfaceHeightRms": 1, "surfaceCorrelationLength": 2, "w": 1}}
    path = write_json(tmp_path, "a.xomp", {"materialProperties": content}, uuid="1", kind="new")
    material = read_material(path, [tmp_path])
    assert listed(material) == [
        "key metadata.kind (line 2)",
        "key materialProperties.surfaceRoughness.w (line 3)",
    ]
    assert listed(material.brdf_tables[0]) == ["key brdf.units (line 4)"]
    assert listed(material.refractive_index) == ["key more (line 5)"]


def test_materials_of_an_asset_gather_and_log_the_lists_of_their_files(tmp_path, caplog):
    path = write_json(tmp_path, "a.xomp", {"materialProperties": {"brdfUris": "b.xompt", "w": 1}})
    write_json(tmp_path, "b.xompt", brdf(in_plane({0: 0.1})))
    mapping = write_json(tmp_path, "a.xomm", {"materialMapping": [["Body", "a.xomp", ""]]})
    asset = write_json(
        tmp_path, "a.xoma", {"materialMappingUri": "a.xomm", "geometryProperties": []}
    )
    found = OpenMaterials.of_asset(asset, [tmp_path])
    assert {*found.not_followed} == {asset, mapping}
    with caplog.at_level(logging.INFO):
        found.get("a")
        found.get("a")
    assert [str(each) for each in found.not_followed[path]] == ["key materialProperties.w (line 3)"]
    assert caplog.messages.count(f"{path}: not followed: key materialProperties.w (line 3)") == 1


@pytest.mark.slow
def test_real_files_list_what_a_lidar_could_go_by(real_data):
    found = []
    for path in sorted(real_data.glob("m*/**/*.xom[amp]")):
        read = {".xoma": read_asset, ".xomm": read_mapping, ".xomp": read_material}[path.suffix]
        found += [each.what for each in read(path, [path.parent]).not_followed]
    assert {*found} <= {"key geometryProperties", "key metadata.vehicleClassData"}
