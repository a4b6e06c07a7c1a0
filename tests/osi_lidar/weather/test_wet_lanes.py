# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Lanes with a film of water of their own, in the beam."""

import json
import math

import numpy as np
import pytest

from lidar_scenery.weather.lanes.water import lane_water
from material_mapping.optics.wet import wet_factor
from osi_lidar import LidarModel
from osi_lidar.config.weather import WeatherSection
from osi_lidar.world.sky import Sky
from tests.builders.beams import BEAM, FAR, SEES, beams_at
from tests.builders.images import write_wall
from tests.builders.lanes import with_films
from tests.builders.messages import Thing, host, message
from tests.builders.weather import GHOST, SURFACE, decoded, of
from tests.builders.worlds import AT_ORIGIN, config

HEIGHT_M = 1.9
ROAD = [(x, y, -HEIGHT_M) for x, y in ((-9, -30), (99, -30), (99, 30), (-9, 30))]
ASPHALT = {"asphalt_flat": {"reflectance": 0.11, "wavelength_nm": 905}}
DRY, WET = -2.0, 2.0
"""Middles of a dry lane and, left of it, of a wet one. [m]"""


def road(films_mm, **lanes):
    """Return a frame with lanes at the height of the road."""
    empty = message([], host_id=None)
    return decoded([with_films(empty, films_mm, z_m=-HEIGHT_M, **lanes)])[0]


def points_of(folder, frame, y_m, surfaces=((ROAD, "asphalt_flat"),), weather="auto", **sensor):
    """Return the points of a sensor above a place along y that looks along x."""
    chosen = {"mounting": {**AT_ORIGIN, "y_m": y_m}, "beam": None, **sensor}
    model = beams_at(folder, [*surfaces], n=3, materials=ASPHALT, weather=weather, **chosen)
    return model.step(frame).scans[0].cloud.points


