# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The worlds of the benchmarks, made by script: street, field, crowd, station, and rolling ground.

Files that they need are written to ``out/bench/scenes`` and kept there for the next time.
"""

import importlib
import struct
import sys
from functools import cache
from itertools import cycle
from pathlib import Path

import numpy as np
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_sensorview_pb2 import SensorView
from trimesh.creation import icosphere

from osi_bridge import FrameDecoder, open_trace
from osi_lidar import LidarModel, load_config
from osi_lidar.run.example_scene import street as street_scenario
from osi_lidar.scan.from_config import pose_matrix
from raycore.mesh.loading import load_mesh
from raycore.mesh.materials import VisualMaterial
from raycore.mesh.mesh import Mesh
from raycore.records import Shots
from raycore.scene.graph import SceneGraph
from raycore.trace.embree_tracer import EmbreeTracer

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDER = REPOSITORY / "out" / "bench" / "scenes"
SENSOR = {"preset": "OS1-128", "columns": 1024, "mounting": {"x_m": 1.0, "z_m": 1.9}}
VLP_16 = {"preset": "VLP-16", "columns": None}
AT_AN_INSTANT = {"rolling_shutter": False, "motion_blur": False}
CAR_M = (4.4, 1.8, 1.45)
"""Box of the street's car, whose mesh stands on the ground below its centre."""
SPHERE, SPHERE_M = "sphere.obj", (2.0, 2.0, 2.0)
"""A mesh of 20 480 triangles that stands on the ground, and its bounding box."""
STEP_NS = 100_000_000
STATION_SENSOR_M = (12.0, -4.0, 1.0)
GLASS = ("Window_Glass", "Glass_Clear", "Glass_Tinted")
"""Visual materials that laser beams pass through in these scenes."""


def sensors(*changes):
    """Return the changes of a configuration that give it a sensor for each dict.

    Each sensor has the keys of SENSOR, changed by its dict.
    """
    return {("sensors",): [{**SENSOR, "name": f"s{n}", **each} for n, each in enumerate(changes)]}


# --- street: the demo ---------------------------------------------------------------------------


def street_model(*changes):
    """Return a model of the demo, with a sensor for each dict of changes, and the messages."""
    scenario = street_scenario()
    config = load_config(scenario.config, changes=sensors(*changes))
    model = LidarModel(config, trace_folder=scenario.trace.parent)
    return model, [message.data for message in open_trace(scenario.trace)]


def street_there_and_back(folder):
    """Write a trace in which the demo's host drives back and forth without a halt.

    Returns
    -------
    Path
        A trace of 50 messages; the first one is the demo's first, which has the stationary objects.
    """
    messages = [message.data for message in open_trace(street_scenario().trace)]
    way = [0, *range(10, 35), *range(33, 9, -1)]
    path = folder / f"20260101T000000Z_sv_380_7362_{len(way)}_there-and-back.osi"
    with path.open("wb") as file:
        for number, index in enumerate(way):
            data = at_time(SensorView.FromString(messages[index]), number)
            file.write(struct.pack("<I", len(data)) + data)
    return path


def at_time(view, number):
    """Set the time of a SensorView to the time of a step; return its bytes."""
    for message in (view, view.global_ground_truth):
        message.timestamp.seconds, message.timestamp.nanos = divmod(
            (number + 1) * STEP_NS, 1_000_000_000
        )
    return view.SerializeToString()


# --- field: BlenSor's 237 000 vertices ----------------------------------------------------------


@cache
def field_folder():
    """Return the folder of the field scenario, created if it does not exist."""
    folder = FOLDER / "field"
    if not (folder / "terrain.obj").is_file():
        field_script("make_field").main(folder)
    write_obj(folder / SPHERE, *sphere())
    return folder


def field_script(name):
    """Return a script of the field scenario as a module."""
    place = str(REPOSITORY / "scenarios" / "field")
    if place not in sys.path:
        sys.path.append(place)
    return importlib.import_module(name)


