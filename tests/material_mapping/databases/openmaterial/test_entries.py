# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OpenMATERIAL 3D folders and assets as infrared materials: values, rules, and what is no use."""

import math
from pathlib import Path

import numpy as np
import pytest

from material_mapping import (
    MaterialError,
    MaterialMapping,
    MaterialResolver,
    MaterialTable,
    OpenMaterials,
    builtin_materials,
    open_database,
)
from material_mapping.optics import fresnel
from material_mapping.response import Lookup
from tests.material_mapping.databases.openmaterial.helpers import (
    WAVELENGTH_M,
    brdf,
    in_plane,
    write_json,
)
from tests.material_mapping.mapping.visuals import Named

ANGLES_DEG = (0, 10, 20, 30, 40, 50, 60, 70, 80)
RETRO_AND_MIRROR = (0.0, math.pi)


def lambertian(rho):
    return in_plane(dict.fromkeys(ANGLES_DEG, rho / math.pi))


def write_material(folder, name, *, rows=None, optical=None, **properties):
    """Write a .xomp with a BRDF table or an index of refraction, and return its path."""
    content = dict(properties)
    if rows is not None:
        write_json(folder, f"{name}_brdf.xompt", brdf(rows))
        content["brdfUris"] = [f"{name}_brdf.xompt"]
    if optical is not None:
        write_json(folder, f"{name}_optical.xompt", {"opticalProperties": optical})
        content["opticalPropertiesUri"] = f"{name}_optical.xompt"
    return write_json(folder, f"{name}.xomp", {"materialProperties": content})


def write_mapping(folder, rows, name="map.xomm"):
    return write_json(folder, name, {"materialMapping": rows})


def write_asset(folder, mapping=None, **content):
    if mapping is not None:
        content["materialMappingUri"] = mapping
    return write_json(folder, "car.xoma", content)


def resolver_of(*databases, wavelengths_nm=(905.0,)):
    return MaterialResolver(
        builtin_materials(),
        MaterialMapping(),
        "lambertian_50",
        databases=databases,
        wavelengths_nm=wavelengths_nm,
    )


@pytest.mark.parametrize("rho", [0.1, 0.5, 0.95])
def test_a_lambertian_table_is_the_ideal_target_of_its_reflectance(tmp_path, rho):
    write_material(tmp_path, "target", rows=lambertian(rho))
    entry = open_database(tmp_path).get("target")
    assert entry.lookup == Lookup.MATT
    table = MaterialTable.build([entry, builtin_materials()[f"lambertian_{100 * rho:.0f}"]])
    cosines = np.cos(np.radians([0.0, 33.3, 60.0, 79.9, 89.0]))
    own, ideal = (table.reflectivity(row, cosines) for row in (0, 1))
    np.testing.assert_allclose(own, ideal, rtol=0, atol=1e-6)


def test_a_table_by_angle_is_pi_f_cosine_between_its_rows(tmp_path):
    values = {0: 0.3, 30: 0.2, 60: 0.1, 80: 0.05}
    write_material(tmp_path, "m", rows=in_plane(values))
    found = open_database(tmp_path).get("m").reflectivity(905.0)
    for angle, value in values.items():
        assert found[angle] == pytest.approx(math.pi * value * math.cos(math.radians(angle)))
    assert found[90] == pytest.approx(0.0, abs=1e-12)


def test_a_table_at_grazing_angles_gives_way_to_one_that_covers_the_perpendicular(tmp_path):
    write_json(tmp_path, "grazing_brdf.xompt", brdf(in_plane({80: 0.1, 85: 0.1})))
    write_json(tmp_path, "full_brdf.xompt", brdf(lambertian(0.3)))
    uris = ["grazing_brdf.xompt", "full_brdf.xompt"]
    write_material(tmp_path, "m", brdfUris=uris)
    assert open_database(tmp_path).get("m").normal_reflectance() == pytest.approx(0.3)


def test_a_table_that_exceeds_a_white_target_is_retroreflective(tmp_path):
    write_material(tmp_path, "m", rows=in_plane(dict.fromkeys(ANGLES_DEG, 30.0)))
    entry = open_database(tmp_path).get("m")
    assert entry.material_class.name == "retroreflective"
    assert entry.normal_reflectance() == pytest.approx(30.0 * math.pi)


def test_another_wavelength_stands_in_for_a_table_s_own(tmp_path):
    write_material(tmp_path, "m", rows=lambertian(0.3))
    entry = open_database(tmp_path).get("m")
    assert entry.known_at_nm(1550.0) == 905.0
    assert entry.normal_reflectance(1550.0) == pytest.approx(0.3)


