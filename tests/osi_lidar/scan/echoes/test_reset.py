# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A comparator that must fall below the threshold between two echoes.

Two plates fill half of each beam. What is expected is read off the sum of their Gaussians, which
the tests sample finely, in multiples of the threshold k.
"""

import numpy as np
import pytest

from osi_lidar.scan.echoes.maxima_kernels import APART
from tests.builders.beams import LIMIT, SEES, SIGMA_R_M, plate, points_at

NEAR_M = 30.0
ALL = {"mode": "all", "max": 8}
RESET = {**ALL, "reset": "threshold"}


def brightness(peak, range_m):
    """Return the reflectivity, in percent, of half a beam whose peak is a multiple of k.

    Its signal is k w R / R_min(r), and R_min(r) = 0.1 (r / 60 m)^2.
    """
    return 100.0 * peak / 0.5 * 0.1 * (range_m / 60.0) ** 2


def two(near, far, apart_m, near_m=NEAR_M):
    """Return two plates whose echoes have these peaks, in multiples of k."""
    far_m = near_m + apart_m
    return [
        (plate(near_m, right_m=0.0), brightness(near, near_m)),
        (plate(far_m), brightness(far, far_m)),
    ]


class Sampled:
    """The waveform of two plates, in multiples of k."""

    def __init__(self, near, far, apart_m, near_m=NEAR_M):
        self.x_m = near_m + np.arange(-3.0, apart_m + 3.0, 1e-4)
        height = [
            peak * np.exp(-0.5 * ((self.x_m - at_m) / SIGMA_R_M) ** 2)
            for peak, at_m in ((near, near_m), (far, near_m + apart_m))
        ]
        self.s = sum(height)

    def rises_m(self, level):
        return self.x_m[1:][(self.s[1:] >= level) & (self.s[:-1] < level)]

    def falls_m(self, level):
        return self.x_m[1:][(self.s[1:] < level) & (self.s[:-1] >= level)]


PLATES = [
    (3.0, 3.0, 1.15, 1),
    (3.0, 3.0, 1.25, 2),  # from 2 sigma_r sqrt(2 ln 6) = 1.205 m on
    (10.0, 10.0, 1.5, 1),
    (10.0, 10.0, 1.6, 2),  # from 1.558 m on
    (10.0, 2.0, 1.2, 1),
    (10.0, 2.0, 1.4, 2),
    (2.0, 10.0, 1.2, 1),
    (2.0, 10.0, 1.4, 2),
]


@pytest.mark.parametrize(("near", "far", "apart_m", "n_echoes"), PLATES)
def test_maxima_whose_valley_stays_above_the_threshold_are_one_echo(
    tmp_path, near, far, apart_m, n_echoes
):
    waveform = Sampled(near, far, apart_m)
    assert len(waveform.rises_m(1.0)) == n_echoes
    points = points_at(tmp_path, two(near, far, apart_m), n=20, range_limit=LIMIT, returns=RESET)
    assert len(points) == 20 * n_echoes
    assert (points["n_echoes"] == n_echoes).all()


@pytest.mark.parametrize(("near", "far", "apart_m"), [each[:3] for each in PLATES])
def test_by_default_every_maximum_is_an_echo(tmp_path, near, far, apart_m):
    plates = two(near, far, apart_m)
    points = points_at(tmp_path, plates, n=20, range_limit=LIMIT, returns=ALL)
    assert (points["n_echoes"] == 2).all()
    none = points_at(tmp_path, plates, n=20, range_limit=LIMIT, returns={**ALL, "reset": "none"})
    assert none.tobytes() == points.tobytes()


def test_the_valley_of_very_strong_echoes_counts_where_they_no_longer_touch(tmp_path):
    """18 000 k at 1 m: the sum of two tails 4 widths away from each is still above k."""
    near, far = 18_000.0, 1_300.0
    for apart_m, n_echoes in ((2.2, 1), (2.6, 1), (2.9, 2)):
        assert apart_m > 2.0 * APART * SIGMA_R_M
        assert len(Sampled(near, far, apart_m, near_m=1.0).rises_m(1.0)) == n_echoes
        points = points_at(
            tmp_path, two(near, far, apart_m, near_m=1.0), n=20, range_limit=LIMIT, returns=RESET
        )
        assert len(points) == 20 * n_echoes


@pytest.mark.parametrize(("near", "far", "apart_m"), [(10.0, 10.0, 1.5), (12.0, 4.0, 1.2)])
def test_one_echo_lasts_from_the_first_rise_to_the_last_fall(tmp_path, near, far, apart_m):
    """The tail of the other plate moves a crossing by less than 1 % of the pulse's width."""
    waveform = Sampled(near, far, apart_m)
    width_m = waveform.falls_m(1.0)[-1] - waveform.rises_m(1.0)[0]
    plates = two(near, far, apart_m)
    points = points_at(tmp_path, plates, n=20, range_limit=LIMIT, returns=RESET)
    np.testing.assert_allclose(points["width_m"], width_m, atol=0.02 * SIGMA_R_M)
    both = sum(percent for _, percent in plates) / 2.0 / 100.0
    np.testing.assert_allclose(points["reflectivity"], both, rtol=1e-3)


