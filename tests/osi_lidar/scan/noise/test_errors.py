# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a sensor measures wrongly: each error alone, against its closed form or distribution."""

import math

import numpy as np
import pytest
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView

from osi_lidar import ConfigurationError, LidarModel
from osi_lidar.output.sensor_view import SPEED_OF_LIGHT_M_S, sensor_view_of
from osi_lidar.scan.noise.range_kernels import folded_range, quantised_range
from tests.builders.clouds import wall_clouds, xyz
from tests.builders.messages import frames, host, message
from tests.builders.staged import model_of
from tests.builders.threads import kernel_threads
from tests.builders.worlds import N_WALL_BEAMS, ONE_BEAM, steps_at_rest, wall_config
from tests.lidar_base.random.test_draws import gaussian_cdf, ks_distance, laplace_cdf

KS_LIMIT = 1.95 / math.sqrt(N_WALL_BEAMS)
"""One sample of 1000 is farther from its distribution."""
F4_M = 2e-6
"""Rounding of a float32 coordinate of some ten metres. [m]"""


def same_beams(n):
    """Return a pattern of so many beams straight ahead, each with errors of its own."""
    return {"kind": "pairs", "azimuth_elevation_deg": [[0, 0]] * n}


def errors_m(cloud):
    return cloud.points["range"].astype(float) - cloud.true_range_m


def test_no_noise_and_noise_without_any_error_are_exact(tmp_path):
    (without,) = wall_clouds(tmp_path)
    (nothing,) = wall_clouds(tmp_path, noise={}, detection={"min_reflectivity": "off"})
    assert without.points.tobytes() == nothing.points.tobytes()
    assert without.true_range_m is nothing.true_range_m is nothing.true_xyz_m is None


@pytest.mark.parametrize(
    ("distribution", "cumulative"), [("gaussian", gaussian_cdf), ("laplace", laplace_cdf)]
)
def test_ranges_scatter_along_their_beams_by_the_distribution(tmp_path, distribution, cumulative):
    noise = {"range_sigma_m": 0.05, "distribution": distribution}
    (cloud,) = wall_clouds(tmp_path, noise=noise)
    assert len(cloud.points) == N_WALL_BEAMS
    assert ks_distance(errors_m(cloud) / 0.05, cumulative) < KS_LIMIT
    (exact,) = wall_clouds(tmp_path)
    np.testing.assert_array_equal(cloud.true_range_m, exact.points["range"])
    np.testing.assert_allclose(cloud.true_xyz_m, xyz(exact.points), atol=F4_M)
    np.testing.assert_allclose(cloud.true_xyz_m[:, 0], 10.0, atol=F4_M)
    direction = xyz(exact.points) / exact.points["range"][:, None]
    reported = direction * cloud.points["range"].astype(float)[:, None]
    np.testing.assert_allclose(xyz(cloud.points), reported, atol=F4_M)


def test_the_error_of_a_laser_is_drawn_once_and_stays_over_all_scans(tmp_path):
    rows = {"min_deg": -20, "max_deg": 20, "step_deg": 0.02}  # 2001 lasers of three columns
    pattern = {
        "kind": "grid",
        "vertical": rows,
        "horizontal": {"min_deg": -1, "max_deg": 1, "step_deg": 1},
    }
    noise = {"range_bias_sigma_m": 0.078}
    first, later = wall_clouds(tmp_path, n=2, pattern=pattern, noise=noise)
    bias_m = errors_m(first).reshape(-1, 3)
    np.testing.assert_allclose(bias_m, bias_m[:, :1].repeat(3, axis=1), atol=F4_M)
    assert ks_distance(bias_m[:, 0] / 0.078, gaussian_cdf) < 1.95 / math.sqrt(2001)
    assert later.points is first.points  # nothing has changed, so nothing is traced
    (other,) = wall_clouds(tmp_path, pattern=pattern, noise=noise, seed=1)
    assert abs(np.corrcoef(errors_m(other), errors_m(first))[0, 1]) < 0.1


def test_bias_and_noise_add_up(tmp_path):
    bias = {"range_bias_sigma_m": 0.5}
    (biased,) = wall_clouds(tmp_path, noise=bias)
    (both,) = wall_clouds(tmp_path, noise={**bias, "range_sigma_m": 0.05})
    (noisy,) = wall_clouds(tmp_path, noise={"range_sigma_m": 0.05})
    expected = errors_m(biased) + errors_m(noisy)
    np.testing.assert_allclose(errors_m(both), expected, atol=3 * F4_M)


