# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Documents: OpenDRIVE maps, OpenSCENARIO weather, and YAML of configurations and sheets."""

from dataclasses import replace

from lidar_app.cli.parts.weather import asked_weather
from lidar_app.conformance.sheet import read_sheet
from lidar_app.datasets.class_map import read_class_map
from lidar_scenery.roads.meshing import triangles_of
from lidar_scenery.roads.opendrive import read_map
from lidar_scenery.weather.sources.openscenario import weather_of_scenario
from osi_lidar import LidarModel, load_config
from tests.builders.images import grey_png
from tests.builders.meshes import CUBE
from tests.builders.messages import Thing, frames, host
from tests.fuzz.target import Target, command
from tests.lidar_scenery.roads.opendrive.small_maps import lane, road, section, written
from tests.lidar_scenery.roads.opendrive.town import town
from tests.lidar_scenery.weather.sources.test_openscenario import ALL, action, scenario

PROFILES = """
<elevationProfile><elevation s="0" a="0" b="0.01" c="-1e-4" d="1e-6"/><elevation s="50" a="1" b="0"
 c="0" d="0"/></elevationProfile><lateralProfile><superelevation s="0" a="0.02" b="0" c="0" d="0"/>
<shape s="0" t="-4" a="0" b="0.01" c="0" d="0"/><shape s="0" t="0" a="0" b="0" c="0" d="0"/>
</lateralProfile>"""
OBJECTS = """
<objects><object id="1" name="tree" type="tree" s="20" t="8" zOffset="0" height="6" radius="0.5"
 hdg="0" pitch="0" roll="0" orientation="none"/><object id="2" type="building" s="40" t="-12"
 zOffset="0" height="5" length="6" width="4" hdg="0.3"><repeat s="40" length="40" distance="12"
 tStart="-12" tEnd="-14" heightStart="5" heightEnd="7" zOffsetStart="0" zOffsetEnd="0"
 widthStart="4" widthEnd="4" lengthStart="6" lengthEnd="6"/></object><object id="3" type="barrier"
 s="60" t="6" zOffset="0"><outlines><outline id="0" closed="true" fillType="concrete">
 <cornerRoad s="60" t="6" dz="0" height="1"/><cornerRoad s="70" t="6" dz="0" height="1"/>
 <cornerRoad s="70" t="7" dz="0" height="1.2"/></outline><outline id="1" closed="true"><cornerLocal
 u="0" v="0" z="0" height="1"/><cornerLocal u="1" v="0" z="0" height="1"/><cornerLocal u="0" v="1"
 z="0" height="1"/></outline></outlines></object><object id="4" type="crosswalk" s="80" t="0"
 length="4" width="7" hdg="0" zOffset="0"/></objects><signals><signal id="9" s="30" t="-5"
 zOffset="2" type="274" subtype="50" country="DE" dynamic="no" orientation="+" width="0.6"
 height="0.6" hOffset="0.1" value="50"/><signal id="10" s="35" t="5" zOffset="3" type="1000001"
 dynamic="yes" orientation="-"/></signals>"""
MARK = (
    '<roadMark sOffset="0" type="broken" weight="standard" color="white" width="0.12"><type '
    'name="b" width="0.12"><line length="3" space="6" tOffset="0" sOffset="0" width="0.12"/></type>'
    '</roadMark><height sOffset="0" inner="0.1" outer="0.12"/>'
)
CURVES = (
    '<geometry s="0" x="0" y="0" hdg="0" length="20"><line/></geometry>'
    '<geometry s="20" x="20" y="0" hdg="0" length="20"><arc curvature="0.02"/></geometry>'
    '<geometry s="40" x="39" y="4" hdg="0.4" length="20"><spiral curvStart="0.02" curvEnd="-0.01"/>'
    '</geometry><geometry s="60" x="56" y="13" hdg="0.5" length="20"><poly3 a="0" b="0" c="0.01" '
    'd="1e-4"/></geometry><geometry s="80" x="73" y="24" hdg="0.6" length="20"><paramPoly3 aU="0" '
    'bU="20" cU="0" dU="0" aV="0" bV="0" cV="1" dV="0.1" pRange="normalized"/></geometry>'
)
HEADER = (
    '<header revMajor="1" revMinor="7" name="m" north="0" south="0">'
    "<geoReference>"
    '<![CDATA[+proj=utm +zone=32]]></geoReference><offset x="0" y="0" z="0" hdg="0"/></header>'
)