def test_an_index_without_extinction_is_clear_glass(tmp_path):
    write_material(tmp_path, "pane", optical=[[8e-7, 293.0, 1.52, 0.0], [1e-6, 293.0, 1.50, 0.0]])
    entry = open_database(tmp_path).get("pane")
    assert entry.material_class.name == "glass"
    mirrored = fresnel.normal_reflectance(n=1.52 - 0.02 * 105 / 200)
    expected = ((1 - mirrored) / (1 + mirrored)) ** 2
    assert entry.transmittance(905.0)[0] == pytest.approx(expected, rel=1e-6)
    assert entry.transmittance(1550.0)[0] == pytest.approx((0.96 / 1.04) ** 2, rel=1e-6)


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ({}, "roughness 0.1 (assumed)"),
        (
            {"surfaceRoughness": {"surfaceHeightRms": 1e-6, "surfaceCorrelationLength": 5e-6}},
            "roughness 0.28 (as stated)",
        ),
        (
            {"surfaceRoughness": {"surfaceHeightRms": 1e-9, "surfaceCorrelationLength": 1e-6}},
            "roughness 0.02 (stated 0.0014)",
        ),
    ],
)
def test_an_index_with_extinction_is_a_rough_metal(tmp_path, properties, words):
    optical = [[8e-7, 293.0, 2.7, 8.3], [1e-6, 293.0, 1.3, 9.5]]
    write_material(tmp_path, "metal", optical=optical, **properties)
    entry = open_database(tmp_path).get("metal")
    assert words in entry.note
    found = entry.reflectivity(905.0)
    assert found[0] == found.max() > 0.5
    assert found[90] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        ({}, "no data that a lidar can use"),
        ({"brdfUris": ["absent.xompt"]}, "absent.xompt"),
        ({"rows": in_plane({86: 0.1, 90: 0.2})}, "no data that a lidar can use"),
    ],
)
def test_a_material_without_values_for_a_lidar_says_why(tmp_path, make, words):
    write_material(tmp_path, "m", **make)
    with pytest.raises(MaterialError, match=r"^m: no data that a lidar can use") as caught:
        open_database(tmp_path).get("m")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_asset_s_own_mapping_goes_by_replaced_names_exact_names_and_colours(tmp_path):
    for name, rho in (("dark", 0.1), ("light", 0.8), ("red", 0.4)):
        write_material(tmp_path, name, rows=lambertian(rho))
    write_mapping(
        tmp_path,
        [["Paint", "dark.xomp", ""], ["Chrome", "light.xomp", ""], ["rgb:255;0;0", "red.xomp", ""]],
    )
    file = write_asset(tmp_path, "map.xomm", materialReplacements=[["Body", "Chrome"]])
    asset, resolver = OpenMaterials.of_asset(file, [tmp_path]), resolver_of()
    red = (1.0, 0.0, 0.0)
    visuals = [Named("Paint", red), Named("Body"), Named("Door", red), Named("paint"), Named("x")]
    rows = [resolver.material_id(visual, asset=asset) for visual in visuals]
    names = [resolver.table(905.0).names[row] for row in rows]
    assert names == ["dark", "light", "red", "lambertian_50", "lambertian_50"]
    assert [each.rule for each in resolver.resolved] == [
        "map.xomm: Paint",
        "map.xomm: Chrome",
        "map.xomm: rgb:255;0;0",
        None,
        None,
    ]


def test_an_asset_without_a_mapping_brings_nothing(tmp_path):
    assert OpenMaterials.of_asset(write_asset(tmp_path), [tmp_path]) is None


def test_a_row_that_leads_nowhere_is_told_with_file_and_line(tmp_path):
    mapping = write_mapping(tmp_path, [["Paint", "absent.xomp", ""]])
    resolver = resolver_of()
    asset = OpenMaterials.of_asset(write_asset(tmp_path, "map.xomm"), [tmp_path])
    resolver.material_id(Named("Paint"), asset=asset)
    (resolved,) = resolver.unmapped
    (problem,) = resolved.problems
    assert problem.startswith(f"map.xomm: Paint: {mapping}: line ")
    assert "absent.xomp" in problem
    assert "unknown infrared material" not in problem


def test_files_of_one_name_in_two_folders_stay_apart(tmp_path):
    for folder, rho in (("steel", 0.5), ("paint", 0.1)):
        write_material(tmp_path / folder, "material", rows=lambertian(rho))
    write_mapping(tmp_path, [["A", "steel/material.xomp", ""], ["B", "paint/material.xomp", ""]])
    asset = OpenMaterials.of_asset(write_asset(tmp_path, "map.xomm"), [tmp_path])
    resolver = resolver_of()
    rows = [resolver.material_id(Named(name), asset=asset) for name in "AB"]
    assert resolver.table(905.0).reflectance[rows, 0] == pytest.approx([0.5, 0.1])