def test_a_world_at_rest_scatters_anew_in_each_scan(tmp_path):
    noise = {"range_sigma_m": 0.05}
    _, steps = steps_at_rest(wall_config(tmp_path, noise=noise), n=3)
    assert [step.traced for step in steps] == [True] * 3
    one, other = (errors_m(steps[index].scans[0].cloud) for index in (0, 1))
    assert abs(np.corrcoef(one, other)[0, 1]) < 4.0 / math.sqrt(N_WALL_BEAMS)


def test_a_part_of_a_run_is_what_the_whole_run_has_there(tmp_path):
    config = wall_config(tmp_path, noise={"range_sigma_m": 0.1, "azimuth_sigma_deg": 0.1})
    _, whole = steps_at_rest(config, n=4)
    model = LidarModel(config)
    part = model.step(frames([[]] * 4, host_id=None)[3])
    assert part.scans[0].cloud.points.tobytes() == whole[3].scans[0].cloud.points.tobytes()


def test_errors_are_the_same_on_any_number_of_threads_and_others_with_another_seed(tmp_path):
    noise = {
        "range_sigma_m": 0.1,
        "range_bias_sigma_m": 0.1,
        "azimuth_sigma_deg": 0.1,
        "elevation_sigma_deg": 0.1,
        "drop_probability": 0.2,
    }

    def data(seed):
        _, steps = steps_at_rest(wall_config(tmp_path, noise=noise, seed=seed), n=2)
        return [step.sensor_data for step in steps] + [
            step.scans[0].cloud.points.tobytes() for step in steps
        ]

    with kernel_threads(2):
        many = data(7)
    with kernel_threads(1):
        assert data(7) == many
    assert not set(data(8)) & set(many)


def test_two_sensors_of_one_scene_scatter_on_their_own(tmp_path):
    config = wall_config(tmp_path, noise={"range_sigma_m": 0.1})
    one = config.sensors[0]
    two = config.model_copy(update={"sensors": (one, one.model_copy(update={"name": "b"}))})
    _, (step,) = steps_at_rest(two)
    first, second = (errors_m(scan.cloud) for scan in step.scans)
    assert abs(np.corrcoef(first, second)[0, 1]) < 4.0 / math.sqrt(N_WALL_BEAMS)


ANGLES = {"azimuth_sigma_deg": 0.5, "elevation_sigma_deg": 0.2}


def test_beams_shot_with_wrong_angles_leave_their_points_on_the_surface(tmp_path):
    (cloud,) = wall_clouds(tmp_path, noise=ANGLES)
    np.testing.assert_allclose(cloud.points["x"], 10.0, atol=1e-5)
    np.testing.assert_array_equal(cloud.points["range"], cloud.true_range_m)
    np.testing.assert_array_equal(xyz(cloud.points).astype(np.float32), cloud.true_xyz_m)


def test_wrongly_read_angles_take_points_off_the_surface(tmp_path):
    (cloud,) = wall_clouds(tmp_path, noise={**ANGLES, "line_of_sight": "readout"})
    (exact,) = wall_clouds(tmp_path)
    np.testing.assert_array_equal(cloud.points["range"], exact.points["range"])
    np.testing.assert_allclose(cloud.true_xyz_m[:, 0], 10.0, atol=1e-5)
    # a beam of azimuth a and elevation e: dx = -y da - x tan(e) de, rms over the beams
    x, y, z = xyz(exact.points).T
    variance = (y * math.radians(0.5)) ** 2 + (x * z / np.hypot(x, y) * math.radians(0.2)) ** 2
    residual = cloud.points["x"] - 10.0
    assert residual.std() == pytest.approx(math.sqrt(variance.mean()), rel=0.05)


@pytest.mark.parametrize("line_of_sight", ["ray", "readout"])
def test_angles_scatter_by_their_standard_deviations(tmp_path, line_of_sight):
    (cloud,) = wall_clouds(tmp_path, noise={**ANGLES, "line_of_sight": line_of_sight})
    (exact,) = wall_clouds(tmp_path)
    (x, y, z), (x0, y0, z0) = xyz(cloud.points).T, xyz(exact.points).T
    azimuth_deg = np.degrees(np.arctan2(y, x) - np.arctan2(y0, x0))
    elevation_deg = np.degrees(np.arctan2(z, np.hypot(x, y)) - np.arctan2(z0, np.hypot(x0, y0)))
    assert ks_distance(azimuth_deg / 0.5, gaussian_cdf) < KS_LIMIT
    assert ks_distance(elevation_deg / 0.2, gaussian_cdf) < KS_LIMIT
    assert abs(np.corrcoef(azimuth_deg, elevation_deg)[0, 1]) < 4.0 / math.sqrt(N_WALL_BEAMS)


