# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions of the Embree library that kernels call."""

from raycore.embree import function_address
from raycore.errors import EmbreeError
from tests.builders.refusals import one_line


def test_a_function_that_the_library_lacks_is_one_line():
    assert function_address("rtcIntersect4") > 0
    with one_line(EmbreeError, "the Embree library has no function rtcIntersect3, expected"):
        function_address("rtcIntersect3")
