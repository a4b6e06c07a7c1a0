# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Folders of measured materials: kinds, names, files that are read late, and bad ones."""

import errno
import logging
import os

import pytest

from material_mapping import (
    DatabaseError,
    MaterialError,
    MaterialMapping,
    MaterialResolver,
    WavelengthError,
    builtin_materials,
    open_database,
    rules_of,
)
from material_mapping.databases import ecostress
from material_mapping.databases.opening import TOF945_SOURCE
from material_mapping.databases.openmaterial.entries import OpenMaterials
from tests.material_mapping.databases.database_files import write_curve, write_spectrum
from tests.material_mapping.mapping.visuals import Named

CARD = {0.8: 40.0, 1.0: 60.0, 1.6: 20.0}


def resolver_of(*databases, rules, wavelengths_nm=(905.0,)):
    mapping = MaterialMapping(materials=rules_of(rules, key="materials"), file="map.yaml")
    return MaterialResolver(
        builtin_materials(),
        mapping,
        "lambertian_50",
        databases=databases,
        wavelengths_nm=wavelengths_nm,
    )


@pytest.mark.parametrize(
    ("name", "write", "source", "material"),
    [
        ("a/card.spectrum.txt", lambda p: write_spectrum(p, CARD), "ECOSTRESS: Grey card", "card"),
        ("card.txt", lambda p: write_spectrum(p, CARD), "ECOSTRESS: Grey card", "card"),
        ("a/CARD_1.TXT", write_curve, TOF945_SOURCE, "CARD_1"),
    ],
    ids=["ecostress", "aster", "tof945"],
)
def test_the_files_of_a_folder_tell_its_kind(tmp_path, name, write, source, material):
    write(tmp_path / name)
    database = open_database(tmp_path)
    assert list(database.names) == [material]
    assert database.get(material).source.startswith(source)


def test_a_folder_with_an_openmaterial_is_of_that_kind(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "card.xomp").touch()
    write_spectrum(tmp_path / "stray.txt", CARD)
    database = open_database(tmp_path)
    assert isinstance(database, OpenMaterials)
    assert list(database.names) == ["card"]


@pytest.mark.parametrize("stray", ["A note.txt", "README.txt", "card.spectrum.ancillary.txt"])
def test_a_text_beside_the_spectra_does_not_change_the_kind(tmp_path, stray):
    (tmp_path / stray).write_text("These spectra were copied by me.\n")
    write_spectrum(tmp_path / "card.spectrum.txt", CARD)
    database = open_database(tmp_path)
    assert database.get("card").normal_reflectance() == pytest.approx(0.505)


def test_a_stated_kind_is_taken_whatever_the_files(tmp_path):
    write_curve(tmp_path / "card.txt")
    with pytest.raises(DatabaseError, match=r"card.txt: line 1: .* a header that begins with"):
        open_database(tmp_path, kind="ecostress").get("card")
    assert open_database(tmp_path, kind="tof945").get("card").source.startswith(TOF945_SOURCE)
    assert list(open_database(tmp_path, kind="openmaterial").names) == []


def test_a_folder_that_is_missing_or_holds_nothing_known_is_told(tmp_path):
    with pytest.raises(
        DatabaseError, match="absent: no such folder, expected a folder of infrared materials"
    ):
        open_database(tmp_path / "absent")
    (tmp_path / "file").write_text("x")
    with pytest.raises(DatabaseError, match="file: no such folder"):
        open_database(tmp_path / "file")
    (tmp_path / "readme.txt").write_text("Name: nothing")
    with pytest.raises(
        DatabaseError, match="contains no infrared material, expected spectra of ECOSTRESS"
    ):
        open_database(tmp_path)


def test_a_folder_that_may_not_be_read_is_told(tmp_path, monkeypatch):
    write_spectrum(tmp_path / "card.spectrum.txt", CARD)

    def refuse(_path):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)  # root may read everything
    with pytest.raises(DatabaseError) as caught:
        open_database(tmp_path)
    assert str(caught.value) == f"{tmp_path}: cannot be read: Permission denied"


def test_of_two_files_with_one_name_the_first_counts_and_the_second_is_told(tmp_path, caplog):
    write_spectrum(tmp_path / "a" / "card.spectrum.txt", {0.8: 10.0, 1.0: 10.0})
    write_spectrum(tmp_path / "b" / "card.spectrum.txt", {0.8: 90.0, 1.0: 90.0})
    with caplog.at_level(logging.WARNING):
        database = open_database(tmp_path)
    second = tmp_path / "b" / "card.spectrum.txt"
    assert caplog.messages == [f"{second}: a second material 'card', the first one is used"]
    assert database.get("card").normal_reflectance() == pytest.approx(0.1)


def test_of_two_openmaterials_with_one_name_the_first_counts_and_the_second_is_told(
    tmp_path, caplog
):
    for folder in "ab":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "card.xomp").write_text("{}")
    with caplog.at_level(logging.WARNING):
        database = open_database(tmp_path)
    second = tmp_path / "b" / "card.xomp"
    assert caplog.messages == [f"{second}: a second material 'card', the first one is used"]
    assert list(database.names) == ["card"]