def test_a_folder_s_mapping_leads_to_its_own_materials_whatever_other_folders_hold(tmp_path):
    for folder, rho in (("first", 0.2), ("second", 0.7)):
        write_material(tmp_path / folder, "paint", rows=lambertian(rho))
    write_mapping(tmp_path / "second", [["Body", "paint.xomp", ""]])
    databases = [open_database(tmp_path / folder) for folder in ("first", "second")]
    resolver = resolver_of(*databases)
    row = resolver.material_id(Named("Body"))
    assert resolver.table(905.0).reflectance[row, 0] == pytest.approx(0.7)


def test_a_folder_behind_a_link_or_a_relative_path_has_each_material_once(tmp_path, monkeypatch):
    write_material(tmp_path / "real", "paint", rows=lambertian(0.2))
    write_mapping(tmp_path / "real", [["Body", "paint.xomp", ""]])
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    for folder in (tmp_path / "real", tmp_path / "link", Path("real")):
        assert list(open_database(folder).names) == ["paint"]


def test_a_mapping_table_of_a_folder_that_cannot_be_read_is_a_problem_and_the_rest_is_used(
    tmp_path,
):
    write_material(tmp_path, "m", rows=lambertian(0.7))
    bad = write_mapping(tmp_path, [["Body", "other.xomm", ""]], "a.xomm")
    empty = write_mapping(tmp_path, [], "b.xomm")
    write_mapping(tmp_path, [["Body", "m.xomp", ""]], "c.xomm")
    database = open_database(tmp_path)
    resolver = resolver_of(database)
    row = resolver.material_id(Named("Body"))
    assert resolver.table(905.0).reflectance[row, 0] == pytest.approx(0.7)
    unread, remark = database.problems
    assert unread.startswith(f"{bad}: line ")
    assert unread.endswith("; its rules are not used")
    assert "\n" not in unread
    assert remark == f"{empty}: the mapping table is empty"


def test_an_asset_s_mapping_table_that_cannot_be_read_stops_in_one_line(tmp_path):
    bad = write_mapping(tmp_path, [["Body", "other.xomm", ""]])
    with pytest.raises(MaterialError, match=f"^{bad}: line ") as caught:
        OpenMaterials.of_asset(write_asset(tmp_path, "map.xomm"), [tmp_path])
    assert "\n" not in str(caught.value)


def test_an_index_far_from_the_sensor_s_wavelength_is_listed_as_a_stand_in(tmp_path):
    write_material(tmp_path, "pane", optical=[[8e-7, 293.0, 1.52, 0.0], [1e-6, 293.0, 1.50, 0.0]])
    write_mapping(tmp_path, [["Window", "pane.xomp", ""]])
    resolver = resolver_of(open_database(tmp_path), wavelengths_nm=(905.0, 1550.0))
    resolver.material_id(Named("Window"))
    assert resolver.stand_ins == (("pane", 1550.0, 1000.0),)


def test_the_ideal_mirror_s_peak_is_left_out(tmp_path):
    """A peak at the normal that no whole degree holds would be smeared over one."""
    rows = in_plane(dict.fromkeys(ANGLES_DEG, 0.0))
    peak = [[WAVELENGTH_M, 0.0, 0.0, azimuth, 2e5] for azimuth in RETRO_AND_MIRROR]
    write_material(tmp_path, "mirror", rows=[*peak, *rows[1:]])
    entry = open_database(tmp_path).get("mirror")
    found = entry.reflectivity(905.0)
    assert entry.material_class.name == "general"
    assert not found[1:].any()


IDEAL = {10: "fabric_cotton_dark", 20: "soil_asphalt", 50: "metal_aluminum"} | {
    80: "cover_marking_yellow",
    95: "polymer_rubber_white",
}


def test_persival_s_ideal_tables_have_their_analytic_values(real_data):
    database = open_database(real_data / "materials" / "persival")
    degrees = np.arange(91)
    cosine = np.where(degrees < 90, np.cos(np.radians(degrees)), 0.0)
    for percent, name in IDEAL.items():
        found = database.get(name).reflectivity(905.0)
        np.testing.assert_allclose(found, percent / 100 * cosine, rtol=0, atol=1e-6)
    ideal = builtin_materials()["lambertian_95"].reflectivity(905.0)
    np.testing.assert_allclose(database.get(IDEAL[95]).reflectivity(905.0), ideal, atol=1e-6)
    mirror = database.get("glass_mirror")
    assert not mirror.reflectivity(905.0).any()
    retro = database.get("polymer_retroreflective_white")
    assert retro.material_class.name == "retroreflective"
    assert retro.normal_reflectance() == pytest.approx(math.pi * 98192.4, rel=1e-5)
    assert database.get("glass_tempered").material_class.name == "glass"


def test_all_materials_of_persival_s_folder_can_be_used_by_sensors_of_several_wavelengths(
    real_data,
):
    database = open_database(real_data / "materials" / "persival")
    for nm in (850.0, 905.0, 1550.0):
        table = MaterialTable.build([database.get(name) for name in database.names], nm)
        assert len(table.names) == 46
        assert np.isfinite(table.reflectance).all()
