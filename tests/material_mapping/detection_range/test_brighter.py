# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A range limit whose signals are multiplied, against the limit of a brighter target."""

import numpy as np
import pytest

from material_mapping.detection_range.brighter import with_signal
from material_mapping.detection_range.least_reflectivity import least_reflectivity
from material_mapping.detection_range.range_equation import fit_equation
from material_mapping.detection_range.range_limit import FITS, RangeLimit

PAIRS = ((10, 40), (80, 120))
REFLECTIVITY = np.geomspace(0.01, 1.5, 40)
RANGE_M = np.linspace(1.0, 150.0, 40)


def curves():
    yield from (RangeLimit.from_pairs(PAIRS, fit=fit, max_range_m=150.0) for fit in FITS)
    for target in ("extended", "line", "point"):
        equation = fit_equation(PAIRS, target=target).equation
        yield RangeLimit.from_equation(equation, max_range_m=150.0)
    pieces = [(20, "root2", PAIRS), (None, "log", ((20, 90), (80, 130)))]
    yield RangeLimit.from_pieces(pieces, max_range_m=150.0)
    yield RangeLimit.constant(150.0)


@pytest.mark.parametrize("factor", [0.5, 1.7])
@pytest.mark.parametrize("limit", [*curves()], ids=lambda each: each.pieces[0].formula())
def test_a_target_is_seen_as_far_as_one_that_is_brighter_by_the_factor(limit, factor):
    brighter = with_signal(limit, factor)
    expected_m = limit.max_range_m(factor * REFLECTIVITY)
    np.testing.assert_allclose(brighter.max_range_m(REFLECTIVITY), expected_m, rtol=1e-12)
    least = least_reflectivity(limit, RANGE_M) / factor  # so signals are times the factor
    np.testing.assert_allclose(least_reflectivity(brighter, RANGE_M), least, rtol=1e-9)
    assert brighter.cap_m == limit.cap_m


def test_the_factor_1_changes_nothing():
    limit = RangeLimit.from_pairs(PAIRS)
    assert with_signal(limit, 1.0) is limit
