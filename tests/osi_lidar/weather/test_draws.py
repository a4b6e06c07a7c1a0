# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Random numbers of weather: one effect changes no number of another, nor does what came before."""

import numpy as np
import pytest

from lidar_scenery.weather.state import Weather
from tests.builders.beams import LIMIT, cloud_of, plate
from tests.builders.messages import frames
from tests.builders.weather import FOG, PUCK, RAIN, SURFACE, model_in

NOISY = {**PUCK, "receiver": {"near_range_m": 8.3}, "returns": {"mode": "all", "max": 8}}
WALL = [(plate(20.0), 60.0)]
RAINY, FOGGY = Weather(rain_mm_h=25.0), Weather(visibility_m=60.0)
BOTH = Weather(rain_mm_h=25.0, visibility_m=60.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("draws")


def clouds_in(folder, weathers, surfaces=WALL, **sensor):
    """Return a cloud for each scan of a world at rest whose weather changes."""
    chosen = {"n": 6000, **NOISY, **sensor}
    model, found = model_in(Weather(), folder, surfaces, **chosen), []
    for weather, frame in zip(weathers, frames([[]] * len(weathers), host_id=None), strict=True):
        model.world.sky.weather = weather
        found.append(model.step(frame).scans[0].cloud)
    return found


def errors(cloud, origin):
    """Return the beams with one echo of an origin, and the error of its range over its rms."""
    own = np.flatnonzero(cloud.points["origin"] == origin)
    beams, first, count = np.unique(cloud.beam[own], return_index=True, return_counts=True)
    rows = own[first[count == 1]]
    error_m = cloud.points["range"][rows].astype(np.float64) - cloud.true_range_m[rows]
    return beams[count == 1], error_m / cloud.rmse_m[rows]


def assert_same_errors(one, other, origin):
    """Assert that beams which have an echo in two clouds have the same error in both."""
    (beams, ours), (others, theirs) = errors(one, origin), errors(other, origin)
    common, rows, other_rows = np.intersect1d(beams, others, return_indices=True)
    assert len(common) > 500
    np.testing.assert_allclose(ours[rows], theirs[other_rows], atol=0.01)  # the mean of a footprint


def test_scans_depend_on_their_weather_and_time_alone(folder):
    """Whatever the weather was before."""
    changing = clouds_in(folder, [RAINY, FOGGY, BOTH])[-1]
    steady = clouds_in(folder, [BOTH, BOTH, BOTH])[-1]
    assert changing.points.tobytes() == steady.points.tobytes()


def test_two_scans_in_rain_have_other_drops(folder):
    first, second = clouds_in(folder, [RAINY, RAINY], n=20_000)
    drops = [cloud.beam[cloud.points["origin"] == RAIN] for cloud in (first, second)]
    assert min(map(len, drops)) > 50
    assert len(np.intersect1d(*drops)) < 0.2 * min(map(len, drops))


def test_another_seed_has_other_drops(folder):
    (one,), (other,) = (clouds_in(folder, [RAINY], n=20_000, seed=seed) for seed in (0, 1))
    drops = [cloud.beam[cloud.points["origin"] == RAIN] for cloud in (one, other)]
    assert len(np.intersect1d(*drops)) < 0.2 * min(map(len, drops))


def test_fog_changes_no_error_of_surfaces(folder):
    (clear,), (fog,) = clouds_in(folder, [Weather()]), clouds_in(folder, [FOGGY])
    assert (fog.points["origin"] == FOG).any()
    assert_same_errors(clear, fog, SURFACE)


def test_rain_changes_no_error_of_surfaces_or_fog(folder):
    (fog,), (both,) = clouds_in(folder, [FOGGY]), clouds_in(folder, [BOTH])
    assert (both.points["origin"] == RAIN).any()
    assert_same_errors(fog, both, SURFACE)
    assert_same_errors(fog, both, FOG)


def test_fog_changes_no_uniform_number_of_drops(folder):
    """A beam keeps its drop if fog weakens it little, which is the case within 2 m."""
    (rain,), (both,) = (clouds_in(folder, [each], (), n=60_000) for each in (RAINY, BOTH))
    near = [
        cloud.beam[(cloud.points["origin"] == RAIN) & (cloud.points["range"] < 2.0)]
        for cloud in (rain, both)
    ]
    assert len(near[1]) > 25
    assert len(np.setdiff1d(near[1], near[0])) < 0.1 * len(near[1])


def test_a_process_that_follows_has_the_drops_of_one_that_answers(folder):
    """Scans of a sensor without noise differ in rain, also where nobody has made the one before."""
    calm = {**PUCK, "n": 20_000}
    told = frames([[]] * 3, host_id=None)
    answers, follows = (model_in(RAINY, folder, WALL, **calm) for _ in range(2))
    steps = [answers.step(frame) for frame in told]
    assert [follows.follow(frame, {}) for frame in told[:2]] == [True, True]
    (mine,), (theirs,) = follows.step(told[2]).scans, steps[2].scans
    assert mine.cloud.points.tobytes() == theirs.cloud.points.tobytes()
    assert (mine.traced, mine.cloud_number) == (theirs.traced, theirs.cloud_number) == (True, 2)


def test_a_second_look_changes_no_error_of_fog(folder):
    half = [(plate(20.0, right_m=0.0), 50.0)]
    fine = {"beam": {**PUCK["beam"], "refine": True}, "range_limit": LIMIT}
    (once,) = clouds_in(folder, [FOGGY], half, range_limit=LIMIT)
    (twice,) = clouds_in(folder, [FOGGY], half, **fine)
    assert_same_errors(once, twice, FOG)


def test_a_message_that_comes_again_has_the_same_drops(folder):
    model = model_in(RAINY, folder, WALL, n=6000, **PUCK)
    first = cloud_of(model).points
    assert cloud_of(model).points.tobytes() == first.tobytes()