def field_model(*changes):
    """Return a model of the field with a sensor for each dict of changes, and the messages."""
    folder = field_folder()
    changed = {**sensors(*changes), ("output", "depth"): "none"}
    config = load_config(folder / "config.yaml", changes=changed)
    trace = folder / field_script("make_field").TRACE_NAME
    return LidarModel(config, trace_folder=folder), [each.data for each in open_trace(trace)]


# --- crowd: cars on circles about a standing host, on the field ---------------------------------


def crowd_model(*changes):
    """Return a model that has the meshes for `crowd_message`, with a sensor for each dict."""
    return field_model(*changes)[0]


def crowd_message(  # noqa: PLR0913  each is a choice of its own
    number, n_object, *, moving=None, host_shift_m=0.0, timed=True, spheres=False
):
    """Return an OSI GroundTruth: a standing host, and cars that drive on circles around it.

    Parameters
    ----------
    number : int
        Index of the message; messages are 100 ms apart.
    n_object : int
        Number of cars, not counting the host.
    moving : int, optional
        Number of cars that move; default: all.
    host_shift_m : float
        Distance of the host from its usual place. [m]
    timed : bool
        Whether the message has a timestamp.
    spheres : bool
        Whether spheres of many triangles drive instead of cars.
    """
    truth = GroundTruth()
    if timed:
        stamp(truth, number)
    truth.host_vehicle_id.value = 1
    host = _car(truth, 1)
    host.base.position.x = host_shift_m
    for k in range(n_object):
        radius_m = 8.0 + 3.0 * np.sqrt(k)
        turned = 0.5 * number / radius_m if moving is None or k < moving else 0.0
        angle = 2.4 * k + turned
        car = _car(truth, k + 2, *((SPHERE, SPHERE_M) if spheres else ()))
        base = car.base
        base.position.x, base.position.y = radius_m * np.cos(angle), radius_m * np.sin(angle)
        base.orientation.yaw = angle + 0.5 * np.pi
        base.velocity.x, base.velocity.y = -5.0 * np.sin(angle), 5.0 * np.cos(angle)
        base.velocity.z = base.acceleration.z = 0.0
        base.acceleration.x = -25.0 / radius_m * np.cos(angle)
        base.acceleration.y = -25.0 / radius_m * np.sin(angle)
        base.orientation_rate.yaw = 5.0 / radius_m
    return truth.SerializeToString()


def stamp(truth, number):
    """Set the timestamp of a GroundTruth or a SensorView to the time of message ``number``."""
    seconds, nanos = divmod((number + 1) * STEP_NS, 1_000_000_000)
    truth.timestamp.seconds, truth.timestamp.nanos = seconds, nanos


def retimed(view, number):
    """Return the bytes of a SensorView with the time of message ``number``.

    The bytes of the new time are appended, as protobuf merges concatenated messages.
    """
    tail = SensorView()
    stamp(tail, number)
    stamp(tail.global_ground_truth, number)
    return view + tail.SerializeToString()


def _car(truth, object_id, mesh="car.obj", size_m=CAR_M):
    item = truth.moving_object.add()
    item.id.value = object_id
    item.type, item.vehicle_classification.type = 2, 4
    item.model_reference = mesh
    rear = item.vehicle_attributes.bbcenter_to_rear
    rear.x, rear.y, rear.z = -1.3, 0.0, -0.4
    base = item.base
    base.dimension.length, base.dimension.width, base.dimension.height = size_m
    base.position.z = 0.5 * size_m[2]
    base.orientation.roll = base.orientation.pitch = base.orientation.yaw = 0.0
    return item


def crowd_frames(numbers, n_object, **choices):
    """Return decoded messages of a crowd."""
    decoder = FrameDecoder("GroundTruth")
    return [decoder.decode(crowd_message(n, n_object, **choices), n) for n in numbers]


