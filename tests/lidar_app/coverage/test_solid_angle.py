# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a point is inside a closed mesh."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from lidar_app.coverage.solid_angle import winding_number
from raycore.mesh.mesh import box

BOX = box((2.0, 1.0, 4.0))
CORNERS_M = BOX.vertices_m.astype(np.float64)[BOX.faces]


@given(st.tuples(*[st.floats(-3.0, 3.0)] * 3))
def test_a_point_is_in_a_box_where_its_coordinates_say_so(place):
    beyond = np.abs(place) / np.array([1.0, 0.5, 2.0]) - 1.0
    assume(abs(beyond.max()) > 1e-6)
    expected = 1.0 if beyond.max() < 0.0 else 0.0
    np.testing.assert_allclose(winding_number(np.array(place), CORNERS_M), expected, atol=1e-6)


def test_nothing_encloses_nothing():
    assert winding_number(np.zeros(3), np.zeros((0, 3, 3))) == 0.0