@pytest.mark.parametrize(
    ("near", "far", "apart_m"),
    [(12.0, 4.0, 1.2), (4.0, 12.0, 1.2), (5.5, 10.0, 1.4), (4.5, 10.0, 1.4)],
)
@pytest.mark.parametrize("method", ["peak", "centroid", "leading_edge", "fraction"])
def test_the_range_of_one_echo_follows_the_method(tmp_path, near, far, apart_m, method):
    """Edges are reported as far behind their rise as they are before the maximum of a wall."""
    waveform = Sampled(near, far, apart_m)
    top = waveform.s.max()
    expected_m = {
        "peak": waveform.x_m[waveform.s.argmax()],
        "centroid": (waveform.s * waveform.x_m).sum() / waveform.s.sum(),
        "leading_edge": waveform.rises_m(1.0)[0] + SIGMA_R_M * np.sqrt(2.0 * np.log(near)),
        "fraction": waveform.rises_m(0.5 * top)[0] + SIGMA_R_M * np.sqrt(2.0 * np.log(2.0)),
    }[method]
    points = points_at(
        tmp_path,
        two(near, far, apart_m),
        n=20,
        range_limit=LIMIT,
        returns={**RESET, "method": method},
    )
    assert len(points) == 20
    np.testing.assert_allclose(points["range"], expected_m, atol=0.02 * SIGMA_R_M)


@pytest.mark.parametrize(("near", "far", "apart_m"), [(12.0, 4.0, 1.2), (4.5, 10.0, 1.4)])
def test_an_uncorrected_edge_is_reported_a_constant_behind_its_rise(tmp_path, near, far, apart_m):
    """The constant is that of an echo of 10 k, whichever of the two plates is brighter."""
    points = points_at(
        tmp_path,
        two(near, far, apart_m),
        n=20,
        range_limit=LIMIT,
        returns={**RESET, "method": "leading_edge"},
        receiver={**SEES, "walk_residual": 1.0},
    )
    assert len(points) == 20
    expected_m = Sampled(near, far, apart_m).rises_m(1.0)[0] + SIGMA_R_M * np.sqrt(2 * np.log(10.0))
    np.testing.assert_allclose(points["range"], expected_m, atol=0.02 * SIGMA_R_M)


def test_noise_neither_joins_nor_parts_maxima(tmp_path):
    """The valley of 1.03 k and 0.96 k is that without noise; the echoes are sure to be seen."""
    for apart_m, n_echoes in ((1.55, 1), (1.57, 2)):
        points = points_at(
            tmp_path,
            two(10.0, 10.0, apart_m),
            n=400,
            range_limit=LIMIT,
            returns=RESET,
            receiver={"near_range_m": 0.0, "precision": []},
        )
        real = points[points["origin"] == 0]
        assert len(real) == 400 * n_echoes
