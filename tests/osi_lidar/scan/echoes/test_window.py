# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The window in the beam: what is seen through it, and what OSI says of a sensor behind it."""

import math

import numpy as np
import pytest
from osi3.osi_featuredata_pb2 import SensorDetectionHeader
from osi3.osi_sensordata_pb2 import SensorData

from osi_lidar import LidarModel
from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.errors import ConfigurationError
from osi_lidar.scan.media.window import film_transmission
from tests.builders.beams import LIMIT, beams_at, cloud_of, plate
from tests.builders.files import written
from tests.builders.images import grey_png
from tests.builders.messages import frames
from tests.builders.refusals import one_line
from tests.builders.threads import kernel_threads
from tests.builders.worlds import WALL_GRID

FAN = {"kind": "pairs", "azimuth_elevation_deg": [[a, 0] for a in range(-30, 31, 3) if a]}
"""20 beams, half of them to the left."""
WALL = [(plate(30.0), 50.0)]
RAIN = ORIGINS.index("rain")


def seen(folder, window, surfaces=WALL, *, weather=None, **sensor):
    """Return the points that a sensor sees through its window."""
    model = beams_at(folder, surfaces, weather={"window": window, **(weather or {})}, **sensor)
    return cloud_of(model).points


def image(folder, grey):
    """Write the image of a window; return the section that names it."""
    return {"transmission": str(written(folder / "window.png", grey_png(grey)))}


def left_black(folder, first=90, last=180):
    """Return a window that is black between two columns of 2 deg each, by default on the left."""
    grey = np.full((4, 180), 255)
    grey[:, 180 - last : 180 - first] = 0
    return image(folder, grey)


@pytest.mark.parametrize("beam", [None, {"divergence_deg": 0.2, "width": "e2"}])
def test_a_target_reports_what_passes_both_ways(tmp_path, beam):
    """0.5^2 = 0.25."""
    clear = seen(tmp_path, {}, beam=beam)
    dirty = seen(tmp_path, {"transmission": 0.5}, beam=beam)
    np.testing.assert_allclose(dirty["reflectivity"], 0.25 * clear["reflectivity"], rtol=1e-6)
    np.testing.assert_array_equal(dirty["range"], clear["range"])


def test_a_film_of_water_darkens_a_target_at_1550_nm_more_than_at_905_nm(tmp_path):
    for wavelength_nm in (905.0, 1550.0):
        clear = seen(tmp_path, {}, wavelength_nm=wavelength_nm)
        wet = seen(tmp_path, {"film_mm": 0.3}, wavelength_nm=wavelength_nm)
        both_ways = film_transmission(0.3, wavelength_nm=wavelength_nm) ** 2
        np.testing.assert_allclose(
            wet["reflectivity"], both_ways * clear["reflectivity"], rtol=1e-6
        )
        np.testing.assert_array_equal(wet["range"], clear["range"])


@pytest.mark.parametrize(("percent", "far_m"), [(10.0, 30.0), (80.0, 30.0 * math.sqrt(8.0))])
def test_a_target_is_seen_as_far_as_one_that_is_darker_by_both_ways(tmp_path, percent, far_m):
    """60 m at 10 % with 1/r^2: r_L(R T^2) = T r_L(R), here with T = 0.5."""
    for off_m, n in ((-0.02, 3), (0.02, 0)):
        target = [(plate(far_m + off_m), percent)]
        points = seen(tmp_path, {"transmission": 0.5}, target, n=3, range_limit=LIMIT, beam=None)
        assert len(points) == n


def test_fog_and_the_window_both_weaken_a_target(tmp_path):
    """r exp(alpha r) = T r_0, with r_0 = 60 m, T = 0.5 and alpha = ln 20 / 100 m."""
    alpha, far_m = math.log(20.0) / 100.0, 0.0
    for _ in range(60):  # a contraction: alpha r < 1
        far_m = 30.0 * math.exp(-alpha * far_m)
    fog = {"fog": {"visibility_m": 100.0}}
    for off_m, n in ((-0.02, 3), (0.02, 0)):
        target = [(plate(far_m + off_m), 10.0)]
        points = seen(
            tmp_path, {"transmission": 0.5}, target, weather=fog, n=3, range_limit=LIMIT, beam=None
        )
        assert (points["origin"] == 0).sum() == n


