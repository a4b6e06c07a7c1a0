# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OSI messages, and the traces that hold them."""

import gzip
import lzma
import tempfile
from functools import cache
from pathlib import Path

from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import FrameDecoder, OsiInputError, open_trace, write_trace
from osi_bridge.description.bones import BONES
from osi_lidar import LidarModel
from tests.builders.lanes import with_films
from tests.builders.messages import Thing, framed, host, message, truth_of
from tests.builders.worlds import RASTER, config
from tests.fuzz.containers import changed_messages, changed_truths, unframed, within
from tests.fuzz.target import Refused, Target, command
from tests.fuzz.values import changed_bytes

OF_MESSAGES = 4.0
"""Their cases take 0.1 s, and they are what comes in most."""
GRID = {
    "kind": "grid",
    "horizontal": {"min_deg": -40, "max_deg": 40, "step_deg": 4.0},
    "vertical": {"min_deg": -12, "max_deg": 4, "step_deg": 2.0},
}
IDEAL = {"name": "front", "pattern": GRID, "mounting": {"x_m": 1.0, "z_m": 1.0}}
PHYSICAL = {
    **IDEAL,
    "beam": {"divergence_deg": 0.2, "width": "e2", "window_m": 0.01},
    "pulse": {"fwhm_ns": 5},
    "returns": {"mode": "all", "max": 3},
    "receiver": {"ambient_lux": 20000},
    "range_limit": {"equation": {"pairs": [[10, 60]]}},
    "noise": {"range_sigma_m": 0.02, "drop_probability": 0.01},
    "velocity": True,
    "timing": "sensor_rate",
}


def world(k):
    """Return a message of many things, k steps into a drive."""
    wall = {"kind": "stationary_object", "osi_type": 9, "material": 3}
    things = [
        host(x_m=0.5 * k, rear_axle_m=(-1.2, 0.0, -0.45)),
        Thing(2, (12.0 + 0.8 * k, 1.0, 0.75), yaw_rad=0.1 * k, velocity_m_s=(8.0, 0.0, 0.0)),
        Thing(3, (9.0 + 0.1 * k, -2.0, 0.9), dimension_m=(0.5, 0.6, 1.8), osi_type=3),
        Thing(4, (15.0, 6.0, 1.0), dimension_m=(0.3, 6.0, 2.0), **wall),
        Thing(5, (8.0, 3.0, 2.0), dimension_m=(0.1, 0.6, 0.6), kind="traffic_sign"),
        Thing(6, (8.0, -4.0, 2.0), dimension_m=(0.2, 0.3, 0.9), kind="traffic_light"),
    ]
    return message(things, time_s=0.1 * k)


def wet(k):
    """Return a message with lanes under water, weather, a sun, wheels and bones."""
    view = SensorView.FromString(with_films(world(k), [0.5, 2.0, None]))
    truth = view.global_ground_truth
    air = truth.environmental_conditions
    air.fog = 4
    air.precipitation = 5
    air.temperature = 280.0
    air.ambient_illumination = 6
    air.relative_humidity = 80.0
    air.sun.azimuth, air.sun.elevation, air.sun.intensity = 1.0, 0.5, 30000.0
    air.wind.origin_direction, air.wind.speed = 1.0, 4.0
    for number, place in enumerate(("left", "right")):
        wheel = truth.moving_object[1].vehicle_attributes.wheel_data.add()
        wheel.axle, wheel.index, wheel.wheel_radius = 0, number, 0.35
        wheel.rotation_rate, wheel.width = 20.0, 0.2
        wheel.position.x, wheel.position.y = 1.3, 0.8 if place == "left" else -0.8
    person = truth.moving_object[2]
    person.ClearField("vehicle_classification")
    person.base.velocity.x = 1.4
    for name, kind in list(BONES.items())[:: 1 + k]:
        bone = person.pedestrian_attributes.skeleton_bone.add(type=kind)
        bone.position.z = 0.1 * len(name) - 0.5
    lane = truth.lane[0].classification
    for at in (0.0, 50.0, 100.0):
        lane.centerline.add().x = at
    view.mounting_position.position.z = 1.5
    return view.SerializeToString()