# --- the same scenes as triangles alone, for libraries without instances -------------------------


class FlatScene:
    """All triangles that beams can hit in a scene, as one array in the world frame.

    The scene is a street, a field or a crowd.

    Parameters
    ----------
    environment : Path
        Mesh file of the environment, z up.
    frame : osi_bridge.Frame
        Frame with the objects. Their mesh files lie beside the environment's.
    hidden : int
        OSI id of the host, which is left out.
    """

    def __init__(self, environment, frame, hidden):
        self._folder = environment.parent
        vertices, faces = solid(environment)
        self._fixed = vertices
        self._rows = [row for row, i in enumerate(frame.objects.object_id.tolist()) if i != hidden]
        names = [frame.objects.model_reference[row] for row in self._rows]
        self._shapes = [solid(self._folder / name) for name in names]
        parts, start = [faces], len(vertices)
        for points, triangles in self._shapes:
            parts.append(triangles + np.uint32(start))
            start += len(points)
        self.faces = np.concatenate(parts)

    def vertices(self, frame):
        """Return all vertices, float32 (n, 3), with the objects at their poses in a frame. [m]"""
        parts, objects = [self._fixed], frame.objects
        for row, (points, _) in zip(self._rows, self._shapes, strict=True):
            pose = pose_matrix(objects.position_m[row], objects.orientation_rad[row])
            raised = points - np.array([0.0, 0.0, 0.5 * objects.dimension_m[row, 2]])
            parts.append(np.einsum("ij,kj->ki", pose[:3, :3], raised) + pose[:3, 3])
        return np.concatenate(parts).astype(np.float32)


@cache
def solid(path):
    """Return vertices and faces of a mesh file without its glass."""
    mesh = load_mesh(path)
    passed = [n for n, material in enumerate(mesh.materials) if material.name in GLASS]
    faces = mesh.faces[~np.isin(mesh.slot, passed)]
    return mesh.vertices_m.astype(np.float64) + mesh.origin_m, faces.astype(np.uint32)


def sphere():
    """Return vertices and faces of a sphere of 20 480 triangles, 2 m wide, on z = 0."""
    made = icosphere(subdivisions=5)
    return made.vertices + np.array([0.0, 0.0, 1.0]), made.faces


