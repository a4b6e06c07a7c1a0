# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Whatever plates stand before beams: no light is lost, and echoes are where the waveform is high.

What is expected is computed with numpy, from the directions of the sub-rays alone.
"""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from osi_lidar.scan.from_config import signal_scale_of
from tests.builders.beams import (
    LIMIT,
    SIGMA_R_M,
    SIGMA_RAD,
    beams_at,
    cloud_of,
    plate,
    points_at,
)

N_BEAMS, N_SUB = 40, 16
EDGE_RAD = 1e-6
"""How near to an edge single precision may decide otherwise."""
NOISY = {"near_range_m": 0.0, "false_alarm_probability": 0.05}
MOST_NORMAL = 5.0
"""No number of some thousands that are standard normal is beyond."""

few = settings(
    max_examples=25,
    derandomize=True,
    # the folder is shared by all examples on purpose
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


class Plate(NamedTuple):
    """A rectangle across the beams, between two angles to the left of their axis."""

    x_m: float
    left_rad: float
    right_rad: float
    percent: float


@st.composite
def plates(draw, least=1, most=6):
    """Draw plates, some beside the beams, some across all; their pulses may overlap."""
    is_dense = draw(st.booleans())
    span_mm = (20_000, 23_000) if is_dense else (4_000, 40_000)
    places = draw(st.lists(st.integers(*span_mm), min_size=least, max_size=most, unique=True))
    found = []
    for place in places:
        left = draw(st.floats(-4.0, 2.0))
        width = draw(st.sampled_from([0.3, 1.0, 2.0, 8.0]))
        percent = draw(st.sampled_from([5, 20, 50, 90]))
        edges_rad = left * SIGMA_RAD, (left + width) * SIGMA_RAD
        found.append(Plate(place / 1000.0, *edges_rad, percent))
    return found


def surfaces(scene):
    return [
        (plate(one.x_m, one.x_m * one.left_rad, one.x_m * one.right_rad), one.percent)
        for one in scene
    ]


def hits_of(model, scene):
    """Return range [m] and reflectivity of all sub-rays (n_beam, n_sub), 0 where nothing is hit.

    The third array says which beams pass all edges clearly.
    """
    x, y, _ = model.lidars[0].shots.rays().direction.astype(float).reshape(3, -1, N_SUB)
    nearest_m, back = np.full(x.shape, np.inf), np.zeros(x.shape)
    clear = np.ones(len(x), bool)
    for one in scene:
        at = y / x
        meets = (one.left_rad < at) & (at < one.right_rad) & (one.x_m < nearest_m)
        nearest_m[meets], back[meets] = one.x_m, one.percent / 100.0
        for edge in (one.left_rad, one.right_rad):
            clear &= (np.abs(at - edge) > EDGE_RAD).all(axis=1)
    return np.where(back > 0.0, nearest_m / x, 0.0), back, clear


def of_beam(points, beam):
    return points[points["column"] == beam]


def assert_in_order(points):
    """Assert that the echoes of each beam are numbered from the nearest on."""
    assert (np.diff(points["column"].astype(int)) >= 0).all()
    for beam in np.unique(points["column"]):
        echoes = of_beam(points, beam)
        assert echoes["echo"].tolist() == list(range(len(echoes)))
        assert (echoes["n_echoes"] == len(echoes)).all()
        assert (np.diff(echoes["range"]) > 0).all()


def waveform(x_m, range_m, back):
    """Return the waveform of one beam at some places, and its slope times the pulse's width."""
    off = (x_m[:, None] - range_m) / SIGMA_R_M
    each = back / range_m**2 * np.exp(-0.5 * off * off)
    return each.sum(axis=1), (-off * each).sum(axis=1)


def clear_maxima(range_m, back):
    """Return the places of the maxima that rise by 3 % above the valleys beside them."""
    x_m = np.arange(range_m.min() - SIGMA_R_M, range_m.max() + SIGMA_R_M, 0.02 * SIGMA_R_M)
    height, _ = waveform(x_m, range_m, back)
    rises = np.diff(height) > 0
    tops = np.flatnonzero(rises[:-1] & ~rises[1:]) + 1
    valleys = [0, *(np.flatnonzero(~rises[:-1] & rises[1:]) + 1), len(x_m) - 1]
    return [
        x_m[top]
        for number, top in enumerate(tops)
        if height[valleys[number : number + 2]].max() < 0.97 * height[top]
    ]


@pytest.mark.long
@few
@given(plates())
def test_no_light_is_lost_and_none_is_made(tmp_path, scene):
    model = beams_at(tmp_path, surfaces(scene), n=N_BEAMS)
    points = cloud_of(model).points
    _, back, clear = hits_of(model, scene)
    expected = back.sum(axis=1) / N_SUB
    found = np.bincount(points["column"], points["reflectivity"], minlength=N_BEAMS)
    np.testing.assert_allclose(found[clear], expected[clear], rtol=1e-5, atol=1e-7)
    assert clear.sum() > N_BEAMS // 2
    assert_in_order(points)


