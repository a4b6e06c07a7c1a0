# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Weather of messages in a replay: what physical sensors make of it, and what ideal ones do not."""

import json

import numpy as np
import pytest
from osi3.osi_environment_pb2 import EnvironmentalConditions as Conditions
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import NO_OBJECT, DetectionClass, write_trace
from osi_lidar import LidarModel
from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.clouds.pcd import read_pcd
from tests.builders.beams import BEAM, FAR, SEES
from tests.builders.messages import Thing, ahead, host, message
from tests.builders.weather import FOG, RAIN, SNOW, SPRAY, SURFACE, decoded, of, passing
from tests.builders.worlds import config
from tests.commands import run

SENSOR = {"name": "roof", "preset": "VLP-16", "columns": 900, "mounting": {"x_m": 1.0, "z_m": 1.9}}
PARKED = [Thing(number, (14.0 + 6.0 * number, -8.0 + 2.0 * number, 0.75)) for number in range(3, 9)]


def view(data, *, precipitation=None, fog=None, kelvin=None, film_mm=None, sun=None):
    """Return a message that states some weather."""
    changed = SensorView.FromString(data)
    truth = changed.global_ground_truth
    stated = truth.environmental_conditions
    if precipitation is not None:
        stated.precipitation = Conditions.Precipitation.Value(f"PRECIPITATION_{precipitation}")
    if fog is not None:
        stated.fog = Conditions.Fog.Value(f"FOG_{fog}")
    if kelvin is not None:
        stated.temperature = kelvin
    if sun is not None:
        stated.sun.azimuth, stated.sun.elevation, stated.sun.intensity = sun
    if film_mm is not None:
        lane = truth.lane.add()
        lane.id.value = 77
        lane.classification.road_condition.surface_water_film = film_mm
    return changed.SerializeToString()


STORM = {
    "precipitation": "VERY_HEAVY",
    "fog": "THICK",
    "film_mm": 1.0,
    "sun": (1.0, 0.15, 60_000.0),
}


def written(folder, *, weather=None, n=2):
    """Write a trace of parked cars, whose first message states weather; return it."""
    messages = [message([host(), ahead(), *PARKED], 0.1 * number) for number in range(n)]
    messages[0] = view(messages[0], **(weather or {}))
    path = folder / "drive.osi"
    write_trace(path, messages, message_type="SensorView")
    return path


