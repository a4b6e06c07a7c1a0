# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Run four kinds of sensor on the field scenario, and print their times beside BlenSor's.

    python run_field.py [FOLDER]        (default: out/field; created if it does not exist)

Each sensor runs alone and scans consecutive intervals of 40 ms. The first ones, in which kernels
are compiled and the scene is built, are not counted.
"""

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from make_field import TRACE_NAME
from make_field import main as make_field

from osi_bridge import NO_OBJECT
from osi_lidar import Config, FrameSource, LidarModel, load_config
from osi_lidar.config.loading import revised_config

PAPER_S = {"rotating": 8.462, "line": 4.943, "tof": 5.290, "depth": 11.721}
"""BlenSor's time for one interval of 40 ms, 237 000 vertices, Intel Core i5, 2.53 GHz. [s]"""
N_WARM, N_TIMED = 2, 10


@dataclass(frozen=True)
class Timing:
    """Times of one sensor.

    Attributes
    ----------
    sensor : str
        Name of the sensor.
    n_beams, n_points : int
        Beams of a scan, and points of the last scan.
    n_cars : int
        Number of cars on which the sensor has points, over all scans.
    first_s : float
        Time until the end of the first scan. [s]
    scan_s : float
        Time of one step without encoding: update of the scene, tracing, response of the surfaces.
        The shortest of all steps, as longer ones include other load on the machine. [s]
    step_s : float
        Time of one step, including the encoding of OSI SensorData: again the shortest. [s]
    """

    sensor: str
    n_beams: int
    n_points: int
    n_cars: int
    first_s: float
    scan_s: float
    step_s: float


def alone(config: Config, number: int) -> Config:
    """Return a configuration reduced to one of its sensors, without depth images."""
    sensor = config.sensors[number].model_dump(mode="json")
    return revised_config(config, {("sensors",): [sensor], ("output", "depth"): "none"})


def timed(config: Config, trace: Path, *, n_warm: int = N_WARM, n_timed: int = N_TIMED) -> Timing:
    """Scan the first messages of a trace with the sensor of a configuration; return the times."""
    begin = time.perf_counter()
    model = LidarModel(config, trace_folder=trace.parent)
    ends, encoded_s, cars = [begin], [0.0], set()
    for frame in FrameSource(trace, frames=slice(n_warm + n_timed)):
        (scan,) = model.step(frame).scans
        ends.append(time.perf_counter())
        encoded_s.append(model.clock.seconds()["encode"])
        cars.update(np.unique(scan.cloud.object_id).tolist())
    cars.discard(int(NO_OBJECT))
    step_s, encode_s = np.diff(ends), np.diff(encoded_s)
    return Timing(
        sensor=scan.sensor,
        n_beams=model.lidars[0].pattern.n_beams,
        n_points=len(scan.cloud.points),
        n_cars=len(cars),
        first_s=float(step_s[0]),
        scan_s=float(np.min((step_s - encode_s)[n_warm:])),
        step_s=float(np.min(step_s[n_warm:])),
    )


def main(folder: Path) -> None:
    """Print a table with one line for each sensor."""
    trace = folder / TRACE_NAME
    if not trace.is_file() or not (folder / "terrain.obj").is_file():
        make_field(folder)
    config = load_config(folder / "config.yaml")
    print("sensor      beams    points  first [s]  scan [s]  with OSI [s]  BlenSor [s]  factor")
    for number, sensor in enumerate(config.sensors):
        one = timed(alone(config, number), trace)
        paper_s = PAPER_S[sensor.name]
        print(
            f"{one.sensor:8} {one.n_beams:8d}  {one.n_points:8d}  {one.first_s:9.2f}  "
            f"{one.scan_s:8.4f}  {one.step_s:12.4f}  {paper_s:11.3f}  {paper_s / one.scan_s:6.0f}"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out/field"))
