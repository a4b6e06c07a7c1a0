# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Every reader of XML reads the usual encodings alike: maps, scenarios, scanners, and `info`."""

import pytest

from lidar_app.show.info.recognition import describe
from lidar_base.errors import OsiLidarError
from lidar_scenery.roads.opendrive import read_map
from lidar_scenery.weather.sources.openscenario import weather_of_scenario
from osi_lidar.config import Sensor
from osi_lidar.config.calibration import survey_scanner
from osi_lidar.sensors.calibration.reading import read_calibration
from tests.builders.files import written
from tests.builders.refusals import one_line
from tests.lidar_scenery.roads.opendrive import small_maps
from tests.lidar_scenery.weather.sources.test_openscenario import action
from tests.osi_lidar.sensors.calibration.helios_files import scanner

ENCODINGS = ["utf-8", "utf-8-sig", "gb2312", "GBK", "gb18030", "Shift_JIS", "utf-16", "UTF-16LE"]
ROAD = small_maps.road(small_maps.section(small_maps.lane(-1)))
MAP = f'<OpenDRIVE><header name="天山 中"/>{ROAD}</OpenDRIVE>'
WEATHER = action('<Weather><Fog visualRange="150"/></Weather>')
SCENARIO = f'<OpenSCENARIO><FileHeader description="天山 中"/><Init>{WEATHER}</Init></OpenSCENARIO>'
SCANNERS = f"<document>{scanner(name='天山 中', wavelength_nm='905')}</document>"


def encoded(path, text, encoding):
    """Write XML whose declaration states its encoding."""
    stated = encoding.removesuffix("-sig").removesuffix("LE")
    declared = f'<?xml version="1.0" encoding="{stated}"?>\n{text}'
    return written(path, declared.encode(encoding))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_map_is_read_in_any_encoding(tmp_path, encoding):
    path = encoded(tmp_path / "a.xodr", MAP, encoding)
    assert dict(read_map(path).counts)["roads"] == 1
    assert describe(path).facts["name"] == "天山 中"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_scenario_is_read_in_any_encoding(tmp_path, encoding):
    path = encoded(tmp_path / "a.xosc", SCENARIO, encoding)
    assert weather_of_scenario(path).visibility_m == 150.0
    assert describe(path).kind == "Weather of a scenario (OpenSCENARIO)"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_scanners_are_read_in_any_encoding(tmp_path, encoding):
    path = encoded(tmp_path / "a.xml", SCANNERS, encoding)
    assert read_calibration(path).figures()["wavelength_nm"] == 905.0
    assert survey_scanner(str(path), None).figures()["wavelength_nm"] == 905.0
    assert Sensor.model_validate({"calibration": str(path)}).wavelength_nm == 905.0
    assert describe(path).facts["wavelength_nm"] == 905.0


@pytest.mark.parametrize("name", ["a.xodr", "a.xosc", "a.xml"])
def test_an_encoding_that_is_not_known_is_one_line_that_names_it(tmp_path, name):
    text = {"a.xodr": MAP, "a.xosc": SCENARIO, "a.xml": SCANNERS}[name]
    path = written(tmp_path / name, f'<?xml version="1.0" encoding="ebcdic-x"?>{text}')
    with one_line(OsiLidarError, "unknown encoding 'ebcdic-x'", "UTF-8"):
        describe(path)
