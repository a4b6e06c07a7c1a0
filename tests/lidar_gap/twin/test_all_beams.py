# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Beams without a return: where they went, and what they say of the reflectivity there."""

from dataclasses import replace

import numpy as np
import pytest

from lidar_gap.layout import sensor_layout
from lidar_gap.records import ScanCloud
from lidar_gap.twin.cloud_map import voxels
from lidar_gap.twin.reflectivity.albedo import SignalLaw, albedo
from lidar_gap.twin.reflectivity.all_beams import MapPoints, Recorded, SentBeams, beams_of
from lidar_gap.twin.reflectivity.censored import censored_albedos
from lidar_gap.twin.reflectivity.photon_counter import CountLikelihood, PhotonCounter
from lidar_gap.twin.surface import MapSurface
from osi_lidar.config import Sensor

RECEIVER = PhotonCounter(half=4.65, spread=0.4)
WALL_M, WIDE_M, HIGH_M = 5.0, 3.0, 2.0  # distance of a wall, and half of its sizes
LAW = SignalLaw()


N_RING = 4


def sent_at(albedos, n_beam, *, scatter=0.4, n_view=40, laser_gain=(1.0,) * N_RING):
    """Beams to places in a row, 1 m apart, of which a known receiver returns some."""
    random = np.random.default_rng(5)
    place = np.repeat(np.arange(len(albedos)), n_beam)
    gain = random.uniform(0.6, 1.4, len(place))
    view = np.tile(np.arange(n_beam) % n_view, len(albedos))
    ring = random.integers(0, N_RING, len(place))
    seen = albedos[place] * gain * np.exp(scatter * random.standard_normal(len(place)))
    seen *= np.array(laser_gain)[ring]
    counted = random.poisson(seen).astype(float)
    counted[random.random(len(place)) > RECEIVER.returned(counted)] = 0.0
    beams = SentBeams(point=place, gain=gain, counted=counted, frame=view, ring=ring, n_ring=N_RING)
    points_m = np.arange(len(albedos))[:, None] * [1.0, 0.0, 0.0] + 0.1
    levels = (voxels(points_m, 100.0), voxels(points_m, 0.5))
    return beams, view, levels


def test_places_of_which_a_part_returns_are_found_without_bias():
    """But for the share that is taken for lost, 0.05; the median of the returns is far off."""
    albedos = np.array([1.0, 2.0, 4.0, 8.0, 20.0, 60.0, 300.0])
    beams, view, levels = sent_at(albedos, 4000)
    found = censored_albedos(beams, view, levels, RECEIVER)
    np.testing.assert_allclose(found.albedo[1:], albedos[1:], rtol=0.09)
    np.testing.assert_allclose(found.albedo[0], albedos[0], rtol=0.2)
    assert found.scatter == pytest.approx(0.4, abs=0.03)
    told = beams.counted > 0
    by_returns = albedo(beams.counted[told], beams.gain[told], beams.point[told], RECEIVER)
    assert (by_returns[:2] > 1.3 * albedos[:2]).all()
    assert found.n_beams.tolist() == [4000] * 7
    assert found.n_returns.sum() == told.sum()


def test_a_place_that_never_returns_is_dark_and_one_without_beams_is_as_those_about_it():
    albedos = np.array([40.0] * 6 + [0.02])
    beams, view, levels = sent_at(albedos, 1000)
    never = beams.point == 6
    assert not beams.counted[never].any()
    elsewhere = SentBeams(
        point=beams.point[beams.point != 0],
        gain=beams.gain[beams.point != 0],
        counted=beams.counted[beams.point != 0],
        frame=beams.frame[beams.point != 0],
        ring=beams.ring[beams.point != 0],
        n_ring=N_RING,
    )
    found = censored_albedos(elsewhere, view[beams.point != 0], levels, RECEIVER)
    assert found.albedo[6] < 3.0
    assert found.n_beams[0] == 0
    assert 20.0 < found.albedo[0] < 45.0
    assert found.log_sigma[0] == pytest.approx(0.25, abs=0.005)
    assert found.log_sigma[1] < 0.05


def test_views_that_disagree_make_a_place_less_sure():
    """Each view is off by a factor of its own: 10 views of 400 beams tell as much as 10 beams."""
    random = np.random.default_rng(2)
    beams, view, levels = sent_at(np.full(5, 80.0), 4000, scatter=0.1, n_view=10)
    sure = censored_albedos(beams, view, levels, RECEIVER)
    factor = np.exp(0.3 * random.standard_normal((5, 10)))[beams.point, view]
    off = SentBeams(
        point=beams.point,
        gain=beams.gain,
        counted=np.rint(beams.counted * factor),
        frame=beams.frame,
        ring=beams.ring,
        n_ring=N_RING,
    )
    unsure = censored_albedos(off, view, levels, RECEIVER)
    assert (sure.log_sigma < 0.02).all()
    assert np.median(unsure.log_sigma) == pytest.approx(0.3 / np.sqrt(10), rel=0.4)


