# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A sensor of one beam sees with it what it sees with the first of two equal beams."""

import json

import pytest
from numpy.testing import assert_array_equal

from lidar_scenery.weather.state import DustBox, FogPatches, Weather
from osi_bridge import Sun
from osi_lidar import LidarModel
from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.scan.echoes.point_kernels import find_and_receive
from tests.builders.beams import BEAM, FAR, SEES
from tests.builders.meshes import quad, write_quads
from tests.builders.messages import Thing, frames, host
from tests.builders.worlds import AT_ORIGIN, DEFINE, RULES, config

STEP_S = 0.1
CAR_M_S, HOST_M_S = 7.0, 3.0
LACK = {"reflectance": [[0, 0.3], [90, 0.3]], "wavelength_nm": 905}
RULES_OF_ALL = {
    **RULES,
    "Lack": "lack",
    "Road": "asphalt_new",
    "Sheet": "sign_sheeting",
    "Bricks": "brick",
}
DEFINE_ALL = {**DEFINE, "lack": {**LACK, "gloss": {"roughness": 0.05, "n": 1.5}}}
PHYSICAL = {
    "fidelity": "physical",
    "range_limit": FAR,
    "beam": BEAM,
    "receiver": SEES,
    "returns": {"mode": "all", "max": 8},
}
LINE = {**PHYSICAL, "beam": None}
NOISY = {**PHYSICAL, "receiver": None}
FINE = {**PHYSICAL, "beam": {**BEAM, "refine": True}}
BACK, AHEAD, BESIDE = (-9.0, 0.0, 0.0), (24.0, 0.0, 0.0), (10.0, -9.0, 0.0)
MIRROR = (quad(5.0), "Mirror")
PANE = (quad(5.0), "Pane")
WALL = (quad(40.0), "Wall")
ROAD = ([(2.0, -20.0, -1.0), (60.0, -20.0, -1.0), (60.0, 20.0, -1.0), (2.0, 20.0, -1.0)], "Road")
GRAZING = {"elevation_deg": -3.0}
EDGE = ([(20.0, 0.0, -9.0), (20.0, 9.0, -9.0), (20.0, 9.0, 9.0), (20.0, 0.0, 9.0)], "Wall")
"""Half of the beam meets it."""
BOX = DustBox(center_m=(15.0, 0.0, 0.0), size_m=(4.0, 9.0, 9.0), visibility_m=20.0)
LOW_SUN = Sun(direction=(0.9992009, 0.0, 0.0399680), lux=100_000.0)


def _case(surfaces, sensor, air=None, car=None, **more):
    return surfaces, sensor, air or Weather(), car, more


