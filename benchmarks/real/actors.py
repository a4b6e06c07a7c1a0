# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Actors of one sweep put back into the next: simulated points over real ones, by actor.

python benchmarks/real/actors.py DATA

DATA is a log of Argoverse 2 with two sweeps 0.1 s apart, such as the one among the tests of
github.com/argoverse/av2-api (data: CC BY-NC-SA 4.0; neither it nor what is made of it may be
committed here): ``annotations.feather``, ``calibration/egovehicle_SE3_sensor.feather`` and
``sensors/lidar``. Clouds and boxes are in the frame of the vehicle.

Bodies are built from the points in the boxes of one sweep, and put into the boxes of the other
sweep. There a simulated VLP-32C scans them, from the calibrated pose of the real one. The vehicle
has two lidars. Each scans bodies of its own points; with --pair, both scan bodies of all points.
All other points of the first sweep are in the scene as surfels, too, as they hide parts of actors;
--alone leaves them out. Points are counted in the labelled boxes, without the lowest 0.15 m. The
real points of the first sweep, moved along with their boxes, show how much two real sweeps differ.
"""

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import yaml
from pyarrow import feather
from scipy.spatial.transform import Rotation

from lidar_gap.compare.labels import read_labels
from lidar_gap.reading import read_clouds
from lidar_gap.records import ScanCloud
from lidar_gap.twin.actors.bodies import ActorBody, BodySettings, bodies_of
from lidar_gap.twin.actors.cells import beam_cells
from lidar_gap.twin.actors.files import Actor, write_actors
from lidar_gap.twin.actors.surfels import plane_normals, surfels
from lidar_gap.twin.actors.tracks import ActorTrack, FrameBox, in_any_box, tracks_of
from lidar_gap.twin.cloud_map import moved
from lidar_gap.twin.reflectivity.albedo import ROUGH, SignalLaw
from osi_bridge import FrameDecoder, open_trace
from osi_lidar import LidarModel, load_config

LIDARS = ("up_lidar", "down_lidar")
N_LASER, COLUMNS = 32, 1808  # a turn of 100 ms, a firing each 55.296 us
LEAST_REAL = 20
BIN_DEG = 0.4  # two firings: of one alone, the phase of the turn would decide
COLUMNS_SHOWN = (
    "Actors", "number", "median sim/real", "median error [%]", "MAPE [%]",
    "MAPE of real sweeps [%]", "all points sim/real", "IoU", "IoU of real sweeps", "median loss",
)  # fmt: skip
LAW = SignalLaw(incidence=ROUGH, range_exponent=0.0)


class Log(NamedTuple):
    """A log: point clouds of each lidar in each sweep, tracks of the actors, poses of the lidars.

    Clouds and tracks are in frames with the origin of a lidar and the axes of the vehicle.
    """

    clouds: list[ScanCloud]
    tracks: list[ActorTrack]
    turns: list[np.ndarray]
    """Poses (4, 4) of the lidars in these frames, which are pure rotations."""


class Figures(NamedTuple):
    """Figures of one actor: numbers of points, and IoU of occupied cells between two clouds.

    ``real`` and ``sim`` are points in the same sweep, ``other`` the real points of the other sweep.
    """

    category: str
    real: int
    other: int
    sim: int
    iou: float
    real_iou: float


def pose_of_row(table: dict[str, list], row: int) -> np.ndarray:
    """Return the pose in a row of a table of Argoverse 2, float64 (4, 4)."""
    pose = np.eye(4)
    turn = [table[each][row] for each in ("qx", "qy", "qz", "qw")]
    pose[:3, :3] = Rotation.from_quat(turn).as_matrix()
    pose[:3, 3] = [table[each][row] for each in ("tx_m", "ty_m", "tz_m")]
    return pose


def mountings(data: Path) -> list[np.ndarray]:
    """Return the poses of both lidars in the frame of the vehicle, float64 (4, 4) each."""
    table = feather.read_table(data / "calibration" / "egovehicle_SE3_sensor.feather").to_pydict()
    found = []
    for name in LIDARS:
        row = table["sensor_name"].index(name)
        found.append(pose_of_row(table, row))
    return found


def configuration(pose: np.ndarray, folder: Path, fidelity: str) -> Path:
    """Write the configuration of a lidar at a pose, without motion within a scan."""
    x, y, z = pose[:3, 3].tolist()
    place = {"x_m": x, "y_m": y, "z_m": z}
    yaw, pitch, roll = Rotation.from_matrix(pose[:3, :3]).as_euler("ZYX", degrees=True).tolist()
    sensor = {
        "name": "lidar",
        "preset": "VLP-32C",
        "columns": COLUMNS,
        "mounting": {**place, "roll_deg": roll, "pitch_deg": pitch, "yaw_deg": yaw},
        "rolling_shutter": False,
        "motion_blur": False,
    }
    sensor |= {"fidelity": fidelity} if fidelity == "physical" else {"range_limit": None}
    rule = {"match": {"model_reference": "*.glb"}, "up": "z", "forward": "x", "origin": "as_is"}
    define = {f"reflectivity_{n:05d}": {"reflectance": n / 1e4} for n in range(50, 10001, 50)}
    names = dict(zip(define, define, strict=True))
    (folder / "materials.yaml").write_text(yaml.safe_dump({"materials": names, "define": define}))
    content = {
        "sensors": [sensor],
        "scene": {"objects": [rule], "ground": "none", "mesh_cache": False},
        "materials": {"mapping": "materials.yaml"},
    }
    path = folder / "lidar.yaml"
    path.write_text(yaml.safe_dump(content))
    return path


def simulated(actors: list[Actor], row: int, pose: np.ndarray, fidelity: str) -> np.ndarray:
    """Scan the actors of a frame with a lidar at a pose; return the points, (n, 3). [m]"""
    frames = range(max(row for actor in actors for row in actor.track.boxes) + 1)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        config = load_config(configuration(pose, folder, fidelity))
        still, times_ns = np.tile(np.eye(4), (len(frames), 1, 1)), [10**8 * k for k in frames]
        trace = write_actors(folder / "place.glb", actors, still, times_ns)
        message = list(open_trace(trace))[row].data
        model = LidarModel(config, trace_folder=folder)
        step = model.step(FrameDecoder("GroundTruth").decode(message, 0))
        cloud = step.scans[0].cloud.points
    return moved(np.stack([cloud[axis] for axis in "xyz"], axis=1).astype(np.float64), pose)


def cells(points_m: np.ndarray, lidar: int, turn: np.ndarray) -> set[tuple[int, int, int]]:
    """Return the cells that points occupy: lidar, laser, and interval of azimuth.

    The points are relative to the origin of the lidar, with the axes of the vehicle.
    """
    own = points_m @ turn[:3, :3]
    azimuth = np.degrees(np.arctan2(own[:, 1], own[:, 0]))
    elevation = np.degrees(np.arctan2(own[:, 2], np.hypot(own[:, 0], own[:, 1])))
    interval = np.floor(azimuth / BIN_DEG).astype(int).tolist()
    return {(lidar, *each) for each in zip(_laser(elevation), interval, strict=True)}


def _laser(elevation_deg: np.ndarray) -> list[int]:
    """Return for each elevation the index of the nearest laser of a VLP-32C."""
    angles = np.array([-25, -15.639, -11.31, -8.843, -7.254, -6.148, -5.333, -4.667,
                       *np.arange(-4, 1.7, 1 / 3), 2.333, 3.333, 4.667, 7, 10.333, 15])  # fmt: skip
    return np.abs(elevation_deg[:, None] - angles).argmin(axis=1).tolist()


def iou(one: set[tuple[int, int, int]], other: set[tuple[int, int, int]]) -> float:
    """Return the intersection over union (IoU) of two sets of cells."""
    return len(one & other) / max(len(one | other), 1)


def read_log(data: Path) -> Log:
    """Read a log of Argoverse 2, with a cloud for each lidar of each sweep."""
    table = data / "annotations.feather"
    sweeps, poses = read_clouds(data / "sensors" / "lidar"), mountings(data)
    tracks = tracks_of(table, read_labels(table), [sweep.name for sweep in sweeps])
    clouds, turns = [], [pose.copy() for pose in poses]
    for sweep in sweeps:
        for lidar, pose in enumerate(poses):
            own = sweep.rows(sweep.ring // N_LASER == lidar)
            clouds.append(replace(own, points_m=own.points_m - pose[:3, 3]))
    for turn in turns:
        turn[:3, 3] = 0.0
    return Log(clouds, [_split(track, poses) for track in tracks], turns)


def _split(track: ActorTrack, poses: list[np.ndarray]) -> ActorTrack:
    """Return a track with a box for each sweep and lidar, in the frame of the lidar."""
    boxes = {}
    for row, box in track.boxes.items():
        for lidar, pose in enumerate(poses):
            origin = np.eye(4)
            origin[:3, 3] = pose[:3, 3]
            matrix = box.box_from_sensor @ origin
            boxes[row * len(poses) + lidar] = replace(box, box_from_sensor=matrix)
    return replace(track, boxes=boxes)


def actors_of(log: Log, rows: Sequence[int], settings: BodySettings) -> list[Actor]:
    """Build bodies of actors from some clouds; return the actors that get one.

    An intensity of 100 is taken for white.
    """
    used = np.isin(np.arange(len(log.clouds)), rows)
    found = []
    bodies = bodies_of(log.tracks, log.clouds, used, settings)
    for number, (track, body) in enumerate(zip(log.tracks, bodies, strict=True), 1):
        if body is not None:
            value = float(np.clip(body.albedo / 100, 0.005, 1.0))
            name = f"reflectivity_{50 * round(200 * value):05d}"
            found.append(Actor(track, body, number, name, value))
    return found


def surroundings(log: Log, row: int) -> Actor:
    """Return all points of a cloud outside the boxes as one stationary object of surfels."""
    cloud = log.clouds[row]
    rest = np.flatnonzero(~in_any_box(cloud, log.tracks, row))
    cells = beam_cells(cloud, rest)
    points = cloud.points_m[rest]
    mesh = surfels(points, plane_normals(points, 0.2), cells, closing=1.5)
    box = FrameBox(box_from_sensor=np.eye(4), size_m=np.ones(3))
    track = ActorTrack(
        name="rest", category="other", boxes=dict.fromkeys(range(len(log.clouds)), box)
    )
    body = ActorBody(mesh=mesh, albedo=0.2, n_points=len(rest))
    return Actor(track, body, len(log.tracks) + 1, "reflectivity_02000", 0.2)


class Scan(NamedTuple):
    """A simulated cloud, and the indices of two real clouds of the same lidar.

    ``now`` is the cloud to compare with, ``then`` the cloud from which the bodies were built.
    """

    sim: np.ndarray
    now: int
    then: int


def figures(log: Log, actors: list[Actor], scans: list[Scan]) -> list[Figures]:
    """Return the figures of all actors with enough real points, over all scans."""
    found = []
    for actor in actors:
        boxes = actor.track.boxes
        counts, seen = np.zeros(3, int), (set(), set(), set())
        for sim, now, then in scans:
            if not {now, then} <= boxes.keys():
                continue
            real, other = log.clouds[now].points_m, log.clouds[then].points_m
            shift = boxes[now].sensor_from_box @ boxes[then].box_from_sensor
            parts = (
                real[boxes[now].inside(real, 0.0)],
                moved(other[boxes[then].inside(other, 0.0)], shift),
                sim[boxes[now].inside(sim, 0.0)],
            )
            counts += [len(part) for part in parts]
            for part, cells_of in zip(parts, seen, strict=True):
                cells_of.update(cells(part, now % 2, log.turns[now % 2]))
        if counts[0] >= LEAST_REAL:
            shares = iou(seen[2], seen[0]), iou(seen[1], seen[0])
            found.append(Figures(actor.track.category, *counts.tolist(), *shares))
    return found


def line(name: str, found: Sequence[Figures]) -> str:
    """Return a row of the table: means and medians over actors."""
    real = np.array([each.real for each in found])
    off = np.array([each.sim for each in found]) / real - 1.0
    apart = np.mean(np.abs(np.array([each.other for each in found]) / real - 1.0))
    loss = np.median([each.real_iou - each.iou for each in found])
    median_iou, real_iou = (np.median([getattr(f, n) for f in found]) for n in ("iou", "real_iou"))
    sum_ratio = 1 + (off * real).sum() / real.sum()
    return (
        f"| {name} | {len(found)} | {1 + np.median(off):.3f} | {100 * np.median(abs(off)):.1f} | "
        f"{100 * np.mean(abs(off)):.1f} | {100 * apart:.1f} | {sum_ratio:.3f} | "
        f"{median_iou:.3f} | {real_iou:.3f} | {loss:+.3f} |"
    )


def main() -> None:
    """Print the tables of both directions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--closing", type=float, default=BodySettings().closing)
    parser.add_argument("--voxel", type=float, default=BodySettings().voxel_m)
    parser.add_argument("--fidelity", choices=("ideal", "physical"), default="ideal")
    parser.add_argument("--no-mirror", action="store_true")
    parser.add_argument(
        "--whole",
        action="store_true",
        help="keep all points of the bodies instead of thinning them",
    )
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--pair", action="store_true")
    chosen = parser.parse_args()
    settings = BodySettings(closing=chosen.closing, voxel_m=chosen.voxel, law=LAW)
    if chosen.whole:
        settings = replace(settings, thinned=False)
    if chosen.no_mirror:
        settings = replace(settings, mirrored=frozenset())
    log = read_log(chosen.data)
    print("| " + " | ".join(COLUMNS_SHOWN) + " |\n|" + "---|" * len(COLUMNS_SHOWN))
    for source, target in ((0, 1), (1, 0)):
        found = []
        for lidars in [(0, 1)] if chosen.pair else [(0,), (1,)]:
            actors = actors_of(log, [2 * source + lidar for lidar in lidars], settings)
            scans = []
            for lidar in lidars:
                now, then = 2 * target + lidar, 2 * source + lidar
                shown = actors if chosen.alone else [*actors, surroundings(log, then)]
                sim = simulated(shown, now, log.turns[lidar], chosen.fidelity)
                scans.append(Scan(sim, now, then))
            found.append(figures(log, actors, scans))
            name = " and ".join(LIDARS[lidar] for lidar in lidars)
            print(line(f"sweep {source + 1} in {target + 1}, {name}", found[-1]))
        every = [each for part in found for each in part]
        for category in sorted({each.category for each in every}):
            print(line(category, [each for each in every if each.category == category]))


if __name__ == "__main__":
    main()
