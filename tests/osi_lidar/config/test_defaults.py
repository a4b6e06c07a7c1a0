# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Defaults of whole sections are made without validation, and are as validation makes them."""

import pytest

from lidar_base.sections import Section
from lidar_scenery.weather.sources.window_keys import WindowSection
from osi_lidar.config.models import Materials, Output
from osi_lidar.config.scene import Markings, SceneSection, Teleport
from osi_lidar.config.sensor import Mounting
from osi_lidar.config.weather import WeatherSection

SECTIONS = (
    *(Markings, Materials, Mounting, Output, SceneSection, Teleport, WeatherSection),
    WindowSection,
)


@pytest.mark.parametrize("section", SECTIONS)
def test_unstated_section_is_as_an_empty_one(section: type[Section]) -> None:
    made = section.unstated()
    assert made == section()
    assert made.model_fields_set == set()
    assert made.model_dump_json() == section().model_dump_json()