@pytest.mark.parametrize(
    "noise",
    [
        {"range_sigma_m": 0.1, "drop_probability": 0.5},
        ANGLES,
        {**ANGLES, "line_of_sight": "readout", "range_bias_sigma_m": 0.1},
    ],
)
def test_osi_detections_are_where_the_points_are(tmp_path, noise):
    _, (step,) = steps_at_rest(wall_config(tmp_path, noise=noise))
    (lidar,) = SensorData.FromString(step.sensor_data).feature_data.lidar_sensor
    place = np.array(
        [(d.position.distance, d.position.azimuth, d.position.elevation) for d in lidar.detection]
    )
    distance_m, azimuth, elevation = place.T
    detected = np.stack(
        [
            distance_m * np.cos(elevation) * np.cos(azimuth),
            distance_m * np.cos(elevation) * np.sin(azimuth),
            distance_m * np.sin(elevation),
        ],
        axis=1,
    )
    cloud = step.scans[0].cloud
    np.testing.assert_allclose(detected, xyz(cloud.points), atol=F4_M)
    assert [d.beam_id.value for d in lidar.detection] == cloud.beam.tolist()


def test_wrong_rays_of_a_moving_sensor_stay_on_the_surface(tmp_path):
    """A host drives 30 m/s towards a wall, its scan takes 100 ms: the end of it sees x = 38.2 m."""
    sensor = {"preset": "VLP-16", "pattern": None, "deskew": True, "noise": ANGLES}
    model = LidarModel(wall_config(tmp_path, x_m=40.0, **sensor))
    steps = [model.step(frame) for frame in frames([[host()], [host(x_m=3.0)]])]
    scan = steps[1].scans[0]
    assert len(scan.cloud.points) > 1000
    assert np.ptp(scan.cloud.points["x"]) > 0.5
    np.testing.assert_allclose(scan.deskewed["x"], 38.2, atol=2e-3)


def test_offset_and_scale_of_the_range_are_exact(tmp_path):
    noise = {"depth_offset_m": 0.25, "depth_scale": 0.01}
    (cloud,) = wall_clouds(tmp_path, noise=noise)
    expected = cloud.true_range_m.astype(float) * 1.01 + 0.25
    np.testing.assert_allclose(cloud.points["range"], expected, atol=F4_M)


OFF_AXIS = {"kind": "pairs", "azimuth_elevation_deg": [[math.degrees(math.acos(10 / 10.1)), 0]]}
TABLE = ((10.0, 0.0, 0.01), (30.0, 0.2, 0.05), (40.0, -0.1, 0.03))


def test_mean_and_scatter_of_the_range_follow_their_table(tmp_path):
    """A wall along the beams, from 10 to 60 m; beyond the last row its values hold."""
    drawn = wall_clouds(tmp_path, n=4, x_m=20.0, turn_deg=60, noise={"depth_table": TABLE})
    range_m = np.concatenate([cloud.true_range_m for cloud in drawn])
    error_m = np.concatenate([errors_m(cloud) for cloud in drawn])
    assert range_m.min() < 15
    assert range_m.max() > 50
    columns = np.array(TABLE).T
    for low in range(14, 50, 4):
        chosen = (range_m >= low) & (range_m < low + 4)
        at_m = range_m[chosen].astype(float)
        mean_m, sigma_m = (np.interp(at_m, columns[0], column) for column in columns[1:])
        z = (error_m[chosen] - mean_m) / sigma_m
        assert abs(z.mean()) < 4.0 / math.sqrt(len(z))
        assert abs(z.std() - 1.0) < 4.0 / math.sqrt(2 * len(z))


def test_the_error_of_the_range_is_its_formula(tmp_path):
    """A wall along the beams, from 10 to 60 m, with a step where a table would have a slope."""
    noise = {"depth_error_m": "0.01 * sin(2 * pi * d / 1.5) + where(d < 20, 0.05, -0.02)"}
    first, later = wall_clouds(tmp_path, n=2, x_m=20.0, turn_deg=60, noise=noise)
    true_m = first.true_range_m.astype(float)
    error_m = 0.01 * np.sin(2 * np.pi * true_m / 1.5) + np.where(true_m < 20, 0.05, -0.02)
    expected_m = (true_m + error_m).astype(np.float32)
    np.testing.assert_allclose(first.points["range"], expected_m, rtol=1.2e-7)  # one float32
    assert np.ptp(true_m) > 40
    assert later.points is first.points  # nothing is drawn