def test_a_bad_file_is_told_when_it_is_asked_for_and_the_others_are_used(tmp_path):
    write_spectrum(tmp_path / "card.spectrum.txt", CARD)
    bad = tmp_path / "bad.spectrum.txt"
    write_spectrum(bad, {0.8: 40.0, 1.0: "many"})
    database = open_database(tmp_path)
    assert sorted(database.names) == ["bad", "card"]
    assert database.get("card") is database.get("card")
    assert database.get("other") is None
    with pytest.raises(DatabaseError, match=f"^{bad}: line 23: "):
        database.get("bad")
    assert resolver_of(database, rules={"a": "card"})
    with pytest.raises(MaterialError, match=rf"^map.yaml: materials.b: {bad}: line 23: ") as caught:
        resolver_of(database, rules={"a": "card", "b": "bad"})
    assert "\n" not in str(caught.value)


def test_no_file_is_read_before_it_is_asked_for(tmp_path, monkeypatch):
    for number in range(5):
        write_spectrum(tmp_path / f"card{number}.spectrum.txt", CARD)
    read = []
    lines = ecostress.read_lines
    monkeypatch.setattr(ecostress, "read_lines", lambda path: read.append(path.name) or lines(path))
    database = open_database(tmp_path)
    resolver_of(database, rules={"a": "card3", "b": "card3"})
    assert read == ["card3.spectrum.txt"]


def test_a_spectrum_is_taken_at_each_sensor_s_wavelength(tmp_path):
    write_spectrum(tmp_path / "card.spectrum.txt", CARD)
    rules = {"a": "card"}
    resolver = resolver_of(
        open_database(tmp_path), rules=rules, wavelengths_nm=(850.0, 905.0, 1550.0)
    )
    tables = [resolver.table(nm) for nm in resolver.wavelengths_nm]
    found = [float(table.reflectivity(table.id_of("card"), 0.5)) for table in tables]
    # half of 40 + 20 * 0.25, 40 + 20 * 0.525, 60 - 40 * 0.55 / 0.6 percent
    assert found == pytest.approx([0.225, 0.2525, 0.11666667], rel=1e-6)
    assert resolver.stand_ins == ()


def test_a_spectrum_without_the_wavelength_stops_and_says_which_it_has(tmp_path):
    write_spectrum(tmp_path / "sea.spectrum.txt", {14.0: 2.0, 2.08: 3.0})
    database = open_database(tmp_path)
    with pytest.raises(WavelengthError, match=r"sea: no value at 905 nm.*2080 to 14000 nm"):
        database.get("sea").reflectivity(905.0)
    with pytest.raises(MaterialError, match=r"materials.W: sea: no value at 905 nm, .* 2080 to"):
        resolver_of(database, rules={"W": "sea"})


@pytest.mark.parametrize(("wavelength_nm", "listed"), [(905.0, False), (1550.0, True)])
def test_a_945_nm_curve_stands_in_elsewhere_and_is_listed_far_away(tmp_path, wavelength_nm, listed):
    write_curve(tmp_path / "card_1.txt", 80.0)
    database = open_database(tmp_path)
    resolver = resolver_of(database, rules={"a": "card_1"}, wavelengths_nm=(wavelength_nm,))
    row = resolver.material_id(Named("a"))
    assert resolver.table(wavelength_nm).reflectivity(row, 0.3) == pytest.approx(0.8)
    assert resolver.stand_ins == ((("card_1", wavelength_nm, 945.0),) if listed else ())


def test_entries_say_where_they_come_from(tmp_path):
    write_spectrum(tmp_path / "a" / "card.spectrum.txt", CARD)
    write_curve(tmp_path / "b" / "card_1.txt")
    spectrum = open_database(tmp_path / "a").get("card")
    curve = open_database(tmp_path / "b", cosine="excluded").get("card_1")
    assert spectrum.source == "ECOSTRESS: Grey card, card.spectrum.txt"
    assert "Jet Propulsion Laboratory" in spectrum.licence
    assert (spectrum.response.unit, curve.response.unit) == ("percent", "percent")
    assert spectrum.wavelength_range_nm == (800.0, 1600.0)
    assert curve.source.endswith("card_1.txt")
    assert curve.uncertainty.endswith("excluded")
    assert spectrum.database == str(tmp_path / "a")


@pytest.mark.long
def test_a_thousand_files_are_opened_in_a_moment(tmp_path):
    for number in range(1000):
        (tmp_path / f"card{number}.spectrum.txt").touch()
    assert len(list(open_database(tmp_path).names)) == 1000


CHECKS = {  # percent at 905, 945, 1550 nm by straight lines between the rows of the files
    "0095": (11.4, 11.7, 15.0),
    "0674": (8.6, 8.4, 8.4),
    "0092": (36.1, 36.2, 38.7),
    "0097": (27.9, 28.9, 34.1),
    "0402": (3.8, 3.8, 4.3),
    "0407": (63.0, 64.4, 59.9),
    "0384": (59.6, 63.2, 81.3),
    "0525": (6.5, 6.2, 16.5),
    "0833": (6.7, 6.4, 6.4),
    "vh352": (56.3, 55.5, 31.1),
    "fine_snw": (91.1, 89.7, 11.0),
    "tapwater": (2.5, 2.4, 2.1),
}


def test_spectra_of_the_library_give_their_values_in_the_tables(real_data):
    database = open_database(real_data / "ecostress")
    known = {part: [name for name in database.names if f".{part}" in name] for part in CHECKS}
    assert sum(map(bool, known.values())) >= 8
    for part, names in known.items():
        if not names:
            continue
        resolver = resolver_of(
            database, rules={"x": names[0]}, wavelengths_nm=(905.0, 945.0, 1550.0)
        )
        found = [
            100 * float(table.reflectance[table.id_of(names[0]), 0])
            for table in map(resolver.table, resolver.wavelengths_nm)
        ]
        assert found == pytest.approx(CHECKS[part], abs=0.1), names
