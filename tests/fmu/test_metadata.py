# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Model metadata (SRMD): at the place of SSP Traceability, and no more than the pages say."""

import json
import posixpath
import re
import xml.etree.ElementTree as ET
import zipfile
from collections import defaultdict
from html import unescape
from pathlib import Path

import pytest
from fmpy import read_model_description

from fmu_src.exporter.claims import not_modelled, statement
from fmu_src.exporter.pages import source_of
from tests.fmu.kinds import KINDS, built, contents

REPOSITORY = Path(__file__).resolve().parents[2]
PLACE = "extra/org.ssp-standard.ssp-traceability.srmd/resourceMetaData.srmd"
OTHER_PLACE = "extra/net.pmsf.ssp.srmd/resourceMetaData.srmd"
SPACES = {
    "srmd": "http://ssp-standard.org/SSPTraceability1/SimulationResourceMetaData",
    "stc": "http://ssp-standard.org/SSPTraceability1/SSPTraceabilityCommon",
}
WANTED = {
    "model.validity-range",
    "model.verification.status",
    "model.verification.report",
    "model.validation.concept",
    "model.validation.status",
    "model.validation.platform",
    "model.validation.report",
    "model.limitations",
}


def root_of(fmu):
    with zipfile.ZipFile(fmu) as archive:
        return ET.fromstring(archive.read(PLACE))  # noqa: S314  our own


def entries(fmu):
    (classification,) = root_of(fmu).findall("stc:Classification", SPACES)
    found = defaultdict(list)
    for entry in classification.findall("stc:ClassificationEntry", SPACES):
        found[entry.get("keyword")].append(entry.text)
    return found


def test_file_names_its_format_and_every_entry_says_something(street_fmu):
    root = root_of(street_fmu)
    assert root.tag == f"{{{SPACES['srmd']}}}SimulationResourceMetaData"
    assert root.get("version") == "1.0.0"
    found = entries(street_fmu)
    assert set(found) >= WANTED
    assert all(text.strip() for texts in found.values() for text in texts)


def test_file_is_that_of_the_fmu(street_fmu):
    description, found = read_model_description(str(street_fmu)), entries(street_fmu)
    assert found["model.guid"] == [description.guid or description.instantiationToken]
    assert found["model.version"] == [description.version]
    assert found["sensor.name"] == ["OS1-128"]


def test_reports_are_in_the_fmu(street_fmu):
    found = entries(street_fmu)
    with zipfile.ZipFile(street_fmu) as archive:
        links = *found["model.verification.report"], *found["model.validation.report"]
        assert len(links) == 3
        for link in links:
            page = posixpath.normpath(posixpath.join(posixpath.dirname(PLACE), link))
            own = source_of(posixpath.basename(page))
            assert archive.read(page) == own.read_bytes()


def test_sensors_of_the_validity_range_are_on_the_page(street_fmu):
    (claim,) = entries(street_fmu)["model.validity-range"]
    page = (REPOSITORY / "docs" / "evidence" / "validation.md").read_text(encoding="utf-8")
    named = re.findall(r"OS0-64|HDL-64E", claim)
    assert len(named) == 2
    assert all(name in page for name in named)
    verdicts = json.loads((REPOSITORY / "docs" / "reality.json").read_text(encoding="utf-8"))
    sensors = {
        each["sensor"]
        for each in verdicts["ours"]["recordings"].values()
        if any(row["verdict"] != "not told" for row in each["rows"].values())
    }
    assert f"rows of {len(sensors)} sensors" in claim


def test_status_is_that_of_the_limits_on_the_page(street_fmu):
    (status,) = entries(street_fmu)["model.validation.status"]
    page = (REPOSITORY / "docs" / "evidence" / "validation.md").read_text(encoding="utf-8")
    limits = page.split("## Acceptance limits\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\|.*\| ([\w ]+) \|$", limits, re.MULTILINE)[1:]
    assert len(rows) > 40
    assert set(rows) <= {"yes", "nearly", "no", "not compared"}
    assert status == ("true" if set(rows) == {"yes"} else "false")


def test_metadata_and_page_say_what_the_claims_say(street_fmu):
    found = entries(street_fmu)
    (validity,) = found["model.validity-range"]
    limitations = " ".join(found["model.limitations"])
    with zipfile.ZipFile(street_fmu) as archive:
        page = unescape(archive.read("documentation/index.html").decode())
        report = archive.read("documentation/validation.md").decode()
    for name in ("compared", "reality", "weather_points"):
        assert statement(name) in validity
    for name in ("limits", "without_targets"):
        assert statement(name) in limitations
        assert statement(name) in report
    for text in (not_modelled(), statement("weather_points"), statement("limits")):
        assert text in page
    assert not_modelled() in limitations


def test_sensor_without_a_preset_goes_by_its_name(small_fmu):
    (name,) = entries(small_fmu)["sensor.name"]
    assert name


def test_all_sensors_are_named(tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text("sensors: [{preset: VLP-16, name: a}, {preset: XT32, name: b}]\n")
    fmu = built("native-2", config=config, out=tmp_path).path
    assert entries(fmu)["sensor.name"] == ["VLP-16, XT32"]


@pytest.mark.parametrize("kind", KINDS)
def test_fmu_of_every_kind_says_what_it_is_in_both_places(tmp_path, kind):
    wrapper, version = kind.split("-")
    fmu = built(kind, out=tmp_path)
    found = entries(fmu.path)
    assert set(found) >= WANTED
    assert found["model.guid"] == [fmu.guid]
    assert found["model.implementation.wrapper"] == [wrapper]
    (form,) = found["model.implementation.format"]
    assert form.startswith(f"FMI {version}.0 co-simulation, OSMP 1.6.0")
    files = contents(fmu.path)
    assert files[PLACE] == files[OTHER_PLACE]