def write_obj(path, vertices, faces):
    """Write an OBJ file atomically, unless it exists."""
    if path.is_file():
        return
    lines = ["usemtl grey"]
    lines += [f"v {x:.4f} {y:.4f} {z:.4f}" for x, y, z in vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text("\n".join(lines) + "\n", encoding="utf-8")
    part.replace(path)


# --- station and growth: meshes in memory --------------------------------------------------------


def scene_of(vertices, faces):
    """Return a committed scene of one mesh, given as arrays."""
    mesh = Mesh(
        name="benchmark",
        vertices_m=np.ascontiguousarray(vertices, np.float32),
        faces=np.ascontiguousarray(faces, np.uint32),
        slot=np.zeros(len(faces), np.uint16),
        materials=(VisualMaterial(name="grey"),),
        origin_m=np.zeros(3),
    )
    scene = SceneGraph()
    scene.add(scene.add_mesh(mesh), np.eye(4))
    scene.commit(np.zeros(3))
    return scene


class RaysIn:
    """Rays from one point in a scene, traced without a model.

    Parameters
    ----------
    scene : SceneGraph
        The scene, committed near the origin.
    direction : float32 (n_ray, 3)
        Unit vectors.
    position_m : sequence of 3 floats
        Start of the rays. [m]
    """

    def __init__(self, scene, direction, position_m=(0.0, 0.0, 0.0)):
        self._scene, self._tracer = scene, EmbreeTracer()
        self.pose = np.eye(4)
        self.pose[:3, 3] = position_m
        self.shots = Shots(
            origin_m=np.zeros((1, 3), np.float32),
            direction=np.ascontiguousarray(direction.T),
            time=np.zeros(1, np.float32),
            start_m=np.zeros(1, np.float32),
            moment=np.zeros(1, np.uint32),
            weight=np.ones(1, np.float32),
            max_range_m=120.0,
            coherent=True,
        )

    def trace(self, _number=0):
        """Trace the rays, 1 mm farther at each call so that no hit is reused; return the result."""
        self.pose = self.pose.copy()
        self.pose[0, 3] += 1e-3
        return self._tracer.trace(self._scene, self.shots, self.pose)


def hills(n_triangle):
    """Return vertices and faces of rolling ground, 200 m wide, with about n_triangle triangles.

    The waves are the same for any number; a finer grid only follows them more closely.
    """
    n = round(np.sqrt(n_triangle / 2)) + 1
    x, y = np.meshgrid(*[np.linspace(-100.0, 100.0, n)] * 2)
    z = 2.0 * np.sin(0.11 * x + 0.4) * np.cos(0.09 * y) + 0.5 * np.sin(0.9 * x) * np.sin(0.8 * y)
    return _grid(x, y, z - 4.5)


def station(n_vertex=3_000_000):
    """Return vertices and faces of a space station: three ribbed tubes and eight panels.

    Seen from STATION_SENSOR_M, the station is on all sides.
    """
    tubes = [((0, 0, 0), 2.2, 26), ((9, 0, 3), 2.0, 14), ((-9, 0, -3), 2.0, 14)]
    n_panel = 8
    each = n_vertex // (len(tubes) + n_panel)
    parts = [_tube(center, radius_m, length_m, each) for center, radius_m, length_m in tubes]
    places = [(18.0 + 5.0 * (k // 2), 0.0, 9.0 * (k % 2) - 4.5) for k in range(n_panel)]
    parts += [_panel(place, each) for place in places]
    vertices = np.concatenate([part[0] for part in parts])
    starts = np.cumsum([0, *(len(part[0]) for part in parts[:-1])])
    faces = [part[1] + np.uint32(start) for part, start in zip(parts, starts, strict=True)]
    return vertices, np.concatenate(faces)


def _tube(center, radius_m, length_m, n_vertex):
    n = round(np.sqrt(n_vertex))
    x, angle = np.meshgrid(np.linspace(-0.5, 0.5, n) * length_m, np.linspace(0, 2 * np.pi, n))
    ribbed = radius_m * (1.0 + 0.02 * np.sin(8.0 * x) + 0.01 * np.sin(24.0 * angle))
    vertices, faces = _grid(x, ribbed * np.cos(angle), ribbed * np.sin(angle))
    return vertices + center, faces


def _panel(center, n_vertex):
    n = round(np.sqrt(n_vertex))
    y, z = np.meshgrid(np.linspace(-20.0, 20.0, n), np.linspace(-2.0, 2.0, n))
    vertices, faces = _grid(0.02 * np.sin(6.0 * y) * np.sin(6.0 * z), y, z)
    return vertices + center, faces


def _grid(x, y, z):
    """Return the vertices of a grid, and two triangles for each cell."""
    number = np.arange(x.size, dtype=np.uint32).reshape(x.shape)
    a, b = number[:-1, :-1].ravel(), number[:-1, 1:].ravel()
    c, d = number[1:, 1:].ravel(), number[1:, :-1].ravel()
    faces = np.stack([np.stack([a, b, c], 1), np.stack([a, c, d], 1)], 1).reshape(-1, 3)
    return np.stack([x.ravel(), y.ravel(), z.ravel()], 1), faces


def crowd_messages(n_object, n_message):
    """Yield the bytes of endless messages with growing times: cars that drive to and fro."""
    there = [crowd_message(number, n_object, timed=False) for number in range(n_message)]
    for number, data in enumerate(cycle([*there, *there[-2:0:-1]])):
        head = GroundTruth()
        stamp(head, number)
        yield head.SerializeToString() + data  # protobuf merges concatenated messages