def _maps(folder):
    lanes = (lane(1, inside=MARK), lane(0, "", "none", MARK), lane(-1), lane(-2, 2, "sidewalk"))
    whole = road(section(*lanes), CURVES, more=PROFILES + OBJECTS)
    offset = '<laneOffset s="0" a="0.5" b="0.01" c="0" d="0"/>'
    two = section(*lanes), section(*lanes[1:], s=50.0)
    parts = {
        "curves": [whole],
        "sections": [road("".join(two), lane_offset=offset, more=OBJECTS)],
        "town": [town(2, 1)],
    }
    return {
        name: {"map.xodr": written(folder, *roads, header=HEADER).read_bytes()}
        for name, roads in parts.items()
    }


def _map(folder):
    parts = read_map(folder / "map.xodr")
    return [parts, triangles_of(parts)]


def _look_at_map(folder):
    return command("info", folder / "map.xodr", "--json")


def _scan_map(folder):
    options = ["--sensor", "VLP-16", "--surroundings", "--at", "10,0,1.8,0"]
    command("world", folder / "map.xodr", "--out", folder / "w.glb", "--surroundings")
    return command("check", "--map", folder / "map.xodr", *options[:3])


def _scenarios(folder):
    files = {
        "all": scenario(folder, action(ALL)).read_bytes(),
        "parameters": scenario(
            folder,
            story=action(ALL.replace('"150"', '"$fog"')),
            parameters='<ParameterDeclaration name="fog" parameterType="double" value="120"/>',
        ).read_bytes(),
    }
    return {name: {"rain.xosc": content} for name, content in files.items()}


def _weather_of_scenario(folder):
    """Read the weather of a scenario, whose visibility without fog is infinite."""
    found = weather_of_scenario(folder / "rain.xosc")
    return replace(found, visibility_m=min(found.visibility_m, 1e9))


WEATHER = """
rain_mm_h: 12
fog: {visibility_m: 300, patches: {size_m: 8, contrast: 0.5}}
road_water_mm: 0.8
snow_depth_mm: 0
temperature_k: 280
wind_m_s: [0, -6]
ambient_lux: 20000
sun: {azimuth_deg: 90, elevation_deg: 30, lux: 50000}
dust:
  - {center_m: [12, 0, 1], size_m: [4, 4, 2], yaw_deg: 30, visibility_m: 20}
  - {behind: vehicles, size_m: [6, 2, 2], visibility_m: 20, above_km_h: 5}
drop_sizes: {law: gamma, shape: 2, median_mm: 1.2}
window: {transmission: dirt.png, drops: 0.1, film_mm: 0.1}
"""
SNOW = """
snow_mm_h: 3
flakes: sekhon_srivastava
snow_density: 0.2
drop_sizes: {table: [[0.5, 1000], [1.0, 200], [2.0, 10]]}
window: {transmission: 0.8, film_mm: 0}
"""
BEAMS = """
sensors:
  - name: s
    pattern:
      {kind: raster, azimuth_deg: [-20, 20], elevation_deg: [-4, 1], columns: 12, rows: 4}
    beam: {divergence_deg: 0.2, width: e2, window_m: 0.01}
    pulse: {fwhm_ns: 5}
    returns: {mode: strongest}
    receiver: {probability_at_limit: 0.9}
    range_limit: {equation: {pairs: [[10, 60]]}}
"""
ALL_KEYS = """
version: 1
seed: 4
sensors:
  - name: roof
    preset: VLP-16
    columns: 900
    mounting: {x_m: 1.0, y_m: 0.0, z_m: 1.9, roll_deg: 0.1, pitch_deg: 0.2, yaw_deg: 3.0}
    noise: {range_sigma_m: 0.02, drop_probability: 0.01}
    min_range_m: 0.5
    max_range_m: 100
    timing: sensor_rate
    deskew: true
  - name: grid
    pattern:
      kind: grid
      horizontal: {min_deg: -20, max_deg: 20, step_deg: 2}
      vertical: {min_deg: -10, max_deg: 4, step_deg: 2}
    range_limit: {pairs: [[10, 40], [80, 100]]}
    fidelity: ideal
    rotation_rate_hz: 10
    wavelength_nm: 905
  - name: physical
    pattern: {kind: rosette, radius_deg: 20, radial_hz: 33, rotation_hz: 7, pulse_hz: 4000}
    beam: {divergence_deg: [0.2, 0.1], width: fwhm, window_m: [0.01, 0.01], sub_rays: 16}
    pulse: {fwhm_ns: 5}
    returns: {mode: last_strongest}
    receiver: {probability_at_limit: 0.9, ambient_lux: 20000, false_alarm_probability: 0.001}
    velocity: true
scene:
  environment: [{mesh: cube.obj, up: z, forward: x}]
  ground: auto
  shapes: auto
  objects: [{match: {id: 7}, mesh: cube.obj, up: z, forward: x}]
  teleport: {speed_m_s: 100, turn_deg_s: 700}
materials: {default: lambertian_50}
weather: {rain_mm_h: 2, fog: {visibility_m: 500}}
output: {pcd: binary}
"""
CURVED = """
sensors:
  - name: a
    pattern: {kind: lissajous, azimuth_span_deg: 60, elevation_span_deg: 40, azimuth_hz: 170,
              elevation_hz: 130, pulse_hz: 4000}
  - {name: b, pattern: {kind: spiral, radius_deg: 25, arm_pitch_deg: 1.5, pulse_hz: 4000}}
  - name: c
    rotation_rate_hz: 12.5
    pattern: {kind: line, layers_deg: [8, 3, -3], step_deg: 0.5, window_deg: [-90, 90]}
  - {name: d, pattern: {kind: camera, width: 16, height: 9, horizontal_fov_deg: 80}}
  - name: e
    pattern:
      kind: risley
      pulse_hz: 4000
      prisms:
        - {wedge_deg: 18.7, rate_hz: -121.5, refractive_index: 1.51}
        - {wedge_deg: 17.9, rate_hz: 77.7, refractive_index: 1.51}
  - name: f
    pattern: {kind: formula, azimuth_deg: width * sin(2 * pi * f * t), pulse_hz: 4000,
              elevation_deg: 10 * sin(4*pi*f*t), parameters: {width: 30, f: 40}}
  - {name: g, pattern: {kind: pairs, azimuth_elevation_deg: [[0, 0], [1, 2]]}}
  - {name: h, pattern: {kind: angles, horizontal_deg: [0, 5], vertical_deg: [0, -5]}}
"""
SHEET = """
name: a sensor
beams: {elevation_deg: [-10, -5, 0, 5], azimuth_step_deg: 0.2, azimuth_offset_deg: [0, 1, 0, 1]}
field_of_view: {azimuth_deg: [-180, 180], elevation_deg: [-10, 5]}
range_m: [0.5, 100]
errors: {range_sigma_m: 0.02, angle_deg: 0.01, divergence_deg: 0.1}
margins: {range_m: 0.05, share: 0.002}
mounting: {x_m: 1.5, y_m: 0, z_m: 1.6, pitch_deg: 2, yaw_deg: 5}
rate_hz: 10
not_claimed: [velocity, weather]
"""
CLASSES = """
classes:
  car: {number: 10, box: true, of: [vehicle]}
  person: {number: 30, box: true, learn: 3, color: [1, 2, 3], of: [pedestrian]}
  road: {of: [building]}
unlabelled: [animal]
"""


