# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pages of known sensors beside the files that they are made from, and their pictures."""

import re
from pathlib import Path

import numpy as np
import pytest
import yaml

from osi_lidar.config import Config
from osi_lidar.scan.from_config import scan_pattern
from osi_lidar.sensors.configured_sensors import ready_names, ready_sensor
from osi_lidar.sensors.presets import load_preset, preset_names
from tests.scenarios.scripts import script

REPOSITORY = Path(__file__).resolve().parents[2]
pages = script(REPOSITORY / "tools" / "sensor_pages.py")
pictures = script(REPOSITORY / "tools" / "draw_sensors.py")
NAMES = [*preset_names(), *ready_names()]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def text(name):
    return (pages.PAGES / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_the_one_of_the_files(name):
    assert text(name) == pages.page(name)


def test_every_sensor_has_a_page_and_nothing_else_has():
    assert {file.stem for file in pages.PAGES.glob("*.md")} == set(NAMES)
    assert {file.name for file in pages.PAGES.iterdir()} == {f"{name}.md" for name in NAMES}


@pytest.mark.long
def test_the_list_is_the_one_of_the_files():
    page = pages.LIST.read_text(encoding="utf-8")
    assert pages.LISTED.renewed(page) == page
    rows = re.findall(r"^\| \[([\w-]+)\]\(sensors/\1\.md\) \|", page, re.MULTILINE)
    assert rows == NAMES


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_every_figure_with_its_source_and_what_was_tuned(name):
    sensor = ready_sensor(name) or load_preset(name)
    shown = {figure.key for figure in pages.figures(sensor)}
    assert set(sensor.sources) <= shown
    rows = re.findall(r"^\| (.+?) \| .+ \| (.*?) \|$", text(name), re.MULTILINE)
    tuned = {figure for figure, basis in rows if basis == pages.TUNED}
    fits = getattr(sensor, "fits", {})
    assert {each.partition(":")[0] for each in tuned} == {
        pages.name_of(key).partition(":")[0] for key in fits
    }
    assert all(f"`{key}`" in text(name) for key in sensor.unknown)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_a_page_makes_the_sensor(name):
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", text(name), re.MULTILINE | re.DOTALL)
    (sensor,) = Config.model_validate(yaml.safe_load(block)).sensors
    assert scan_pattern(sensor).n_beams > 0
    assert sensor.is_physical
    assert sensor.mounting.z_m == 1.8


def test_sources_are_linked_to_repositories_and_sites_but_not_to_files_in_them():
    linked = pages.linked("3dgeo-heidelberg/helios, params/a.yaml, tests/pcaps, 1/10, e.g. x/y")
    assert linked == (
        "[3dgeo-heidelberg/helios](https://github.com/3dgeo-heidelberg/helios), params/a.yaml, "
        "tests/pcaps, 1/10, e.g. x/y"
    )
    assert pages.linked("(github.com/mgschwan/blensor)") == (
        "([github.com/mgschwan/blensor](https://github.com/mgschwan/blensor))"
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_picture_of_a_sensor_is_the_one_of_its_beams(name):
    """Coordinates may differ by their last digit, as sines do between platforms."""
    drawn = pictures.picture(name)
    kept = (pictures.PICTURES / f"{name}.svg").read_text(encoding="utf-8")
    assert NUMBER.sub("#", drawn) == NUMBER.sub("#", kept)
    ours, theirs = (np.array(NUMBER.findall(each), float) for each in (drawn, kept))
    np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=0.11)


def test_every_sensor_has_a_picture_and_all_are_small():
    files = list(pictures.PICTURES.iterdir())
    assert {file.name for file in files} == {f"{name}.svg" for name in NAMES}
    assert sum(file.stat().st_size for file in files) < 1_500_000
