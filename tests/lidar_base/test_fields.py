# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Fields that are added to rows."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lidar_base.fields import with_field

ROW = np.dtype([("x", "<f4"), ("ring", "u1"), ("id", "<u8")])


@pytest.mark.parametrize("n", [0, 1, 5])
def test_a_field_comes_last_and_the_others_stay(n):
    rows, values = np.zeros(n, ROW), np.arange(n, dtype=np.float32)
    rows["x"], rows["ring"], rows["id"] = 0.5 * values, values, 2**60 + np.arange(n)
    wider = with_field(rows, "speed", values)
    assert wider.dtype.descr == [*ROW.descr, ("speed", "<f4")]
    for name in ROW.names:
        assert_array_equal(wider[name], rows[name])
    assert_array_equal(wider["speed"], values)
