# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Values that replace values of a configuration, and key paths that lead nowhere."""

import pytest

from osi_lidar.config import default_config, load_config, revised_config
from osi_lidar.errors import ConfigurationError
from tests.builders.refusals import one_line
from tests.builders.worlds import SENSOR, config_file


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        (("scenes", "ground"), "the configuration has no section 'scenes'"),
        (("sensors", 0, "mount", "x_m"), "sensors.0 has no section 'mount'"),
        (("sensors", 0, "noise", "range_sigma_m"), "sensors.0 has no section 'noise'"),
        (("sensors", "first", "name"), "sensors has no key 'first'"),
        (("sensors", 3, "name"), "sensors has 1 entries, expected an index below that, got 3"),
        (("sensors", -2, "name"), "sensors has 1 entries, expected an index from 0, got -2"),
        (("seed", "of"), "seed has no key 'of'"),
        (("seeds",), "seeds"),
    ],
)
def test_a_path_that_leads_nowhere_is_one_line(keys, problem):
    with one_line(ConfigurationError, problem):
        revised_config(default_config(), {keys: 1})


def test_an_index_before_the_first_is_one_line(tmp_path):
    file = config_file(tmp_path, SENSOR)
    with one_line(ConfigurationError, "sensors has 1 entries", "got -2"):
        load_config(file, changes={("sensors", -2, "name"): "a"})
