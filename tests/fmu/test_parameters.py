# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of parameters speak of parameters, not of the keys of a configuration file."""

import pytest

from fmu_src.errors import InitializationError
from fmu_src.parameters import configuration
from fmu_src.variables import PARAMETERS
from tests.builders.files import written
from tests.builders.worlds import SENSOR

START = {each.name: each.default for each in PARAMETERS}
NAN = float("nan")


def refusal(packed=None, **changed):
    with pytest.raises(InitializationError) as caught:
        configuration({**START, **changed}, START, packed)
    return str(caught.value)


@pytest.fixture
def packed(tmp_path):
    return written(tmp_path / "packed.yaml", SENSOR)


def test_unknown_preset_is_that_of_the_parameter_whatever_file_it_replaces(packed):
    alone = refusal(preset="VLP16x")
    assert alone.startswith("preset: unknown sensor 'VLP16x': did you mean VLP-16?")
    assert refusal(packed, preset="VLP16x") == alone
    assert refusal(config=str(packed), preset="VLP16x") == alone


def test_error_in_a_file_names_the_parameter_and_the_file(tmp_path, packed):
    other = written(tmp_path / "other.yaml", "sensors: [{preset: VLP-17}]\n")
    line = refusal(packed, config=str(other))
    assert line.startswith(f"config: {other}: sensors[0].preset: unknown sensor 'VLP-17'")


def test_further_parameters_with_errors_have_their_names_too():
    line = refusal(mounting_x_m=NAN, min_range_m=-1.0, seed=-1)
    first, _, rest = line.partition(": ")
    assert first in {"mounting_x_m", "min_range_m", "seed"}
    assert {first, *rest.partition("more: ")[2].rstrip(")").split(", ")} == {
        "mounting_x_m",
        "min_range_m",
        "seed",
    }


def test_values_that_do_not_go_together_name_the_parameters_that_were_set():
    both = "got min_range_m 150, expected less than max_range_m 140"
    assert refusal(min_range_m=150.0, max_range_m=140.0) == f"min_range_m, max_range_m: {both}"
    one = "got min_range_m 500, expected less than max_range_m 120"
    assert refusal(min_range_m=500.0) == f"min_range_m: {one}"


def test_columns_of_a_pattern_are_refused_by_name(packed):
    line = refusal(packed, columns=500)
    assert line == "columns: is for presets; a pattern has its own columns"