def replayed(folder, name, trace, *options):
    """Replay a trace; return the clouds of its one sensor."""
    (folder / "config.yaml").write_text(json.dumps({"sensors": [SENSOR], "seed": 3}))
    out = folder / name
    result = run("replay", trace, "-c", folder / "config.yaml", *options, "--out", out)
    assert result.exit_code == 0, result.output
    return [read_pcd(path) for path in sorted((out / "roof").glob("*.pcd"))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("messages")


@pytest.fixture(scope="module")
def traces(folder):
    """Return a trace in a storm, and the same one in clear air."""
    for name in ("storm", "clear"):
        (folder / name).mkdir()
    return written(folder / "storm", weather=STORM), written(folder / "clear")


@pytest.fixture(scope="module")
def clouds(folder, traces):
    """Return the physical clouds of both."""
    physical = ("--fidelity", "physical")
    return [replayed(folder, f"{trace.parent.name}-out", trace, *physical) for trace in traces]


def test_physical_sensors_see_the_weather_of_messages(clouds):
    storm, clear = clouds
    for cloud in storm:
        assert len(of(FOG, cloud)) > 100
        assert len(of(RAIN, cloud)) > 20
        assert not len(of(SNOW, cloud))
    for cloud, without in zip(storm, clear, strict=True):
        assert 0 < len(of(SURFACE, cloud)) < 0.8 * len(of(SURFACE, without))
        assert not any(len(of(ORIGINS.index(name), without)) for name in ORIGINS[3:])


def test_surfaces_in_a_storm_are_darker(clouds):
    storm, clear = (
        [of(SURFACE, cloud)["reflectivity"].mean() for cloud in each] for each in clouds
    )
    assert max(storm) < 0.7 * min(clear)


def test_an_ideal_sensor_sees_none_of_it(folder, traces):
    storm, clear = (
        replayed(folder, f"{trace.parent.name}-ideal", trace, "--fidelity", "ideal")
        for trace in traces
    )
    for cloud, without in zip(storm, clear, strict=True):
        assert cloud.tobytes() == without.tobytes()


def test_weather_none_gives_the_bytes_of_clear_air(folder, clouds):
    """Light stays, so the trace of this test has that of the other one."""
    (folder / "dull").mkdir()
    without_sun = {key: value for key, value in STORM.items() if key != "sun"}
    trace = written(folder / "dull", weather=without_sun)
    none = replayed(folder, "dull-out", trace, "--fidelity", "physical", "--weather", "none")
    for cloud, without in zip(none, clouds[1], strict=True):
        assert cloud.tobytes() == without.tobytes()


def test_weather_none_leaves_the_light(folder, traces):
    """The same points but for the noise of sunlight: of 60 000 lx in place of 100 000 lx."""
    options = ("--fidelity", "physical", "--weather", "none")
    (folder / "sunny").mkdir()
    sunny = written(folder / "sunny", weather={"sun": STORM["sun"]})
    first = replayed(folder, "sunny-out", sunny, "--fidelity", "physical")
    none = replayed(folder, "storm-none", traces[0], *options)
    for cloud, expected in zip(none, first, strict=True):
        assert cloud.tobytes() == expected.tobytes()


GRID = {
    "kind": "grid",
    "horizontal": {"min_deg": -30, "max_deg": 30, "step_deg": 0.5},
    "vertical": {"min_deg": -8, "max_deg": 2, "step_deg": 1.0},
}
CALM = {
    "name": "front",
    "pattern": GRID,
    "mounting": {"x_m": 2.0, "z_m": 1.2},
    "beam": BEAM,
    "range_limit": FAR,
    "returns": {"mode": "all", "max": 8},
    "receiver": SEES,
}
"""A sensor without any noise."""


def model_of(**sensor):
    return LidarModel(config(sensors=[{**CALM, **sensor}]))


def origins(scan):
    return set(np.unique(scan.cloud.points["origin"]).tolist())


@pytest.mark.parametrize("noise", [True, False], ids=["noise", "calm"])
def test_weather_takes_effect_with_its_message(noise):
    """The world stands still, so that a sensor without noise makes scans for its weather alone."""
    model = model_of(receiver={**SEES, "amplitude_noise": noise})
    things = [host(), *PARKED]
    weathers = [
        {},
        {},
        {"fog": "THICK"},
        {},
        {"fog": "EXCELLENT_VISIBILITY"},
        {"precipitation": "EXTREME"},
        {"kelvin": 260.0},
        {"precipitation": "NONE"},
        {},
    ]
    messages = [view(message(things, 0.1 * n), **each) for n, each in enumerate(weathers)]
    scans = [model.step(frame).scans[0] for frame in decoded(messages)]
    seen = [origins(scan) & {FOG, RAIN, SNOW} for scan in scans]
    assert seen == [set(), set(), {FOG}, {FOG}, set(), {RAIN}, {SNOW}, set(), set()]
    calm = [True, False, True, False, True, True, True, True, False]
    assert [scan.traced for scan in scans] == ([True] * 9 if noise else calm)


def test_a_road_that_becomes_wet_is_darker_at_once():
    model = model_of()
    still = [message([host()], 0.1 * number) for number in range(3)]
    still[1] = view(still[1], film_mm=2.0)
    scans = [model.step(frame).scans[0] for frame in decoded(still)]
    dry, wet, after = (of(SURFACE, scan.cloud.points)["reflectivity"].mean() for scan in scans)
    assert wet < 0.7 * dry
    assert after == wet


def test_an_ideal_sensor_makes_no_new_scan_for_weather():
    ideal = {"name": "ideal", "pattern": GRID, "mounting": CALM["mounting"]}
    model = LidarModel(config(sensors=[ideal, CALM]))
    still = [message([host()], 0.1 * number) for number in range(3)]
    still[2] = view(still[2], fog="DENSE")
    traced = [[scan.traced for scan in model.step(frame).scans] for frame in decoded(still)]
    assert traced == [[True, True], [False, False], [False, True]]


def test_spray_follows_the_film_of_a_lane():
    messages = passing(11)
    messages[0] = view(messages[0], film_mm=1.0)
    model = model_of()
    first, *_, last = [model.step(frame).scans[0] for frame in decoded(messages)]
    assert SPRAY not in origins(first)
    assert SPRAY in origins(last)


def test_detections_of_weather_are_clutter_of_no_object():
    """Where detections tell what they are; existence, width and error are as of all echoes."""
    model = LidarModel(config(sensors=[CALM], output={"classification": "truth"}))
    storm = view(message([host(), *PARKED]), precipitation="EXTREME", fog="THICK")
    (frame,) = decoded([storm])
    step = model.step(frame)
    points = step.scans[0].cloud.points
    (sensor,) = SensorData.FromString(step.sensor_data).feature_data.lidar_sensor
    classes = np.array([each.classification for each in sensor.detection])
    assert {FOG, RAIN} <= origins(step.scans[0])
    np.testing.assert_array_equal(classes == DetectionClass.CLUTTER, points["origin"] >= FOG)
    for detection, origin in zip(sensor.detection, points["origin"], strict=True):
        assert origin < FOG or detection.object_id.value == NO_OBJECT
        assert detection.echo_pulse_width > 0.0