@cache
def _configured(kind):
    weather = {"rain_mm_h": 10, "fog": {"visibility_m": 200}} if kind == "weather" else "auto"
    scene = {"shapes": "auto"} if kind == "ideal" else {}
    sensor = IDEAL if kind == "ideal" else PHYSICAL
    return config(sensors=[sensor], weather=weather, scene=scene)


def answered(messages, kind, message_type="SensorView"):
    """Have a model answer messages; return points and SensorData of all that can be used."""
    decoder = FrameDecoder(message_type)
    model = LidarModel(_configured(kind))
    found = []
    for number, data in enumerate(messages):
        try:
            step = model.step(decoder.decode(data, number))
        except OsiInputError:
            continue
        found += [scan.cloud.points for scan in step.scans]
        found.append(SensorData.FromString(step.sensor_data))
    if not found:
        raise Refused
    return [found, [str(each.reason) for each in model.fallbacks]]


def _seeds(make):
    def seeds(_):
        return {
            each.__name__: {"trace.osi": framed([make(each(k)) for k in range(2)])}
            for each in (world, wet)
        }

    return seeds


def _step(kind, message_type="SensorView"):
    def call(folder):
        return answered(unframed((folder / "trace.osi").read_bytes()), kind, message_type)

    return call


def _trace_seeds(folder):
    messages = [wet(k) for k in range(3)]
    data = framed(messages)
    found = {}
    found["osi"] = {"a_sv_.osi": data}
    found["gz"] = {"a_sv_.osi.gz": gzip.compress(data)}
    found["xz"] = {"a_sv_.osi.xz": lzma.compress(data, preset=0)}
    found["truth"] = {"a_gt_.osi": framed([truth_of(each) for each in messages])}
    found["text"] = {"a.txth": "".join(str(SensorView.FromString(m)) for m in messages).encode()}
    write_trace(folder / "a.mcap", messages, message_type="SensorView")
    found["mcap"] = {"a.mcap": (folder / "a.mcap").read_bytes()}
    return found


def _inner_mcap(name):
    """Return a change of an MCAP file: other messages in a valid file."""

    def packed(data):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            write_trace(path, list(unframed(data)), message_type="SensorView")
            return path.read_bytes()

    return within(packed, lambda _: framed([wet(k) for k in range(3)]), changed_messages)


def _read_trace(folder):
    (path,) = folder.iterdir()
    found = command("info", path, "--json")
    return [found, [len(each.data) for each in open_trace(path)]]


def _replay(folder):
    (path,) = folder.glob("a*")
    (folder / "c.yaml").write_text(f"sensors: [{{name: s, pattern: {RASTER}}}]\n")
    return command("replay", path, "--config", folder / "c.yaml", "--out", folder / "out")


def _look(verb):
    def call(folder):
        (path,) = folder.glob("a*")
        more = ["--out", folder / "world.glb", "--objects"] if verb == "world" else []
        return command(verb, path, *more)

    return call


_OF_TRACES = {"seeds": _trace_seeds, "changes": {"*.mcap": _inner_mcap("a.mcap"),
              "a_gt_.osi": changed_truths}}  # fmt: skip
TARGETS = [
    Target(name="message-ideal", seeds=_seeds(bytes), call=_step("ideal"), share=OF_MESSAGES),
    Target(name="message-physical", seeds=_seeds(bytes), call=_step("physical"), share=OF_MESSAGES),
    Target(name="message-weather", seeds=_seeds(bytes), call=_step("weather"), share=OF_MESSAGES),
    Target(
        name="message-truth",
        seeds=_seeds(truth_of),
        call=_step("ideal", "GroundTruth"),
        share=OF_MESSAGES,
        changes={"*": changed_truths},
    ),
    Target(name="trace", call=_read_trace, **_OF_TRACES),
    Target(
        name="trace-bytes",
        call=_read_trace,
        seeds=_trace_seeds,
        changes={"*": changed_bytes},
    ),
    Target(name="trace-replay", call=_replay, **_OF_TRACES),
    Target(name="trace-check", call=_look("check"), **_OF_TRACES),
    Target(name="trace-world", call=_look("world"), **_OF_TRACES),
]
