# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Spray: how much of it there is, where it goes, and that a later start changes nothing.

The law is that of the openMSL model sl-1-2, commit 72323af: (0.2 h + 0.1) (v - 50) clusters in a
step of 0.1 s with h in mm and v in km/h, time constants of 0.02 h (v - 50) + 0.2 s.
"""

import math

import numpy as np
import pytest

from lidar_base.random.draws import Draws
from lidar_scenery.weather.bodies import BodyKind
from lidar_scenery.weather.spray import RoadVehicles, SprayCloud
from lidar_scenery.weather.spray_births import (
    HEIGHT_M,
    WIDTH_M,
    births_per_second,
    lifetime_s,
)
from lidar_scenery.weather.spray_kernels import LIVES, Clusters, move_clusters, shape_clusters

KM_H = 1.0 / 3.6
STEP_NS = 100_000_000
LENGTH_M, HALF_WIDTH_M, BOX_HEIGHT_M = 4.5, 0.9, 1.5
UNKNOWN = np.full(3, np.nan)
N = 100_000
TRUCK, TRUCK_LENGTH_M = 7, 12.0


def vehicles(*rows):
    """Return vehicles of rows (id, position of the underside, yaw, velocity)."""
    ids, places, yaws, velocities = zip(*rows, strict=True) if rows else ((), (), (), ())
    n = len(rows)
    up = np.array([0.0, 0.0, 0.5 * BOX_HEIGHT_M])
    lengths_m = [TRUCK_LENGTH_M if number == TRUCK else LENGTH_M for number in ids]
    sizes_m = [(length_m, 2.0 * HALF_WIDTH_M, BOX_HEIGHT_M) for length_m in lengths_m]
    return RoadVehicles(
        object_id=np.array(ids, np.uint64),
        position_m=np.array(places, np.float64).reshape(n, 3) + up,
        yaw_rad=np.array(yaws, np.float64),
        dimension_m=np.array(sizes_m).reshape(n, 3),
        velocity_m_s=np.array(velocities, np.float64).reshape(n, 3),
    )


def straight(time_ns, *, speed=100.0 * KM_H, number=1, stated=True):
    """Return a vehicle that drives along x, at 0 at the time 0."""
    velocity = (speed, 0.0, 0.0) if stated else UNKNOWN
    return number, (speed * time_ns * 1e-9, 0.0, 0.0), 0.0, velocity


def drive(times_ns, *, seed=1, water_mm=1.0, wind_m_s=(0.0, 0.0), of=straight, **more):
    """Return the spray of a vehicle at the last of some times."""
    cloud = SprayCloud(seed)
    for time_ns in times_ns:
        row = of(time_ns, **more)
        cloud.hear(time_ns, vehicles(row), water_mm=water_mm, wind_m_s=wind_m_s)
    return cloud


def steps(start, end, step_ns=STEP_NS):
    return range(start * STEP_NS, end * STEP_NS + 1, step_ns)


def same(one, other):
    """Return whether two records of bodies are the same, bit for bit."""
    return all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in type(one).__slots__
    )


def test_the_underside_of_a_box_is_half_its_height_below_its_centre():
    two = RoadVehicles(
        object_id=np.array([1, 2], np.uint64),
        position_m=np.array([[1.0, 2.0, 3.0], [-4.0, 5.0, 0.5]]),
        yaw_rad=np.zeros(2),
        dimension_m=np.array([[4.5, 1.8, 1.5], [12.0, 2.5, 4.0]]),
        velocity_m_s=np.zeros((2, 3)),
    )
    assert two.underside_m.tolist() == [[1.0, 2.0, 2.25], [-4.0, 5.0, -1.5]]
    assert vehicles().underside_m.shape == (0, 3)


def test_at_100_km_h_on_1_mm_of_water_150_clusters_are_born_in_a_second():
    """(0.2 + 0.1) 50 in 0.1 s; 10 in 0.1 s at 0.5 mm. None at 50 km/h, none on a dry road."""
    speed = np.array([30.0, 50.0, 100.0]) * KM_H
    assert births_per_second(speed, water_mm=1.0) == pytest.approx([0.0, 0.0, 150.0])
    assert births_per_second(speed, water_mm=0.5) == pytest.approx([0.0, 0.0, 100.0])
    assert births_per_second(speed, water_mm=0.0).tolist() == [0.0, 0.0, 0.0]
    assert lifetime_s(speed, water_mm=1.0) == pytest.approx([0.2, 0.2, 1.2])


def test_deeper_water_counts_as_1_mm_and_is_told():
    speed = np.array([100.0 * KM_H])
    assert births_per_second(speed, water_mm=50.0) == births_per_second(speed, water_mm=1.0)
    assert lifetime_s(speed, water_mm=50.0) == lifetime_s(speed, water_mm=1.0)
    deep, shallow = (drive(steps(0, 5), water_mm=depth) for depth in (3.0, 1.0))
    (told,) = deep.remarks
    assert "3 mm" in told
    assert not shallow.remarks
    assert same(deep.bodies(5 * STEP_NS), shallow.bodies(5 * STEP_NS))


def test_speeds_beyond_those_of_the_fit_are_told():
    (told,) = drive(steps(0, 5), speed=180.0 * KM_H).remarks
    assert "180 km/h" in told
    assert "130 km/h" in told


def counted_births(n_steps):
    """Return the births in each step of a drive at 100 km/h on 1 mm of water."""
    cloud, found = SprayCloud(5), []
    for time_ns in steps(0, n_steps):
        cloud.hear(time_ns, vehicles(straight(time_ns)), water_mm=1.0)
        age_s = (time_ns - cloud._clusters.born_ns) * 1e-9
        found.append((age_s < 0.1 - 1e-12).sum())
    return np.array(found[1:])


def test_births_are_a_poisson_process_of_that_rate():
    """In 60 s 9000 +- 95, here within 4 sigma; variance over mean 1 +- sqrt(2/600), too."""
    found = counted_births(600)
    assert abs(found.sum() - 9000) < 4.0 * math.sqrt(9000.0)
    assert abs(found.var() / found.mean() - 1.0) < 4.0 * math.sqrt(2.0 / 600.0)


def shaped(mean_lifetime_s):
    """Return many clusters with the properties that they are born with."""
    clusters = Clusters(
        born_ns=np.zeros(N, np.int64),
        origin_m=np.zeros((N, 3)),
        through_air_m_s=np.zeros((N, 3)),
        wind_m_s=np.zeros((N, 2)),
        drag_per_m=np.empty(N),
        radius_m=np.empty(N),
        lifetime_s=np.full(N, mean_lifetime_s),
    )
    index = np.arange(N, dtype=np.uint32) << np.uint32(3)
    shape_clusters(Draws.of(seed=1, sensor="test").stream, index, clusters)
    return clusters


def test_clusters_have_the_radii_drags_and_lifetimes_of_the_law():
    """Medians of the law, and the mean of min(1 m, lognormal(-1.2, 0.8)), within 5 sigma.

    That is exp(-1.2 + 0.32) Phi((1.2 - 0.64) / 0.8) + 1 - Phi(1.2 / 0.8) = 0.3812 m. The median
    of n Gaussian numbers has the standard deviation 1.2533 sigma / sqrt(n).
    """
    clusters = shaped(1.2)
    error = 5.0 * 1.2533 / math.sqrt(N)
    assert abs(np.median(np.log(clusters.radius_m)) + 1.2) < 0.8 * error
    assert abs(clusters.radius_m.mean() - 0.3812) < 5.0 * clusters.radius_m.std() / math.sqrt(N)
    assert clusters.radius_m.max() == 1.0
    assert abs(np.median(clusters.drag_per_m) - 0.12) < 0.04 * error
    assert abs(clusters.drag_per_m.std() - 0.04) < 0.001  # less what is held at 0.02 1/m
    assert clusters.drag_per_m.min() == 0.02
    assert abs(np.median(clusters.lifetime_s) - 1.2) < 0.2 * error
    assert shaped(0.2).lifetime_s.min() == 0.05
    pairs = np.corrcoef([np.log(clusters.radius_m), clusters.drag_per_m, clusters.lifetime_s])
    assert np.abs(pairs - np.eye(3)).max() < 5.0 / math.sqrt(N)


def one_cluster(velocity_m_s, wind_m_s=(0.0, 0.0), *, drag_per_m=0.12, life_s=1.2):
    """Return a cluster that is born at the origin at the time 0."""
    air = np.array([*wind_m_s, 0.0])
    return Clusters(
        born_ns=np.zeros(1, np.int64),
        origin_m=np.zeros((1, 3)),
        through_air_m_s=np.array([velocity_m_s]) - air,
        wind_m_s=np.array([wind_m_s]),
        drag_per_m=np.array([drag_per_m]),
        radius_m=np.array([0.3]),
        lifetime_s=np.array([life_s]),
    )


def at(cluster, time_s):
    """Return place and weight of a cluster at a time, None where it is not there."""
    alive, center, weight = np.empty(1, np.int64), np.empty((1, 3)), np.empty(1)
    if not move_clusters(round(time_s * 1e9), cluster, alive, center, weight):
        return None
    return center[0], weight[0]


def test_after_its_time_constant_37_percent_of_a_cluster_are_left_and_after_four_it_is_gone():
    cluster = one_cluster((28.0, 0.0, 2.5))
    assert at(cluster, 0.0)[1] == 1.0
    assert at(cluster, 1.2)[1] == pytest.approx(math.exp(-1.0), rel=1e-8)
    assert at(cluster, 4.79)[1] == pytest.approx(math.exp(-4.79 / 1.2), rel=1e-8)
    assert at(cluster, 4.0 * 1.2) is None
    assert at(cluster, -1e-9) is None


def integrated(velocity_m_s, wind_m_s, drag_per_m, time_s, n=20_000):
    """Return the way of a cluster by small steps of du/dt = -c u |u| (midpoint rule)."""
    air, step = np.array([*wind_m_s, 0.0]), time_s / n
    place, velocity = np.zeros(3), np.array(velocity_m_s)

    def slowing(velocity):
        through_air = velocity - air
        return -drag_per_m * through_air * np.linalg.norm(through_air)

    for _ in range(n):
        middle = velocity + 0.5 * step * slowing(velocity)
        place, velocity = place + step * middle, velocity + step * slowing(middle)
    return place


@pytest.mark.parametrize("wind_m_s", [(0.0, 0.0), (-5.0, 8.0)])
def test_a_cluster_moves_as_drag_and_wind_let_it(wind_m_s):
    velocity = (27.8, 1.0, 4.0)
    place, _ = at(one_cluster(velocity, wind_m_s), 3.0)
    assert place == pytest.approx(integrated(velocity, wind_m_s, 0.12, 3.0), abs=1e-6)


def test_a_cluster_at_the_speed_of_the_wind_drifts_with_it():
    place, _ = at(one_cluster((3.0, 1.0, 0.0), (3.0, 1.0)), 2.0)
    assert place.tolist() == [6.0, 2.0, 0.0]


def test_clusters_rise_less_and_less():
    """ln(1 + c u0 t) / c of the way, 5 / u0 of it upwards: u0 = sqrt(27.78^2 + 5^2) m/s."""
    speed = math.hypot(100.0 * KM_H, 5.0)
    heights = [at(one_cluster((100.0 * KM_H, 0.0, 5.0)), t)[0][2] for t in (1.2, 2.4, 4.79)]
    expected = [5.0 / speed * math.log(1.0 + 0.12 * speed * t) / 0.12 for t in (1.2, 2.4, 4.79)]
    assert heights == pytest.approx(expected, rel=1e-9)
    assert expected == pytest.approx([2.3948, 3.2646, 4.2019], abs=1e-4)


def test_spray_is_behind_its_vehicle_and_above_the_road():
    """At 100 km/h no cluster rises by more than 5 m/s let it, with the least drag of 0.02 1/m."""
    time_ns = 100 * STEP_NS
    spray = drive(steps(0, 100)).bodies(time_ns)
    rear_m = 100.0 * KM_H * 10.0 - 0.5 * LENGTH_M
    x, y, z = spray.center_m.T
    assert len(spray) > 500
    assert x.max() <= rear_m
    assert x.max() > rear_m - 5.0
    assert np.abs(y).max() <= 0.5 * WIDTH_M
    assert z.min() >= 0.0
    longest_s = LIVES * (1.2 + 5.0 * 0.2)
    assert z.max() < HEIGHT_M + 5.0 * math.log(1.0 + 0.02 * 28.2 * longest_s) / (0.02 * 28.2)
    youngest = spray.weight > 0.98  # 24 ms and less
    assert z[youngest].max() < HEIGHT_M + 5.0 * 0.05
    np.testing.assert_allclose(spray.extinction_per_m, 0.02 * spray.weight)
    assert (spray.kind == BodyKind.SPRAY).all()


def test_a_run_that_starts_in_the_middle_has_the_same_spray():
    """Mean life of 1.2 s with sigma 0.2 s: four of the longest of some thousand are below 8 s."""
    end_ns = 200 * STEP_NS
    whole, late = drive(steps(0, 200)).bodies(end_ns), drive(steps(119, 200)).bodies(end_ns)
    assert len(whole) > 500
    assert same(whole, late)
    assert not same(whole, drive(steps(190, 200)).bodies(end_ns))
    assert not same(whole, drive(steps(119, 200), seed=2).bodies(end_ns))


@pytest.mark.parametrize("step_ns", [5_000_000, 17_000_000, 50_000_000])
def test_spray_does_not_depend_on_the_step_of_the_messages(step_ns):
    """At constant velocity poses between messages are exact but for rounding."""
    end_ns = 50 * STEP_NS
    coarse = drive(steps(0, 50))
    fine = drive([*range(0, end_ns, step_ns), end_ns])
    one, other = coarse.bodies(end_ns), fine.bodies(end_ns)
    np.testing.assert_array_equal(one.radius_m, other.radius_m)
    np.testing.assert_array_equal(one.weight, other.weight)
    np.testing.assert_allclose(one.center_m, other.center_m, atol=1e-9)


@pytest.mark.parametrize("water_mm", [0.01, 1.0])
def test_spray_of_a_time_before_the_last_message_is_that_of_then(water_mm):
    """Clusters of thin water fade in fifths of a second."""
    cloud = drive(steps(0, 30), water_mm=water_mm)
    then = cloud.bodies(30 * STEP_NS)
    for time_ns in steps(31, 40):
        cloud.hear(time_ns, vehicles(straight(time_ns)), water_mm=water_mm)
    assert same(cloud.bodies(30 * STEP_NS), then)
    assert not same(cloud.bodies(35 * STEP_NS), then)


def test_a_speed_that_is_not_stated_follows_from_two_poses():
    end_ns = 30 * STEP_NS
    stated, by_poses = (drive(steps(0, 30), stated=each).bodies(end_ns) for each in (True, False))
    assert len(stated) == len(by_poses) > 300
    np.testing.assert_allclose(by_poses.center_m, stated.center_m, atol=1e-6)
    assert len(drive([0], stated=False).bodies(0)) == 0  # of one pose nothing is known


def test_a_velocity_of_one_message_counts_for_the_way_to_the_next():
    cloud = SprayCloud(1)
    for time_ns in steps(0, 10):
        row = straight(time_ns, stated=time_ns % (2 * STEP_NS) == 0)
        cloud.hear(time_ns, vehicles(row), water_mm=1.0)
    assert same(cloud.bodies(10 * STEP_NS), drive(steps(0, 10)).bodies(10 * STEP_NS))


@pytest.mark.parametrize(
    "change",
    [
        {"speed": 49.0 * KM_H},
        {"water_mm": 0.0},
        {"speed": 150.0, "stated": False},  # put elsewhere in each message
    ],
)
def test_there_is_no_spray(change):
    assert len(drive(steps(0, 30), **change).bodies(30 * STEP_NS)) == 0


def test_nothing_is_born_where_a_vehicle_is_put_elsewhere_or_messages_are_absent():
    cloud = drive(steps(0, 10))
    n = len(cloud._clusters.born_ns)
    cloud.hear(11 * STEP_NS, vehicles((1, (900.0, 0, 0), 0.0, (28.0, 0, 0))), water_mm=1.0)
    cloud.hear(22 * STEP_NS, vehicles((1, (930.6, 0, 0), 0.0, (28.0, 0, 0))), water_mm=1.0)
    assert len(cloud._clusters.born_ns) == n


def test_a_message_of_an_earlier_time_begins_a_new_run():
    cloud = drive(steps(100, 130))
    for time_ns in steps(0, 10):
        cloud.hear(time_ns, vehicles(straight(time_ns)), water_mm=1.0)
    assert same(cloud.bodies(10 * STEP_NS), drive(steps(0, 10)).bodies(10 * STEP_NS))


def test_vehicles_have_spray_of_their_own_whatever_their_order():
    cloud, turned, alone = SprayCloud(1), SprayCloud(1), SprayCloud(1)
    for time_ns in steps(0, 10):
        one, other = straight(time_ns, number=7), straight(time_ns, number=2)
        cloud.hear(time_ns, vehicles(one, other), water_mm=1.0)
        turned.hear(time_ns, vehicles(other, one), water_mm=1.0)
        alone.hear(time_ns, vehicles(one), water_mm=1.0)
    both, of_one = cloud.bodies(10 * STEP_NS), alone.bodies(10 * STEP_NS)
    assert same(both, turned.bodies(10 * STEP_NS))
    shared = np.isin(both.weight, of_one.weight)
    assert shared.sum() == len(of_one) < len(both)


def test_water_under_a_vehicle_and_its_length_are_its_own_whatever_their_order():
    cloud, alone = SprayCloud(1), SprayCloud(1)
    for number, time_ns in enumerate(steps(0, 10)):
        order = slice(None, None, -1 if number % 2 else 1)
        rows = [straight(time_ns, number=TRUCK), straight(time_ns, number=2)][order]
        cloud.hear(time_ns, vehicles(*rows), water_mm=np.array([1.0, 0.0])[order])
        alone.hear(time_ns, vehicles(straight(time_ns, number=TRUCK)), water_mm=1.0)
    of_one = alone.bodies(10 * STEP_NS)
    assert len(of_one)
    assert same(cloud.bodies(10 * STEP_NS), of_one)


def circling(time_ns, radius_m=50.0, speed=100.0 * KM_H):
    """Return a vehicle on a circle around the origin, counter-clockwise."""
    angle = speed / radius_m * time_ns * 1e-9
    heading = math.remainder(angle + 0.5 * math.pi, 2.0 * math.pi)
    forward = np.array([math.cos(heading), math.sin(heading), 0.0])
    place = radius_m * np.array([math.cos(angle), math.sin(angle), 0.0])
    return 1, place, heading, speed * forward


def test_in_a_bend_clusters_are_born_behind_the_turning_vehicle():
    """Its rear is 2.25 m behind, so at most hypot(50, 2.25) + 1.7 m from the middle of the bend.

    Between messages the way is a chord, 0.02 m inside the circle.
    """
    cloud = drive(steps(0, 60), of=circling)
    clusters = cloud._clusters
    away_m = np.hypot(*clusters.origin_m[:, :2].T)
    assert away_m.max() < math.hypot(50.0, 2.25) + 1.7 + 1e-9
    assert away_m.min() > 50.0 - 1.7 - 0.03
    time_s = clusters.born_ns * 1e-9
    forward = np.array([circling(t * 1e9)[3] for t in time_s])[:, :2]
    place = np.array([circling(t * 1e9)[1] for t in time_s])[:, :2]
    behind = ((clusters.origin_m[:, :2] - place) * forward).sum(axis=1) / (100.0 * KM_H)
    np.testing.assert_allclose(behind, -2.25, atol=0.1)


def test_wind_carries_spray_aside():
    end_ns = 60 * STEP_NS
    calm, windy = (
        drive(steps(0, 60), wind_m_s=wind).bodies(end_ns) for wind in ((0, 0), (0, 10.0))
    )
    np.testing.assert_array_equal(calm.radius_m, windy.radius_m)
    old = calm.weight < 0.5
    assert (windy.center_m[old, 1] > calm.center_m[old, 1]).all()


def test_clusters_of_the_past_are_forgotten():
    """At most a second after the longest life: 150 births in a second, for at most 9.5 s."""
    cloud = drive(steps(0, 300))
    assert len(cloud._clusters.born_ns) < 150.0 * 9.5
