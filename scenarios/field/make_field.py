# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Make the field scenario: a ploughed field of 237 000 vertices, with cars that nearly collide.

    python make_field.py [FOLDER]        (default: out/field)

The meshes are too large for the repository. The script writes all files of the scenario into the
folder, always the same. It needs only numpy and osi-python; the cars are those of the street.
"""

import shutil
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from osi3.osi_object_pb2 import MovingObject
from osi3.osi_sensorview_pb2 import SensorView

HERE = Path(__file__).resolve().parent
STREET = HERE.parent / "street"
sys.path.append(str(STREET))

from maker.obj import write_lines  # noqa: E402
from maker.vehicles import CAR  # noqa: E402

from lidar_scenery.shapes.solids import rng  # noqa: E402

Array = NDArray[np.float64]

SIDE_M = 100.0
N_X, N_Y = 476, 475  # vertices; 237 000 together with those of four cars
TRACK_M = 2.5  # half the width of the two tracks that cross at the origin
MATERIALS = {"Acre": (0.42, 0.32, 0.22), "Track": (0.60, 0.52, 0.40)}

N_FRAMES, STEP_NS = 25, 40_000_000
PROTOBUF_NAME = "7362"
TRACE_NAME = f"20260101T000000Z_sv_380_{PROTOBUF_NAME}_{N_FRAMES}_field.osi"
HOST_ID = 1


@dataclass(frozen=True)
class Drive:
    """A car that drives straight at constant speed."""

    object_id: int
    start_m: tuple[float, float]
    yaw_rad: float
    speed_mps: float


DRIVES = (
    Drive(HOST_ID, (-24.0, -0.9), 0.0, 12.0),
    Drive(2, (0.6, 16.0), -np.pi / 2, 14.0),  # from the left into the host's way
    Drive(3, (26.0, 1.1), np.pi, 8.0),
    Drive(4, (-6.0, -5.5), 0.4, 0.0),  # parked on the field
)


def ground_m(x: Array, y: Array) -> Array:
    """Return the height of the rolling ground without furrows and clods; the cars drive on it."""
    rolling: Array = 0.5 * np.sin(x / 9.0 + 0.4) * np.cos(y / 11.0) + 0.25 * np.sin((x - y) / 5.5)
    return rolling


def _on_track(x: Array, y: Array) -> NDArray[np.bool_]:
    track: NDArray[np.bool_] = np.minimum(np.abs(x), np.abs(y)) < TRACK_M
    return track


def terrain() -> tuple[Array, NDArray[np.int64], NDArray[np.bool_]]:
    """Return vertices (n, 3) [m], quads (m, 4), and whether each quad is part of a wheel track.

    The terrain is rolling ground. Beside the tracks, it has furrows 0.75 m apart, and clods.
    """
    x, y = np.meshgrid(*(np.linspace(-SIDE_M / 2, SIDE_M / 2, n) for n in (N_X, N_Y)))
    furrow = 0.09 * np.sin(2 * np.pi * (y + 0.2 * np.sin(x / 4.0)) / 0.75)
    clod = rng(1).normal(0.0, 0.025, x.shape)
    z = ground_m(x, y) + np.where(_on_track(x, y), 0.1 * clod, furrow + clod)
    number = np.arange(x.size).reshape(x.shape)
    corners = (number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1])
    quads = np.stack([corner.ravel() for corner in corners], axis=1)
    middle_x, middle_y = (each.ravel()[quads].mean(axis=1) for each in (x, y))
    vertices = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    return vertices, quads, _on_track(middle_x, middle_y)


def _write_terrain(path: Path) -> None:
    vertices, quads, track = terrain()
    lines = ["# terrain: metres, x forward, y left, z up", f"mtllib {path.stem}.mtl"]
    lines += [f"v {x:.3f} {y:.3f} {z:.3f}" for x, y, z in vertices.tolist()]
    for name, chosen in (("Acre", ~track), ("Track", track)):
        lines.append(f"usemtl {name}")
        lines += [f"f {a} {b} {c} {d}" for a, b, c, d in (quads[chosen] + 1).tolist()]
    write_lines(path, lines)
    colours = [f"newmtl {n}\nKd {r:.2f} {g:.2f} {b:.2f}\n" for n, (r, g, b) in MATERIALS.items()]
    write_lines(path.with_suffix(".mtl"), "\n".join(colours).splitlines())


def sensor_view(frame: int) -> SensorView:
    """Return one message of the trace."""
    view, time_ns = SensorView(), frame * STEP_NS
    truth = view.global_ground_truth
    for message in (view, truth):
        version = message.version
        version.version_major, version.version_minor, version.version_patch = 3, 8, 0
        message.timestamp.seconds, message.timestamp.nanos = divmod(time_ns, 1_000_000_000)
        message.host_vehicle_id.value = HOST_ID
    view.sensor_id.value = 0
    for drive in DRIVES:
        _place(truth.moving_object.add(), drive, time_ns * 1e-9)
    return view


def _place(item: MovingObject, drive: Drive, time_s: float) -> None:
    """Fill in the pose of a car at a given time, parallel to the ground below it."""
    forward = np.array([np.cos(drive.yaw_rad), np.sin(drive.yaw_rad)])
    left = np.array([-forward[1], forward[0]])
    x, y = np.array(drive.start_m) + drive.speed_mps * time_s * forward
    _, width_m, height_m = CAR.size_m
    rise, lean = (
        (ground_m(*(np.array([x, y]) + reach * way)) - ground_m(*([x, y] - reach * way)))
        / (2 * reach)
        for reach, way in ((CAR.axles[1].x_m, forward), (width_m / 2, left))
    )
    item.id.value = drive.object_id
    item.type = MovingObject.TYPE_VEHICLE
    item.vehicle_classification.type = MovingObject.VehicleClassification.TYPE_MEDIUM_CAR
    item.model_reference = "car.obj"
    rear = item.vehicle_attributes.bbcenter_to_rear
    rear.x, rear.y, rear.z = -CAR.axles[1].x_m, 0.0, round(CAR.axles[1].radius_m - height_m / 2, 6)
    base = item.base
    base.dimension.length, base.dimension.width, base.dimension.height = CAR.size_m
    base.position.x, base.position.y = round(float(x), 6), round(float(y), 6)
    base.position.z = round(float(ground_m(x, y)) + height_m / 2, 6)
    base.orientation.yaw = drive.yaw_rad
    base.orientation.pitch = round(-float(np.arctan(rise)), 6)
    base.orientation.roll = round(float(np.arctan(lean)), 6)
    velocity = drive.speed_mps * forward
    base.velocity.x, base.velocity.y = (round(float(v), 6) + 0.0 for v in velocity)
    base.velocity.z = 0.0


def main(folder: Path) -> None:
    """Write all files of the scenario into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in (STREET / "car.obj", STREET / "car.mtl", HERE / "config.yaml"):
        shutil.copyfile(path, folder / path.name)
    shutil.copyfile(HERE / "materials.yaml", folder / "materials.yaml")
    messages = (sensor_view(n).SerializeToString(deterministic=True) for n in range(N_FRAMES))
    data = b"".join(struct.pack("<I", len(one)) + one for one in messages)
    (folder / TRACE_NAME).write_bytes(data)
    _write_terrain(folder / "terrain.obj")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out/field"))