FEATURES = {
    "a wall": _case([WALL], {}),
    "a car": _case([], {}, car=AHEAD),
    "a mirror": _case([MIRROR], {}, car=BACK),
    "a mirror, with a footprint": _case([MIRROR], PHYSICAL, car=BACK, shows="ghost"),
    "a mirror, as a physical line": _case([MIRROR], LINE, car=BACK, shows="ghost"),
    "a pane": _case([PANE], {}, car=AHEAD),
    "a pane, with a footprint": _case([PANE], PHYSICAL, car=AHEAD),
    "a pane, as a physical line": _case([PANE], LINE, car=AHEAD),
    "a pane, to a receiver beside": _case(
        [PANE], {**PHYSICAL, "receiver": {**SEES, "offset_m": [0.1, 0.0]}}, car=AHEAD
    ),
    "gloss": _case(
        [(quad(10.0, 45.0, 2.0), "Lack")],
        {**PHYSICAL, "range_limit": {"equation": {"pairs": [[10, 20_000]]}}},
        car=BESIDE,
        shows="ghost",
    ),
    "a wet road": _case(
        [ROAD], PHYSICAL, Weather(road_water_mm=1.0), car=AHEAD, shows="ghost", **GRAZING
    ),
    "snow on a road": _case([ROAD], PHYSICAL, Weather(snow_depth_mm=5.0), **GRAZING),
    "fog": _case([WALL], PHYSICAL, Weather(visibility_m=60.0), shows="fog"),
    "fog before an edge": _case([EDGE, PANE], PHYSICAL, Weather(visibility_m=60.0)),
    "patches of fog": _case(
        [WALL], PHYSICAL, Weather(visibility_m=60.0, fog_patches=FogPatches(contrast=0.8))
    ),
    "rain": _case([WALL], PHYSICAL, Weather(rain_mm_h=80.0), shows="rain"),
    "snow": _case([WALL], PHYSICAL, Weather(snow_mm_h=20.0), shows="snow"),
    "dust": _case([WALL], PHYSICAL, Weather(dust=(BOX,)), shows="dust"),
    "a window": _case([WALL], PHYSICAL, weather={"window": {"transmission": 0.5, "drops": 0.3}}),
    "glare": _case([], {**NOISY, "receiver": {"sun_glare": True}}, Weather(sun=LOW_SUN)),
    "a retroreflector that blooms": _case(
        [(quad(30.0), "Sheet")],
        {**PHYSICAL, "receiver": {**SEES, "stray_light": {"share": 1e-3, "width_deg": 0.2}}},
    ),
    "texture": _case([(quad(12.0), "Bricks")], {"texture": True}),
    "texture, with a footprint": _case([(quad(12.0), "Bricks")], {**PHYSICAL, "texture": True}),
    "an edge": _case([EDGE, WALL], PHYSICAL),
    "a finer edge": _case([EDGE, WALL], FINE, car=(22.0, -1.0, 0.0)),
    "a finer edge behind a pane": _case([PANE, EDGE, WALL], FINE),
    "noise of the receiver": _case([EDGE, WALL], NOISY),
    "noise of formulas": _case(
        [WALL],
        {
            "noise": {
                "range_sigma_m": 0.02,
                "sigma_incidence_m": 0.01,
                "azimuth_sigma_deg": 0.1,
                "drop_probability": 0.5,
            }
        },
    ),
    "a lost beam": _case([WALL], {**NOISY, "noise": {"drop_probability": 0.5}}),
    "the threshold of BlenSor": _case([WALL], {"detection": {}}),
    "deskewed": _case([WALL], {"deskew": True}),
}
"""By what they show: surfaces, sensor, weather, a car that moves, and more of the beam."""


def scans(folder, feature, n_beam):
    """Return the scans of a sensor of equal beams that drives, while a car comes nearer."""
    surfaces, sensor, air, car, more = FEATURES[feature]
    mesh = write_quads(folder / "mesh.obj", surfaces or [(quad(190.0), "Wall")])
    mapping = {"materials": RULES_OF_ALL, "define": DEFINE_ALL}
    (folder / "materials.yaml").write_text(json.dumps(mapping))
    one = {
        "name": "front",
        "pattern": {
            "kind": "pairs",
            "azimuth_elevation_deg": [[0.0, more.get("elevation_deg", 0.0)]] * n_beam,
        },
        "mounting": AT_ORIGIN,
        "max_range_m": 200.0,
        "range_limit": None,
        "velocity": True,
    }
    model = LidarModel(
        config(
            sensors=[
                {name: value for name, value in {**one, **sensor}.items() if value is not None}
            ],
            scene={"environment": [{"mesh": str(mesh), "up": "z"}], "ground": "none"},
            materials={"mapping": str(folder / "materials.yaml")},
            weather=more.get("weather", "none"),
        )
    )
    model.world.sky.weather = air
    worlds = [
        [
            host(1.2 + HOST_M_S * STEP_S * (k - 3), 0.0, 0.45),
            *([] if car is None else [Thing(9, (car[0] - CAR_M_S * STEP_S * (k - 3), *car[1:]))]),
        ]
        for k in range(4)
    ]
    return [model.step(frame).scans[0] for frame in frames(worlds, STEP_S)][1:]


@pytest.mark.parametrize("feature", FEATURES)
def test_one_beam_sees_what_the_first_of_two_equal_ones_sees(tmp_path, feature):
    alone, both = (scans(tmp_path, feature, n_beam) for n_beam in (1, 2))
    n = 0
    for one, two in zip(alone, both, strict=True):
        first = two.cloud.beam == 0
        assert_array_equal(one.cloud.points, two.cloud.points[first])
        for name in ("object_id", "true_range_m", "true_xyz_m", "velocity_m_s", "existence"):
            mine, others = getattr(one.cloud, name), getattr(two.cloud, name)
            assert (mine is None) == (others is None)
            if mine is not None:
                assert_array_equal(mine, others[first])
        n += len(one.cloud)
        shown = FEATURES[feature][-1].get("shows")
        assert shown is None or ORIGINS.index(shown) in one.cloud.points["origin"]
    assert n or feature in {"glare", "a lost beam"}
    assert len(find_and_receive.signatures) <= 1, "a user of the feature waits for a minute"