def test_the_scatter_of_the_range_is_its_formula(tmp_path):
    noise = {"range_sigma_m": 0.03, "depth_sigma_m": "0.04 * (d > 20)"}
    first, later = wall_clouds(tmp_path, n=2, x_m=20.0, turn_deg=60, noise=noise)
    z = errors_m(first) / np.where(first.true_range_m > 20, 0.05, 0.03)  # 3, 4 and 5
    assert ks_distance(z, gaussian_cdf) < 1.95 / math.sqrt(len(z))
    assert later.points.tobytes() != first.points.tobytes()


def test_a_formula_without_a_value_at_a_point_ends_the_run_with_one_line(tmp_path):
    """Of 1001 ranges that are tried, none is that of the wall."""
    noise = {"depth_sigma_m": "where(abs(d - 10.1) < 0.05, -1, 0)"}
    with pytest.raises(ConfigurationError) as caught:
        wall_clouds(tmp_path, noise=noise, max_range_m=1000.0, pattern=OFF_AXIS)
    assert "sensor front: noise.depth_sigma_m: 'where(abs(d - 10.1)" in str(caught.value)
    assert "is -1 at d = 10.1" in str(caught.value)


def test_ranges_scatter_more_on_tilted_and_on_dark_walls(tmp_path):
    def scatter_m(**options):
        (cloud,) = wall_clouds(tmp_path, pattern=same_beams(400), **options)
        return np.std(errors_m(cloud))

    tilted = {"sigma_incidence_m": 0.1}
    of_tilt = [scatter_m(turn_deg=turn, noise=tilted) for turn in (0, 45, 60)]
    assert of_tilt[0] < 1e-3
    assert of_tilt[1:] == pytest.approx([0.1, 0.1 * math.sqrt(3)], rel=0.15)
    dark = {"sigma_dark_m": 0.1}
    of_dark = [scatter_m(percent=percent, noise=dark) for percent in (10, 40)]
    assert of_dark == pytest.approx([0.1, 0.05], rel=0.15)


def test_ranges_are_multiples_of_the_step(tmp_path):
    (cloud,) = wall_clouds(tmp_path, noise={"quantisation_m": 0.25, "range_sigma_m": 0.1})
    np.testing.assert_array_equal(cloud.points["range"] % 0.25, 0.0)
    assert len(np.unique(cloud.points["range"])) > 5
    assert [quantised_range(range_m, 0.25) for range_m in (0.1, 0.125, 9.9)] == [0, 0.25, 10]


@pytest.mark.parametrize("probability", [0.0, 0.3, 1.0])
def test_as_many_points_drop_out_as_configured(tmp_path, probability):
    noise = {"drop_probability": probability, "range_sigma_m": 0.01}
    (cloud,) = wall_clouds(tmp_path, noise=noise)
    scatter = math.sqrt(N_WALL_BEAMS * probability * (1 - probability))
    assert abs(len(cloud.points) - N_WALL_BEAMS * (1 - probability)) <= 4 * scatter
    lengths = {len(cloud.beam), len(cloud.object_id), len(cloud.true_xyz_m), len(cloud.points)}
    assert len(lengths) == 1


def test_a_camera_folds_ranges_back_at_half_of_its_maximum(tmp_path):
    folded = {0.0: 0.0, 9.99: 9.99, 10.0: 0.0, 15.0: 5.0, 20.0: 10.0}
    assert [folded_range(range_m, 20.0) for range_m in folded] == list(folded.values())
    (cloud,) = wall_clouds(tmp_path, x_m=15.0, pattern=ONE_BEAM, max_range_m=20.0, backfolding=True)
    assert cloud.points["range"] == pytest.approx(5.0)
    assert cloud.points["x"] == pytest.approx(5.0)
    assert cloud.true_range_m == pytest.approx(15.0)


def test_ranges_fold_after_their_noise(tmp_path):
    """A wall just before the half: noise sends some points to the sensor, none beyond."""
    sensor = {"x_m": 9.99, "pattern": same_beams(200), "max_range_m": 20.0, "backfolding": True}
    (cloud,) = wall_clouds(tmp_path, noise={"range_sigma_m": 0.05}, **sensor)
    range_m = cloud.points["range"]
    assert range_m.max() < 10.0
    assert 0.2 < (range_m < 1.0).mean() < 0.65  # P(z > 0.2) = 0.42


