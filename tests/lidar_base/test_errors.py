# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The text of an error, whatever the names in it hold."""

import pytest

from fmu_src.errors import FmuError
from lidar_base.errors import BaseError, OsiLidarError
from material_mapping import MaterialError
from osi_bridge import OsiError
from raycore.errors import RayCoreError


@pytest.mark.parametrize(
    "kind", [BaseError, OsiLidarError, OsiError, RayCoreError, MaterialError, FmuError]
)
def test_the_text_of_an_error_is_one_line_without_what_a_terminal_acts_on(kind):
    text = str(kind("map.yaml: key 'a\nb\r\nc\u2028d' is \x1b[31mred\x07, expected ä"))
    assert text == "map.yaml: key 'a b c d' is \\x1b[31mred\\x07, expected ä"