def _weather_files(_):
    beside = {"dirt.png": grey_png([[0, 128], [255, 200]]), "c.yaml": BEAMS.encode()}
    both = {"rain": WEATHER, "snow": SNOW}
    return {name: {"weather.yaml": text.encode(), **beside} for name, text in both.items()}


def _use_weather(folder):
    command("check", "--config", folder / "c.yaml", "--weather", folder / "weather.yaml")
    section = asked_weather(str(folder / "weather.yaml"))
    return _points(load_config(folder / "c.yaml").model_copy(update={"weather": section}))


def _points(configuration):
    """Return the points of a few scans of two cars."""
    model = LidarModel(configuration)
    worlds = [[host(x_m=0.1 * k), Thing(7, (12.0, 1.0, 0.75))] for k in range(3)]
    return [[scan.cloud.points for scan in model.step(each).scans] for each in frames(worlds)]


def _configurations(_):
    cube = {"cube.obj": CUBE.encode()}
    return {
        "keys": {"c.yaml": ALL_KEYS.encode(), **cube},
        "curves": {"c.yaml": CURVED.encode(), **cube},
        "beams": {"c.yaml": BEAMS.encode(), **cube},
    }


def _use_configuration(folder):
    return _points(load_config(folder / "c.yaml"))


def _check_configuration(folder):
    command("check", "--config", folder / "c.yaml")
    return command("info", folder / "c.yaml", "--json")


def _sheets(_):
    return {"sheet": {"sheet.yaml": SHEET.encode()}}


TARGETS = [
    Target(name="sheet", seeds=_sheets, call=lambda folder: read_sheet(folder / "sheet.yaml")),
    Target(
        name="class-map",
        seeds=lambda _: {"classes": {"classes.yaml": CLASSES.encode()}},
        call=lambda folder: read_class_map(str(folder / "classes.yaml"), ()),
    ),
    Target(name="map", seeds=_maps, call=_map),
    Target(name="map-info", seeds=_maps, call=_look_at_map),
    Target(name="map-world", seeds=_maps, call=_scan_map),
    Target(
        name="weather-xosc",
        seeds=_scenarios,
        call=_weather_of_scenario,
    ),
    Target(name="weather-yaml", seeds=_weather_files, call=_use_weather),
    Target(name="config", seeds=_configurations, call=_use_configuration, changed=("*.yaml",)),
    Target(name="config-check", seeds=_configurations, call=_check_configuration),
]
