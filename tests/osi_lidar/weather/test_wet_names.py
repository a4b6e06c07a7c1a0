# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Which materials of the ground water and snow change."""

import numpy as np

from lidar_scenery.weather.ground import ground_in
from lidar_scenery.weather.state import Weather
from material_mapping import MaterialTable, builtin_materials

NAMES = ("asphalt_worn", "asphalt_wet", "brick")


def test_what_is_wet_by_itself_stays_as_it_is():
    table = MaterialTable.build([builtin_materials()[name] for name in NAMES], 905.0)
    wet = ground_in(Weather(road_water_mm=1.0), table)
    darker = wet.table.reflectance[:, 0] < table.reflectance[:, 0]
    assert darker.tolist() == [True, False, False]
    assert wet.is_wet.tolist() == [True, False, False, False]


def test_dry_ground_is_the_table_itself():
    table = MaterialTable.build([builtin_materials()["asphalt_worn"]], 905.0)
    assert ground_in(Weather(), table) is None


def test_deep_snow_makes_a_road_as_bright_as_snow():
    names = ("asphalt_worn", "snow")
    table = MaterialTable.build([builtin_materials()[name] for name in names], 905.0)
    white = ground_in(Weather(snow_depth_mm=10.0), table).table.reflectance
    np.testing.assert_allclose(white[0], white[1])
