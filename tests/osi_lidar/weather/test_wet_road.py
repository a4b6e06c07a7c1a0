# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Wet roads in the beam: darker, and showing what is above them."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from lidar_scenery.weather.state import Weather
from material_mapping.optics.wet import wet_factor
from osi_lidar import LidarModel
from osi_lidar.scan.echoes.point_kernels import find_and_receive
from tests.builders.beams import BEAM, FAR, SEES, cloud_of
from tests.builders.meshes import write_quads
from tests.builders.weather import GHOST, SURFACE, of, scan_in
from tests.builders.worlds import AT_ORIGIN, ONE_BEAM, config

FULL = Weather(road_water_mm=1.0)
"""More than the 0.9 mm that the texture of asphalt holds."""
SEES_ALL = {"equation": {"pairs": [[10, 60_000]]}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("wet")


def patch(angle_deg):
    """Return the corners of a road that beams along x meet at an angle of incidence, at 30 m."""
    tilt = math.radians(90.0 - angle_deg)
    return [
        (30.0 + along * math.cos(tilt), side, along * math.sin(tilt))
        for along, side in ((-9, -9), (9, -9), (9, 9), (-9, 9))
    ]


def reflected(folder, weather, angle_deg, *, percent=11.0, material="asphalt_flat", **sensor):
    """Return the reflectivity of a patch of Lambertian ground."""
    mesh = write_quads(folder / "patch.obj", [(patch(angle_deg), "Road")])
    mapping = {"define": {material: {"reflectance": percent / 100.0}}, "materials": {"*": material}}
    (folder / "patch.yaml").write_text(json.dumps(mapping))
    one = {"name": "front", "pattern": ONE_BEAM, "mounting": AT_ORIGIN, "receiver": SEES}
    environment = [{"mesh": str(mesh), "up": "z", "forward": "x"}]
    model = LidarModel(
        config(
            sensors=[{**one, "range_limit": FAR, **sensor}],
            scene={"environment": environment, "ground": "none"},
            materials={"mapping": str(folder / "patch.yaml")},
        )
    )
    model.world.sky.weather = weather
    (point,) = of(SURFACE, cloud_of(model).points)
    return float(point["reflectivity"])


def test_no_weather_compiles_the_receiver_anew(folder):
    """That would be a minute of waiting for the first cloud in fog, or on a wet road."""
    reflected(folder, Weather(), 0.0)
    known = set(find_and_receive.signatures)
    for weather in (FULL, Weather(visibility_m=5000.0), replace(FULL, visibility_m=5000.0)):
        reflected(folder, weather, 0.0)
    assert set(find_and_receive.signatures) == known


@pytest.mark.parametrize(
    ("percent", "angle_deg", "factor"),
    [
        (11.0, 0.0, 0.573),
        (11.0, 60.0, 0.528),
        (11.0, 75.0, 0.371),
        (11.0, 80.0, 0.254),
        (11.0, 85.0, 0.104),
        (35.0, 0.0, 0.650),
        (35.0, 85.0, 0.118),
    ],
)
def test_wet_ground_is_darker_by_known_factors(folder, percent, angle_deg, factor):
    """Lekner and Dorf's flat film: (1 - F)^2 / n^2 (1 - rho r_i) for n = 1.33, without absorption.

    At 905 nm a film of 1 mm takes 1.4 % there and back, and more of what it mirrors within.
    """
    dry, wet = (
        reflected(folder, weather, angle_deg, percent=percent) for weather in (Weather(), FULL)
    )
    assert dry == pytest.approx(percent / 100.0 * math.cos(math.radians(angle_deg)), rel=1e-3)
    assert 0.97 * factor < wet / dry < factor


@pytest.mark.parametrize("wavelength_nm", [905.0, 1550.0])
@pytest.mark.parametrize("angle_deg", [0.0, 60.0, 77.6, 80.0, 85.0, 86.5, 87.7, 88.5])
@pytest.mark.parametrize("water_mm", [0.3, 1.0])
def test_a_sensor_sees_wet_ground_as_the_film_says(folder, wavelength_nm, angle_deg, water_mm):
    """The film of water's own constants (see test_wet.py), between rows of a degree to 0.3 %.

    At grazing incidence it falls with the cube of the cosine; from 88 deg on it is right to 1.5 %.
    """
    one = {"wavelength_nm": wavelength_nm, "range_limit": SEES_ALL}
    dry = reflected(folder, Weather(), angle_deg, **one)
    wet = reflected(folder, Weather(road_water_mm=water_mm), angle_deg, **one)
    expected = wet_factor(
        math.cos(math.radians(angle_deg)),
        reflectance=0.11,
        water_mm=water_mm,
        wavelength_nm=wavelength_nm,
    )
    assert wet / dry == pytest.approx(float(expected), rel=0.003 if angle_deg < 88.0 else 0.015)


def test_a_millimetre_of_water_leaves_little_at_1550_nm(folder):
    """exp(-2 (1085 - 7) / m 1 mm) = 0.116 of what it leaves at 905 nm, and less from within."""
    leaves = {}
    for wavelength_nm in (905.0, 1550.0):
        one = {"wavelength_nm": wavelength_nm}
        dry, wet = (reflected(folder, weather, 0.0, **one) for weather in (Weather(), FULL))
        leaves[wavelength_nm] = wet / dry
    assert 0.95 * 0.116 < leaves[1550.0] / leaves[905.0] < 0.116


def test_what_is_no_road_stays_dry(folder):
    one = {"material": "brick_flat"}
    assert reflected(folder, FULL, 60.0, **one) == reflected(folder, Weather(), 60.0, **one)


HEIGHT_M = 1.9
ROAD = [(0.5, -30.0, -HEIGHT_M), (99.0, -30.0, -HEIGHT_M), (99.0, 30.0, -HEIGHT_M),
        (0.5, 30.0, -HEIGHT_M)]  # fmt: skip
SIGN = [(20.0, side, 2.5 - HEIGHT_M + up) for side, up in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
"""A sheeting around 2.5 m above the road, 20 m away."""
DOWN_DEG = -math.degrees(math.atan2(2.5 + HEIGHT_M, 20.0))
"""Elevation of its mirror image, 2.5 m below the road."""


def below_the_road(folder, weather, *, n=3, percent=22_000.0, **sensor):
    """Return the points of beams towards the mirror image of the sign."""
    aimed = {"kind": "pairs", "azimuth_elevation_deg": [[0.0, DOWN_DEG]] * n}
    surfaces = [(ROAD, "asphalt_new"), (SIGN, percent)]
    chosen = {"beam": None, "pattern": aimed, **sensor}
    return scan_in(weather, folder, surfaces, **chosen)


@pytest.mark.parametrize(("n", "beam"), [(1, None), (3, None), (3, BEAM)], ids=str)
def test_a_sign_stands_below_a_wet_road(folder, n, beam):
    """Met at 77.6 deg, at 8.64 m: F = 0.2724 for n = 1.33, F^2 220 = 16.3; at 20.48 m in all.

    One ray of a footprint looks there, and 1 mrad changes F^2 by 1.5 %.
    """
    points = below_the_road(folder, FULL, n=n, beam=beam)
    ghost, road = of(GHOST, points), of(SURFACE, points)
    assert len(ghost) == len(road) == n
    np.testing.assert_allclose(road["x"], 8.64, atol=0.01)
    np.testing.assert_allclose(ghost["range"], 20.48, atol=0.01)
    np.testing.assert_allclose(ghost["x"], 20.0, atol=0.01)
    np.testing.assert_allclose(ghost["z"], -HEIGHT_M - 2.5, atol=0.01)
    np.testing.assert_allclose(ghost["reflectivity"], 16.3, rtol=0.005 if beam is None else 0.02)


def test_the_ghost_is_weaker_at_1550_nm_where_water_refracts_less(folder):
    """n = 1.318: F(77.6 deg) = 0.269 by Fresnel's equations."""
    (ghost,) = of(GHOST, below_the_road(folder, FULL, n=1, wavelength_nm=1550.0))
    inside = math.asin(math.sin(math.radians(77.6)) / 1.318)
    less, more = math.radians(77.6) - inside, math.radians(77.6) + inside
    both = (math.sin(less) / math.sin(more)) ** 2, (math.tan(less) / math.tan(more)) ** 2
    assert ghost["reflectivity"] == pytest.approx((sum(both) / 2.0) ** 2 * 220.0, rel=0.01)


def test_less_water_shows_the_ghost_by_the_square_of_what_it_covers(folder):
    """0.72 of 0.9 mm cover 0.8 of the road."""
    (full,) = of(GHOST, below_the_road(folder, FULL, n=1))
    (less,) = of(GHOST, below_the_road(folder, Weather(road_water_mm=0.72), n=1))
    assert less["reflectivity"] / full["reflectivity"] == pytest.approx(0.64, rel=1e-3)


def test_fog_weakens_the_ghost_over_its_whole_way(folder):
    fog = Weather(road_water_mm=1.0, visibility_m=100.0)
    (clear,) = of(GHOST, below_the_road(folder, FULL, n=1))
    (weak,) = of(GHOST, below_the_road(folder, fog, n=1))
    passed = math.exp(-2.0 * math.log(20.0) / 100.0 * 20.478)
    assert weak["reflectivity"] / clear["reflectivity"] == pytest.approx(passed, rel=1e-3)


@pytest.mark.parametrize(
    "weather",
    [Weather(), Weather(road_water_mm=1.0, snow_depth_mm=20.0)],
    ids=["dry", "snow"],
)
def test_a_road_without_open_water_shows_nothing(folder, weather):
    assert not len(of(GHOST, below_the_road(folder, weather)))


def aimed_at(folder, corners, pitch_deg):
    """Return the points of a pitched sensor, whose beam meets a patch at 80 deg, before a sign."""
    level = {"kind": "pairs", "azimuth_elevation_deg": [[0.0, 0.0]]}
    mounting = {**AT_ORIGIN, "pitch_deg": pitch_deg}
    facing = [(90.0, side, up) for side, up in ((-80, -80), (80, -80), (80, 80), (-80, 80))]
    surfaces = [(corners, "concrete"), (facing, 22_000.0)]
    return scan_in(FULL, folder, surfaces, pattern=level, mounting=mounting, beam=None, n=1)


def test_wet_walls_do_not_mirror(folder):
    """Water runs off them. A road is level to a sensor that looks down at it, too."""
    floor = [(x, y, -5.0) for x, y in ((1, -30), (60, -30), (60, 30), (1, 30))]
    wall = [(30.0 + along * math.sin(math.radians(80.0)), along * math.cos(math.radians(80.0)), up)
            for along, up in ((-20, -30), (20, -30), (20, 30), (-20, 30))]  # fmt: skip
    on_floor, on_wall = (
        aimed_at(folder, floor, pitch_deg=10.0),
        aimed_at(folder, wall, pitch_deg=0.0),
    )
    assert of(SURFACE, on_floor)["range"] == pytest.approx(5.0 / math.sin(math.radians(10.0)))
    assert of(SURFACE, on_wall)["range"] == pytest.approx(30.0)
    assert (len(of(GHOST, on_floor)), len(of(GHOST, on_wall))) == (1, 0)


def test_an_ideal_sensor_sees_a_dry_road(folder):
    ideal = {"receiver": None, "returns": None, "percent": 50.0}
    dry, wet = (below_the_road(folder, weather, **ideal) for weather in (Weather(), FULL))
    assert dry.tobytes() == wet.tobytes()