def test_drops_in_the_air_are_weakened_as_targets_are(tmp_path):
    """Behind the window the same drops fall: seen are those that still have the signal for it.

    Each of them reports T^2 = 0.49 of what it did.
    """
    sensor = {"n": 30_000, "range_limit": {"equation": {"pairs": [[100, 130]]}}}
    clear, dirty = (
        seen(tmp_path, window, [(plate(190.0), 1.0)], weather={"rain_mm_h": 1.0}, **sensor)
        for window in ({}, {"transmission": 0.7})
    )
    assert (clear["origin"] == RAIN).all()
    beam, number = np.unique(clear["column"], return_counts=True)
    alone = clear[np.isin(clear["column"], beam[number == 1])]
    left = alone[0.49 * alone["snr"] >= clear["snr"].min()]
    assert 100 < len(left) < len(alone) - 100
    dirty = dirty[np.isin(dirty["column"], alone["column"])]
    np.testing.assert_array_equal(dirty["column"], left["column"])
    np.testing.assert_array_equal(dirty["range"], left["range"])
    np.testing.assert_allclose(dirty["reflectivity"], 0.49 * left["reflectivity"], rtol=1e-5)


def test_an_image_blocks_the_beams_to_the_left(tmp_path):
    clear = seen(tmp_path, {}, pattern=FAN)
    half = seen(tmp_path, left_black(tmp_path), pattern=FAN)
    assert len(clear) == 20
    np.testing.assert_array_equal(half, clear[clear["y"] < 0.0])


def test_the_second_look_of_a_beam_is_through_the_same_window(tmp_path):
    """Edges of plates and a sign; blocked beams stay blocked."""
    edges = [
        (plate(20.0, -30.0, -0.01), 50.0),
        (plate(20.0, 0.01, 30.0), 50.0),
        (plate(19.0, -3.0, -2.9), 20_000.0),
        (plate(40.0), 50.0),
    ]
    sensor = {"pattern": WALL_GRID, "beam": {"divergence_deg": 0.3, "width": "e2", "refine": True}}
    clear = seen(tmp_path, {}, edges, **sensor)
    half = seen(tmp_path, left_black(tmp_path), edges, **sensor)
    np.testing.assert_array_equal(half, clear[clear["y"] <= 0.0])
    even = seen(tmp_path, {"transmission": 0.5}, edges, **sensor)
    assert len(even) == len(clear)
    np.testing.assert_allclose(even["reflectivity"], 0.25 * clear["reflectivity"], rtol=1e-6)


def test_the_noise_of_the_receiver_stays_where_beams_are_blocked(tmp_path):
    """Its false alarms: binomial, within four standard deviations."""
    n, share = 20_000, 0.05
    noisy = {"receiver": {"false_alarm_probability": share}, "n": n}
    points = seen(tmp_path, {"transmission": 0.0}, **noisy)
    assert (points["origin"] == ORIGINS.index("false_alarm")).all()
    assert abs(len(points) - n * share) < 4.0 * math.sqrt(n * share * (1.0 - share))


def test_drops_on_the_window_stay_on_the_same_beams_in_all_scans(tmp_path):
    """A fifth of 5000 beams reports half; noise of 1 % and less tells them apart."""
    near = [(plate(5.0), 80.0)]
    sensor = {"n": 5000, "receiver": {}, "range_limit": LIMIT, "returns": {"mode": "strongest"}}
    model = beams_at(tmp_path, near, weather={"window": {"drops": 0.2}}, **sensor)
    scans = [model.step(frame).scans[0].cloud.points for frame in frames([[]] * 3, host_id=None)]
    assert scans[0].tobytes() != scans[1].tobytes()
    wet = [scan["reflectivity"] < 0.6 for scan in scans]
    np.testing.assert_array_equal(wet[0], wet[1])
    np.testing.assert_array_equal(wet[0], wet[2])
    assert abs(wet[0].sum() - 1000) < 4.0 * math.sqrt(800.0)
    assert scans[0]["reflectivity"][wet[0]].mean() == pytest.approx(0.4, rel=0.02)
    assert scans[0]["reflectivity"][~wet[0]].mean() == pytest.approx(0.8, rel=0.02)


