# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Spurious points in beams near the sun: how many, where, and when there are none.

Shares are tested at 4 standard deviations of a binomial count (6e-5 by chance), with fixed seeds.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

from osi_bridge import Sun
from osi_lidar.scan.media.glare_kernels import GlareArrays, write_glare
from tests.builders.beams import beams_at, plate, toward
from tests.builders.messages import frames
from tests.builders.threads import kernel_threads
from tests.builders.worlds import AT_ORIGIN

N = 5000
ELEVATION_DEG = 20.0
GLARE = {"false_alarm_probability": 1e-9, "sun_glare": True, "precision": []}
"""A receiver with no false alarms, and none of its own errors."""
BEHIND = [(plate(-30.0), 50)]


EAST = Sun(direction=toward(0.0, ELEVATION_DEG), lux=100_000.0)


def model_of(folder, angles_deg, surfaces=BEHIND, **sensor):
    """Return a model of N beams at each of some angles below a sun in the east."""
    below = [[0.0, ELEVATION_DEG - angle] for angle in angles_deg for _ in range(N)]
    pattern = {"kind": "pairs", "azimuth_elevation_deg": below}
    return beams_at(folder, surfaces, **{"pattern": pattern, "receiver": GLARE, **sensor})


def cloud_before(model, sun=EAST):
    (frame,) = frames([[]], host_id=None)
    return model.step(replace(frame, sun=sun)).scans[0].cloud


def chance(angle_deg, lux=1e5):
    """Return the fit, as the source has it."""
    off = math.radians(angle_deg) - 0.05298
    return max(0.0, min(1.0, 3.33e-5 * lux) * (0.281 - 598.28 * off * off))


@pytest.mark.parametrize("lux", [100_000.0, 12_000.0])
def test_the_share_of_beams_with_a_spurious_point_follows_the_fit(tmp_path, lux):
    angles_deg = [0.0, 1.0, 1.75, 2.0, 2.5, 3.04, 3.5, 4.0, 4.3, 10.0, 90.0]
    cloud = cloud_before(model_of(tmp_path, angles_deg), replace(EAST, lux=lux))
    assert (cloud.points["origin"] == 2).all()
    assert (cloud.object_id == 2**64 - 1).all()
    for number, angle_deg in enumerate(angles_deg):
        count = (cloud.beam // N == number).sum()
        expected = chance(angle_deg, lux)
        assert abs(count - N * expected) <= 4.0 * math.sqrt(N * expected * (1.0 - expected))
    assert chance(3.04) == pytest.approx(0.281, abs=1e-4)
    assert (chance(1.75), chance(4.3)) == (0.0, 0.0)


def test_gains_of_lasers_do_not_change_the_glare(tmp_path):
    weak_sun = replace(EAST, lux=12_000.0)  # else the limit of b hides the gain
    alike, weak = (
        cloud_before(model_of(tmp_path, [3.0], laser_gains=gains), weak_sun).points["column"]
        for gains in ((), (0.25,))
    )
    assert len(alike) > 300
    np.testing.assert_array_equal(alike, weak)


def test_ranges_are_uniform_and_signals_are_those_of_false_alarms(tmp_path):
    """Kolmogorov's D stays below 1.95 / sqrt(n), and S'^2 - k^2 = -2 ln u has the mean 2."""
    points = cloud_before(model_of(tmp_path, [3.0] * 4)).points
    n = len(points)
    assert n > 5000
    share = np.sort((points["range"] - 0.5) / (200.0 - 0.5))
    assert np.abs(share - np.arange(n) / n).max() < 1.95 / math.sqrt(n)
    snr = points["snr"].astype(float)
    least = snr.min()
    assert np.mean(snr**2 - least**2) == pytest.approx(2.0, abs=4.0 * 2.0 / math.sqrt(n))


@pytest.mark.parametrize(
    ("sun", "receiver"),
    [
        (None, {}),
        (replace(EAST, lux=0.0), {}),
        (replace(EAST, direction=toward(0.0, 0.0)), {}),  # at the horizon
        (EAST, {"sun_glare": False}),
    ],
)
def test_there_is_no_glare_without_a_sun_or_where_it_is_off(tmp_path, sun, receiver):
    model = model_of(tmp_path, [17.0, 3.0], receiver={**GLARE, **receiver})
    assert len(cloud_before(model, sun).points) == 0


def test_a_sun_below_the_horizon_makes_no_glare(tmp_path):
    model = model_of(tmp_path, [ELEVATION_DEG + 2.0])
    below = replace(EAST, direction=toward(0.0, -5.0))  # 3 deg from the beams
    assert len(cloud_before(model, below).points) == 0


def test_the_sun_is_seen_in_the_frame_of_the_sensor(tmp_path):
    north = replace(EAST, direction=toward(90.0, ELEVATION_DEG))
    for yaw_deg, sees in ((0.0, EAST), (90.0, north)):
        mounting = {**AT_ORIGIN, "yaw_deg": yaw_deg}
        model = model_of(tmp_path, [3.0], mounting=mounting)
        for sun in (EAST, north):
            assert (len(cloud_before(model, sun).points) > 0) == (sun is sees)


def test_each_beam_of_a_turning_sensor_has_its_own_pose():
    """The sun leaves the beam's axis by 3 deg from one pose to the next; the third one is blind."""
    to_sun = np.array([toward(angle, 0.0) for angle in (0.0, 3.0)])
    axis = np.tile(np.array([[1.0], [0.0], [0.0]], np.float32), 3)
    clear, moment = np.ones(1, np.float32), np.array([0, 1, 1], np.uint32)
    glare = GlareArrays(1.0, clear, to_sun, axis, moment)
    drawn = np.full(3, 0.1)
    write_glare(glare, np.arange(3, dtype=np.uint32), 0, np.array([False, False, True]), drawn)
    np.testing.assert_allclose(drawn, [1.0, 0.1 / chance(3.0), 1.0])


def test_the_window_takes_from_the_sun_once(tmp_path):
    """Half of 40 000 lx is as 20 000 lx; 0.25 both ways. Where nothing passes, no sun does."""
    lux, window = 40_000.0, {"transmission": 0.5}
    model = model_of(tmp_path, [3.0], weather={"window": window})
    count = len(cloud_before(model, replace(EAST, lux=lux)).points)
    expected = chance(3.0, 0.5 * lux)
    assert abs(count - N * expected) <= 4.0 * math.sqrt(N * expected * (1.0 - expected))
    blocked = model_of(tmp_path, [3.0], weather={"window": {"transmission": 0.0}})
    assert len(cloud_before(blocked).points) == 0


def test_other_draws_stay_the_same(tmp_path):
    noisy = {"false_alarm_probability": 0.05}
    without, with_glare = (
        cloud_before(
            model_of(tmp_path, [3.0], [(plate(30.0), 50)], receiver={**noisy, "sun_glare": on})
        )
        for on in (False, True)
    )
    rows = [
        set(zip(cloud.beam, cloud.points["range"], cloud.points["snr"], strict=True))
        for cloud in (without, with_glare)
    ]
    assert rows[0] < rows[1]
    assert len(rows[1]) - len(rows[0]) == pytest.approx(N * chance(3.0), rel=0.1)


def test_the_number_of_threads_changes_nothing(tmp_path):
    model = model_of(tmp_path, [2.0, 3.0])
    clouds = []
    for n_threads in (1, 2):
        with kernel_threads(n_threads):
            model.restart()
            clouds.append(cloud_before(model).points.tobytes())
    assert clouds[0] == clouds[1]
    assert clouds[0]