def aimed(*elevation_deg):
    return {"kind": "pairs", "azimuth_elevation_deg": [[0.0, each] for each in elevation_deg]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lanes")


@pytest.mark.parametrize(("angle_deg", "factor"), [(0.0, 0.573), (75.0, 0.371)])
@pytest.mark.parametrize("beam", [None, BEAM], ids=["lines", "footprints"])
def test_a_wet_lane_is_darker_than_the_dry_one_beside_it(folder, angle_deg, factor, beam):
    """Factors of a closed form without absorption, see test_wet_road.py."""
    frame, pattern = road([0.0, 1.0]), aimed(angle_deg - 90.0)
    dry, wet = (
        of(SURFACE, points_of(folder, frame, y_m, pattern=pattern, beam=beam))["reflectivity"]
        for y_m in (DRY, WET)
    )
    np.testing.assert_allclose(dry, 0.11 * math.cos(math.radians(angle_deg)), rtol=2e-3)
    assert 0.97 * factor < (wet / dry)[0] < factor


def test_a_lane_is_as_wet_as_a_whole_road_of_its_film(folder):
    pattern = aimed(-30.0, -15.0, -6.0)
    lanes, whole = road([0.3, 1.0]), road([0.3, 0.3])
    assert lane_water(whole.lanes) is None
    one, other = (points_of(folder, each, DRY, pattern=pattern) for each in (lanes, whole))
    assert one.tobytes() == other.tobytes()


def test_a_road_beside_the_lanes_is_as_wet_as_the_wettest_of_them(folder):
    pattern = aimed(-30.0)
    beside, wet, silent = (
        points_of(folder, road(films_mm), y_m, pattern=pattern)["reflectivity"]
        for films_mm, y_m in (([0.0, 1.0], 6.0), ([1.0, 1.0], 6.0), ([0.0, 1.0, None], 6.0))
    )
    assert beside.tolist() == wet.tolist() == silent.tolist()


def test_a_sign_stands_below_the_wet_lane_alone(folder):
    """Its mirror image lies 2.5 m below the road, see test_wet_road.py."""
    down_deg = -math.degrees(math.atan2(2.5 + HEIGHT_M, 20.0))
    sign = [(20.0, y, 2.5 - HEIGHT_M + up) for y, up in ((-9, -1), (9, -1), (9, 1), (-9, 1))]
    surfaces = ((ROAD, "asphalt_flat"), (sign, 22_000.0))
    dry, wet = (
        points_of(folder, road([0.0, 1.0]), y_m, surfaces, pattern=aimed(down_deg))
        for y_m in (DRY, WET)
    )
    assert (len(of(GHOST, dry)), len(of(GHOST, wet))) == (0, 1)
    assert of(GHOST, wet)["reflectivity"] == pytest.approx(16.3, rel=0.005)


def test_a_configured_film_holds_for_all_lanes(folder):
    pattern, film = aimed(-30.0, -6.0), {"road_water_mm": 0.5}
    by_lane, whole = (
        points_of(folder, road(films_mm), DRY, weather=film, pattern=pattern)
        for films_mm in ([0.0, 1.0], [1.0, 1.0])
    )
    assert by_lane.tobytes() == whole.tobytes()


def test_a_lane_below_a_bridge_leaves_the_bridge_as_it_is(folder):
    """The lanes of the messages lie 5 m below the road of the environment."""
    pattern = aimed(-30.0)
    far = decoded([with_films(message([], host_id=None), [0.0, 1.0], z_m=-HEIGHT_M - 5.0)])[0]
    above, wet = (
        points_of(folder, frame, DRY, pattern=pattern) for frame in (far, road([1.0, 1.0]))
    )
    assert above.tobytes() == wet.tobytes()


def test_points_of_wet_lanes_have_the_material_of_the_road(folder):
    pattern = aimed(-30.0)
    dry, damp, wet = (
        points_of(folder, road(films_mm), y_m, pattern=pattern)["material_id"]
        for films_mm, y_m in (([], DRY), ([0.2, 1.0], DRY), ([0.2, 1.0], WET))
    )
    assert dry.tolist() == damp.tolist() == wet.tolist()


def test_a_lane_in_a_mirror_is_as_wet_as_the_lane_itself(folder):
    """A mirror 10 m ahead sends beams to the left, where they meet the road 8 m further on."""
    glass = [(10.0 + away, away, up) for away, up in ((-3, -1.8), (3, -1.8), (3, 2), (-3, 2))]
    mirror = {"mirror_flat": {"class": "mirror", "reflectance": 0.9, "wavelength_nm": 905}}
    surfaces = [(ROAD, "asphalt_flat"), (glass, "mirror_flat")]
    sensor = {"mounting": AT_ORIGIN, "pattern": aimed(-6.0), "beam": None}
    model = beams_at(folder, surfaces, n=3, materials={**ASPHALT, **mirror}, **sensor)
    seen = [
        of(GHOST, model.step(frame).scans[0].cloud.points)["reflectivity"][0]
        for frame in (
            road(films_mm, right_m=-2.0) for films_mm in ([0, 0, 1], [0, 0, 0], [0, 1, 0])
        )
    ]
    wet = wet_factor(math.sin(math.radians(6.0)), reflectance=0.11, water_mm=1, wavelength_nm=905)
    assert seen[0] / seen[1] == pytest.approx(float(wet), rel=0.01)
    assert seen[2] == seen[1]


def test_an_image_of_the_road_is_as_wet_as_its_lane(tmp_path):
    """Asphalt with a texture and an image; the film of 0.3 mm is that of one lane, or of all."""
    red = np.random.default_rng(5).integers(60, 255, (6, 9))
    corners = [(-9, 30, -HEIGHT_M), (-9, -30, -HEIGHT_M), (99, -30, -HEIGHT_M), (99, 30, -HEIGHT_M)]
    mesh = write_wall(tmp_path / "road.gltf", red, corners=corners)
    down = [[left, up] for left in range(-20, 21, 2) for up in range(-40, -10, 2)]
    sensor = {
        "name": "front",
        "pattern": {"kind": "pairs", "azimuth_elevation_deg": down},
        "mounting": {**AT_ORIGIN, "y_m": DRY},
        "beam": BEAM,
        "range_limit": FAR,
        "receiver": SEES,
        "texture": True,
    }
    environment = [{"mesh": str(mesh), "up": "z", "forward": "x"}]
    mapping = tmp_path / "map.yaml"
    mapping.write_text(json.dumps({"materials": {"*": "asphalt_worn"}}))
    model = LidarModel(
        config(
            sensors=[sensor],
            scene={"environment": environment, "ground": "none", "images": "base_color"},
            materials={"mapping": str(mapping)},
        )
    )
    lanes, whole = (
        model.step(road(films_mm)).scans[0].cloud.points for films_mm in ([0.3, 1], [0.3, 0.3])
    )
    on_lane = (np.abs(lanes["y"]) < 1.9) & (whole["x"] < 20.0)
    assert np.count_nonzero(on_lane) > 100
    assert lanes[on_lane].tobytes() == whole[on_lane].tobytes()
    beside = np.abs(lanes["y"]) > 2.1
    assert (lanes["reflectivity"][beside] < whole["reflectivity"][beside]).all()


def test_roads_that_are_drawn_from_lanes_are_as_wet_as_these():
    """The same asphalt 15 m ahead, met at 83 deg: the wet lane sends back less than half."""
    sensor = {
        "name": "roof",
        "pattern": {"kind": "pairs", "azimuth_elevation_deg": [[-8.0, -7.0], [8.0, -7.0]]},
        "mounting": {"x_m": 0.0, "z_m": 1.9},
        "range_limit": FAR,
        "receiver": SEES,
    }
    model = LidarModel(config(sensors=[sensor], scene={"roads": True}))
    data = with_films(message([host()]), [0.0, 1.0])
    dry, wet = model.step(decoded([data])[0]).scans[0].cloud.points["reflectivity"]
    assert 0.1 < wet / dry < 0.5


def test_spray_follows_the_film_of_the_lane_below_each_car():
    messages = [
        message([host(), Thing(2, (x, DRY, 0.75)), Thing(3, (x, WET, 0.75))], time_s=0.1 * step)
        for step, x in enumerate(5.0 + 3.0 * np.arange(8))
    ]
    sky = Sky(WeatherSection(), 0)
    frames = decoded([with_films(each, [0.0, 1.0]) for each in messages])
    for frame in frames:
        sky.hear(frame)
    bodies = sky.bodies(frames[-1].time_ns)
    assert len(bodies) > 10
    assert (bodies.center_m[:, 1] > 0.0).all()