def test_the_number_of_threads_changes_nothing(tmp_path):
    weather = {"window": {**left_black(tmp_path), "drops": 0.5}, "rain_mm_h": 20.0}
    clouds = []
    for n_threads in (1, 2):
        with kernel_threads(n_threads):
            model = beams_at(tmp_path, WALL, weather=weather, pattern=WALL_GRID, receiver={})
            clouds.append(cloud_of(model).points.tobytes())
    assert clouds[0] == clouds[1]
    assert clouds[0]


def messages_of(folder, window, **sensor):
    """Return clouds and SensorData, as bytes."""
    sensor = {"receiver": {}, "range_limit": LIMIT, **sensor}
    model = beams_at(folder, WALL, weather={"window": window}, **sensor)
    step = model.step(frames([[]], host_id=None)[0])
    return step.scans[0].cloud.points.tobytes(), bytes(step.sensor_data)


def test_a_clear_window_gives_the_bytes_of_none(tmp_path):
    none = messages_of(tmp_path, {})
    white = image(tmp_path, np.full((2, 2), 255))
    behind = left_black(tmp_path, first=175, last=180)
    for window in ({"transmission": 1.0, "drops": 0.0}, white, behind, {"sensors": ["front"]}):
        assert messages_of(tmp_path, window) == none


def test_windows_are_those_of_the_named_sensors(tmp_path):
    dirty = {"transmission": 0.5}
    config = beams_at(tmp_path, WALL, weather={"window": {**dirty, "sensors": ["front"]}}).config
    front = config.sensors[0]
    both = (front, front.model_copy(update={"name": "rear"}))
    model = LidarModel(config.model_copy(update={"sensors": both}))
    step = model.step(frames([[]], host_id=None)[0])
    reported = [scan.cloud.points["reflectivity"] for scan in step.scans]
    np.testing.assert_allclose(reported[0], 0.25 * reported[1], rtol=1e-6)
    with one_line(ConfigurationError, start="weather.window.sensors: there is no sensor 'rear'"):
        beams_at(tmp_path, WALL, weather={"window": {**dirty, "sensors": ["rear"]}})


def test_ideal_sensors_have_no_window(tmp_path):
    ideal = {"beam": None, "receiver": None, "returns": None, "range_limit": LIMIT}
    none = messages_of(tmp_path, {}, **ideal)
    assert messages_of(tmp_path, {"transmission": 0.0}, **ideal) == none


@pytest.mark.parametrize(
    ("blocked", "qualifier"),
    [
        (0, SensorDetectionHeader.DATA_QUALIFIER_AVAILABLE),
        (2, SensorDetectionHeader.DATA_QUALIFIER_AVAILABLE),
        (3, SensorDetectionHeader.DATA_QUALIFIER_AVAILABLE_REDUCED),
        (19, SensorDetectionHeader.DATA_QUALIFIER_AVAILABLE_REDUCED),
        (20, SensorDetectionHeader.DATA_QUALIFIER_BLINDNESS),
    ],
)
def test_osi_is_told_how_much_is_blocked(tmp_path, blocked, qualifier):
    """Of 20 beams 3 deg apart; a tenth is not yet reduced."""
    azimuth_deg = np.array(FAN["azimuth_elevation_deg"])[:, 0]
    grey = np.full((2, 720), 255)  # columns of 0.5 deg
    if blocked:
        grey[:, 360 - 2 * azimuth_deg[blocked - 1] - 1 :] = 0
    model = beams_at(tmp_path, WALL, weather={"window": image(tmp_path, grey)}, pattern=FAN)
    step = model.step(frames([[]], host_id=None)[0])
    (lidar,) = SensorData.FromString(bytes(step.sensor_data)).feature_data.lidar_sensor
    assert len(step.scans[0].cloud.points) == 20 - blocked
    assert lidar.header.number_of_valid_detections == 20 - blocked
    assert lidar.header.data_qualifier == qualifier