def test_a_range_below_zero_is_no_point(tmp_path):
    (cloud,) = wall_clouds(tmp_path, noise={"depth_offset_m": -10.1})
    assert (cloud.points["range"] >= 0.0).all()
    assert len(cloud.points) == (cloud.true_range_m > 10.1).sum() < N_WALL_BEAMS


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(
    ("noise", "loses"),
    [
        ({"range_sigma_m": 0.5}, True),
        ({"depth_offset_m": 10.0}, True),
        ({"range_bias_sigma_m": 1.0}, True),
        ({"quantisation_m": 0.7}, True),  # from 10.15 m on they become 10.5 m
        ({"drop_probability": 0.0, "azimuth_sigma_deg": 0.01}, False),
    ],
)
def test_a_range_beyond_the_maximum_is_no_point(tmp_path, noise, loses, staged):
    config = wall_config(tmp_path, noise=noise, max_range_m=10.4)
    (frame,) = frames([[]], host_id=None)
    cloud = model_of(config, staged=staged).step(frame).scans[0].cloud
    (free,) = wall_clouds(tmp_path, noise=noise, max_range_m=100.0)
    met = free.true_range_m <= 10.4
    within = met & (free.points["range"] <= 10.4)
    np.testing.assert_array_equal(cloud.points["range"], free.points["range"][within])
    assert (within.sum() < met.sum()) == loses


@pytest.mark.parametrize("staged", [False, True])
def test_lasers_may_have_errors_of_ones_own(tmp_path, staged):
    pattern = {"kind": "angles", "horizontal_deg": [-2, 0, 2], "vertical_deg": [-4, 3, 8]}
    own_m = [0.04, -0.02, 0.01]  # from the top down

    def errors_of_rings(**noise):
        config = wall_config(tmp_path, pattern=pattern, noise=noise)
        (frame,) = frames([[]], host_id=None)
        cloud = model_of(config, staged=staged).step(frame).scans[0].cloud
        assert cloud.points["ring"].tolist() == [0] * 3 + [1] * 3 + [2] * 3
        return errors_m(cloud).reshape(3, 3)

    own = errors_of_rings(range_bias_m=own_m)
    np.testing.assert_allclose(own, np.array(own_m)[:, None].repeat(3, axis=1), atol=F4_M)
    both = errors_of_rings(range_bias_m=own_m, range_bias_sigma_m=0.1)
    drawn = errors_of_rings(range_bias_sigma_m=0.1)
    np.testing.assert_allclose(both, own + drawn, atol=2 * F4_M)


@pytest.mark.parametrize("n", [1, 3])
def test_each_laser_needs_its_error(tmp_path, n):
    pattern = {"kind": "angles", "horizontal_deg": [0], "vertical_deg": [0, 1]}
    config = wall_config(tmp_path, pattern=pattern, noise={"range_bias_m": [0.1] * n})
    words = f"sensor front: noise.range_bias_m: has length {n}, expected 2, an error for each laser"
    with pytest.raises(ConfigurationError, match=words):
        LidarModel(config)


def test_reflections_for_other_models_have_no_errors(tmp_path):
    noise = {"range_sigma_m": 0.5, "line_of_sight": "readout"}
    model, _ = steps_at_rest(wall_config(tmp_path, pattern=ONE_BEAM, noise=noise))
    data = sensor_view_of(model, message([], host_id=None), "SensorView")
    (reflection,) = SensorView.FromString(data).lidar_sensor_view[0].reflection
    assert reflection.time_of_flight * SPEED_OF_LIGHT_M_S / 2 == pytest.approx(10.0)


@pytest.mark.parametrize(
    "sensor",
    [
        {"noise": {"drop_probability": 1.0}},
        {"range_limit": {"pairs": [[10, 3.0], [80, 5.0]]}},
        {"min_range_m": 20.0},
        {"detection": {"pairs": [[90, 1], [95, 2]]}},
    ],
    ids=["dropouts", "range limit of 5 m", "minimum range", "threshold"],
)
def test_reflections_for_other_models_come_before_the_receiver(tmp_path, sensor):
    """Of 50 % at 10 m: 10 log10(0.5 / (pi 100)) = -27.98 dB."""
    model, (step,) = steps_at_rest(wall_config(tmp_path, pattern=ONE_BEAM, **sensor))
    assert not len(step.scans[0].cloud.points)
    data = sensor_view_of(model, message([], host_id=None), "SensorView")
    (reflection,) = SensorView.FromString(data).lidar_sensor_view[0].reflection
    assert reflection.signal_strength == pytest.approx(-27.98, abs=0.01)
    assert reflection.time_of_flight * SPEED_OF_LIGHT_M_S / 2 == pytest.approx(10.0)