@pytest.mark.long
@few
@given(plates(least=2))
def test_echoes_stand_where_the_waveform_is_high(tmp_path, scene):
    model = beams_at(tmp_path, surfaces(scene), n=N_BEAMS)
    points = cloud_of(model).points
    range_m, back, clear = hits_of(model, scene)
    for beam in np.flatnonzero(clear & (back > 0).any(axis=1)):
        seen = back[beam] > 0
        light = range_m[beam, seen], back[beam, seen]
        places_m = of_beam(points, beam)["range"].astype(float)
        height, slope = waveform(places_m, *light)
        assert (np.abs(slope) < 0.03 * height).all()
        for top_m in clear_maxima(*light):
            assert np.abs(places_m - top_m).min() < 0.1 * SIGMA_R_M


@pytest.mark.long
@few
@given(
    st.floats(10.0, 40.0),
    st.floats(0.1, 3.0),
    st.floats(-2.0, 2.0),
    st.sampled_from([0.05, 0.2, 1.0, 5.0, 20.0]),
)
def test_two_surfaces_are_two_echoes_from_two_widths_of_the_pulse_on(
    tmp_path, near_m, times, edge, ratio
):
    far_m = near_m + times * SIGMA_R_M
    near_percent = min(90.0, 90.0 / ratio)
    percents = round(near_percent, 3), round(min(90.0, near_percent * ratio), 3)
    near = plate(near_m, right_m=near_m * edge * SIGMA_RAD)
    points = points_at(tmp_path, [(near, percents[0]), (plate(far_m), percents[1])], n=N_BEAMS)
    assert set(points["column"]) == set(range(N_BEAMS))
    if times < 2.0 * 0.98:
        assert (points["n_echoes"] == 1).all()
    for number, place_m in enumerate((near_m, far_m)):
        off_m = points["range"][(points["n_echoes"] == 2) & (points["echo"] == number)] - place_m
        assert (np.abs(off_m) < 0.9 * SIGMA_R_M).all()


@pytest.mark.long
@few
@given(plates(), st.floats(5.0, 20.0), st.floats(1.0, 20.0))
def test_no_echo_comes_before_the_minimum_range_or_beyond_the_maximum(
    tmp_path, scene, least_m, span_m
):
    limits = {"min_range_m": least_m, "max_range_m": least_m + span_m}
    free = points_at(tmp_path, surfaces(scene), n=N_BEAMS)
    points = points_at(tmp_path, surfaces(scene), n=N_BEAMS, **limits)
    assert (points["range"] >= np.float32(least_m)).all()
    assert (points["range"] <= np.float32(least_m + span_m)).all()
    # light from beyond the maximum range is not traced: it moves no echo far before that
    kept = (free["range"] > least_m) & (free["range"] < least_m + span_m - 8.0 * SIGMA_R_M)
    for one in free[kept]:
        off_m = np.abs(of_beam(points, one["column"])["range"] - one["range"])
        assert off_m.min() < 1e-4


@pytest.mark.long
@few
@given(plates(), st.integers(0, 2**32))
def test_in_noise_nothing_is_reported_below_the_threshold(tmp_path, scene, seed):
    """And nothing from so far away that noise would have to lift it over the threshold by 5."""
    model = beams_at(
        tmp_path, surfaces(scene), n=N_BEAMS, seed=seed, range_limit=LIMIT, receiver=NOISY
    )
    threshold = signal_scale_of(model.config.sensors[0]).threshold
    cloud = cloud_of(model)
    points, real = cloud.points, cloud.points["origin"] != 2
    assert (points["snr"] >= threshold * (1.0 - 1e-6)).all()
    assert (cloud.existence > 0.0).all()
    assert (cloud.existence <= 1.0).all()
    error_m = MOST_NORMAL * cloud.rmse_m
    assert (points["range"] > 0.5 - error_m).all()
    assert (points["range"] < 200.0 + error_m).all()
    assert (points["range"][~real] >= 0.5).all()
    range_m, back, clear = hits_of(model, scene)
    signal = threshold * back / N_SUB / 0.1 * (60.0 / np.maximum(range_m, 1.0)) ** 2
    strongest = signal.sum(axis=1)[cloud.beam]  # of all light of the beam at one place
    chosen = real & clear[cloud.beam]
    assert (points["snr"] < strongest + MOST_NORMAL)[chosen].all()
    off_m = np.abs(cloud.true_range_m[chosen, None] - range_m[cloud.beam[chosen]]).min(axis=1)
    np.testing.assert_allclose(off_m, 0.0, atol=1e-4)


@pytest.mark.long
@few
@given(plates(least=2), st.integers(0, 2**32), st.sampled_from(["signal", "reflectivity"]))
def test_a_mode_reports_those_of_all_that_it_is_named_after(tmp_path, scene, seed, strongest_by):
    def cloud(mode):
        returns = {"mode": mode, "max": 8, "strongest_by": strongest_by}
        return points_at(
            tmp_path,
            surfaces(scene),
            n=N_BEAMS,
            seed=seed,
            range_limit=LIMIT,
            receiver=NOISY,
            returns=returns,
        )

    every = cloud("all")
    strength = every["snr" if strongest_by == "signal" else "reflectivity"]
    beams = np.unique(every["column"])
    rows = {"strongest": [], "first": [], "last": []}
    for beam in beams:
        of = np.flatnonzero(every["column"] == beam)
        rows["strongest"].append(of[strength[of].argmax()])
        rows["first"].append(of[0])
        rows["last"].append(of[-1])
    for mode, chosen in rows.items():
        found = cloud(mode)
        assert found["column"].tolist() == beams.tolist()
        for name in ("range", "snr", "reflectivity", "width_m", "origin", "material_id"):
            np.testing.assert_array_equal(found[name], every[name][chosen])
