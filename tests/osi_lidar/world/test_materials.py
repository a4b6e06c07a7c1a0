# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Wrong materials of a configuration are one line, which begins with what states them."""

import pytest

from osi_lidar import ConfigurationError, load_config
from osi_lidar.world.materials import material_resolver
from tests.builders.refusals import one_line
from tests.builders.worlds import config, write_config

WRONG = {
    "texture": (
        {"texture": {"spread": 3.0, "correlation_m": 1.0}},
        "materials.texture.spread: got 3, expected 0 to 2",
    ),
    "default": ({"default": "asphlat"}, "materials.default: unknown infrared material 'asphlat'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_material_is_told_with_the_file_that_states_it(tmp_path, name):
    materials, words = WRONG[name]
    path = write_config(tmp_path, materials=materials)
    with one_line(ConfigurationError, start=f"{path}: {words}"):
        material_resolver(load_config(path))


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_material_of_no_file_is_one_of_the_configuration(name):
    materials, words = WRONG[name]
    with one_line(ConfigurationError, start=f"configuration: {words}"):
        material_resolver(config(materials=materials))
