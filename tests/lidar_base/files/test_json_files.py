# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""JSON whose numbers are finite, and that ends with one kind of error whatever is wrong with it."""

import pytest

from lidar_base.files.json_files import finite_json


def test_finite_numbers_are_taken():
    assert finite_json(b'{"a": [1, -2.5e3, 1e308, true, null]}') == {
        "a": [1, -2500.0, 1e308, True, None]
    }


@pytest.mark.parametrize(
    "text", ["Infinity", "[-Infinity]", "[NaN]", "1e999", '{"a": -1e400}', "", "[1", "[" * 100_000]
)
def test_other_numbers_and_no_json_are_a_value_error(text):
    with pytest.raises(ValueError, match=r"finite|Expecting|brackets"):
        finite_json(text)