@pytest.mark.long
def test_lasers_are_told_apart_from_places():
    """Gains whose mean logarithm is 0; one of which few beams tell, or none, has 1."""
    albedos, gains = np.array([4.0, 8.0, 20.0, 60.0, 300.0]), np.array([0.4, 1.0, 1.0, 2.5])
    beams, view, levels = sent_at(albedos, 6000, laser_gain=gains)
    found = censored_albedos(beams, view, levels, RECEIVER)
    np.testing.assert_allclose(found.laser_gain, gains, rtol=0.04)
    np.testing.assert_allclose(found.albedo, albedos, rtol=0.1)
    alike = censored_albedos(sent_at(albedos, 6000)[0], view, levels, RECEIVER)
    np.testing.assert_allclose(alike.laser_gain, 1.0, atol=0.03)
    few = np.arange(len(beams.ring)) < 5
    more = replace(beams, ring=np.where(few, N_RING, beams.ring), n_ring=N_RING + 2)
    assert censored_albedos(more, view, levels, RECEIVER).laser_gain[N_RING:].tolist() == [1, 1]


def test_slopes_are_those_of_the_likelihood():
    """A count of a bright place: normal in the logarithm; no return: less likely the brighter."""
    likelihood = CountLikelihood(receiver=RECEIVER, scatter=0.3)
    at = np.log(np.array([200.0, 100.0, 5.0]))
    slope, information = likelihood.slopes(np.array([220.0, 120.0, 0.0]), at)
    variance = 0.3**2 + 1 / np.array([220.0, 120.0])
    np.testing.assert_allclose(slope[:2], np.log([1.1, 1.2]) / variance, rtol=0.05)
    np.testing.assert_allclose(information[:2], 1 / variance, rtol=0.05)
    assert slope[2] < -0.5


@pytest.fixture(scope="module")
def layout():
    return sensor_layout(Sensor.model_validate({"preset": "OS0-64", "columns": 512}))


@pytest.fixture(scope="module")
def wall():
    """A wall ahead, as a mesh of squares of 0.1 m."""
    y, z = np.meshgrid(np.arange(-WIDE_M, WIDE_M, 0.1), np.arange(-HIGH_M, HIGH_M, 0.1))
    vertices = np.stack([np.full(y.size, WALL_M), y.ravel(), z.ravel()], axis=1)
    corner = np.arange(y.size).reshape(y.shape)
    first, second, third, fourth = (
        corner[rows, columns].ravel()
        for rows, columns in (
            (slice(-1), slice(-1)),
            (slice(-1), slice(1, None)),
            (slice(1, None), slice(-1)),
            (slice(1, None), slice(1, None)),
        )
    )
    faces = np.concatenate([np.c_[first, third, second], np.c_[second, third, fourth]])
    mesh = MapSurface(vertices_m=vertices, faces=faces, nearest=np.arange(len(vertices)))
    return MapPoints(mesh=mesh, points_m=vertices, normals=np.tile([-1.0, 0.0, 0.0], (y.size, 1)))


def everywhere(at_m):
    return np.ones(at_m.shape[:-1], dtype=bool)


def seen(layout, returns, *, at_m=WALL_M):
    """A cloud of the beams that meet the wall and return; ``returns`` tells by the place."""
    origin_m, direction = layout.beams()
    range_m = (at_m - origin_m[..., 0]) / np.where(
        direction[..., 0] > 0.1, direction[..., 0], np.nan
    )
    points_m = origin_m + range_m[..., None] * direction
    met = (np.abs(points_m[..., 1]) < WIDE_M - 0.1) & (np.abs(points_m[..., 2]) < HIGH_M - 0.1)
    met &= returns(points_m)
    return ScanCloud(
        name="wall",
        points_m=points_m[met],
        range_m=range_m[met],
        signal=np.full(met.sum(), 60.0, np.float32),
    )


def told(clouds, layout, wall):
    recorded = Recorded(
        clouds=clouds,
        signals=[each.signal.astype(float) for each in clouds],
        world_from_sensor=np.tile(np.eye(4), (len(clouds), 1, 1)),
        layout=layout,
    )
    return beams_of(recorded, wall, LAW, np.full(len(wall.points_m), 60.0 * WALL_M**2))


def test_beams_without_a_return_are_those_of_the_part_that_is_dark(layout, wall):
    """The lowest metre never returns; edges of the wall do not tell, nor what is off it."""
    beams = told([seen(layout, lambda at_m: at_m[..., 2] > -1.0)] * 3, layout, wall)
    height_m = wall.points_m[beams.point, 2]
    dark = beams.counted == 0.0
    assert dark.sum() > 300
    assert height_m[dark].max() < -0.8
    assert height_m[~dark].min() > -1.2
    assert np.abs(wall.points_m[beams.point, 1]).max() < WIDE_M - 0.05
    assert beams.gain.max() < 1.05 / WALL_M**2
    assert set(beams.frame) == {0, 1, 2}


def test_what_somebody_hides_does_not_tell(layout, wall):
    """One of four frames lacks the middle of the wall, and has somebody's back there, nearer."""
    whole = seen(layout, everywhere)
    hidden = seen(layout, lambda at_m: np.abs(at_m[..., 1]) > 1.0)
    beams = told([whole, whole, whole, hidden], layout, wall)
    assert not (beams.counted == 0.0).any()
    nearer = seen(layout, lambda at_m: np.abs(at_m[..., 1]) < 0.5, at_m=2.0)
    beams = told([whole, whole, whole, nearer], layout, wall)
    assert set(beams.frame) == {0, 1, 2}


def test_clouds_of_other_columns_are_not_used(layout, wall, caplog):
    fine = sensor_layout(Sensor.model_validate({"preset": "OS0-64", "columns": 1024}))
    assert told([seen(fine, everywhere)], layout, wall) is None
    assert "other columns" in caplog.text
    assert told([seen(layout, everywhere)], fine, wall) is None
    assert "no beam" in caplog.text
