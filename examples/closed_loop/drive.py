# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The closed loop, ten times a second: from world to OSI, points, brake, and back to the world."""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from brake import DECELERATION_M_S2, HALF_PATH_M, Brake, Sighting, points_of
from traffic import (
    AXLE_FROM_CENTER_M,
    HOST_M,
    SCENARIOS,
    STEP_S,
    Body,
    Traffic,
    driving,
)

from fmu_src.exporter import build_fmu
from osi_bridge import FrameDecoder, encode_ground_truth
from osi_lidar import LidarModel, load_config
from osi_lidar.run.fmu import Fmu

__all__ = ["SENSOR", "VARIANTS", "Cell", "Outcome", "configuration", "drive"]

Lidar = Callable[[int, bytes], bytes]
"""Takes the time of a step [ns] and GroundTruth, and returns SensorData."""

SENSOR_M = (1.3, 0.0, 1.9)
"""Position of the sensor on the roof: before the rear axle, left of it, above the ground. [m]"""
SENSOR, COLUMNS = "OS1-32", 1024
BUMPER_M = 0.5 * HOST_M[0] - AXLE_FROM_CENTER_M[0]
AXLE_HEIGHT_M = 0.5 * HOST_M[2] + AXLE_FROM_CENTER_M[2]
STEP_NS = round(1e9 * STEP_S)
NEARER_M, FARTHER_M = 1.0, HOST_M[0]
"""A cluster belongs to an object if it is at most this much nearer than the object's gap (noise) or
farther (a car's length). [m]"""
VARIANTS: dict[str, dict[str, Any]] = {
    "ideal": {"fidelity": "ideal"},
    "dry": {},
    "rain 10 mm/h": {"weather": {"rain_mm_h": 10, "road_water_mm": 0.5}},
    "rain 25 mm/h": {"weather": {"rain_mm_h": 25, "road_water_mm": 1.0}},
    "fog 100 m": {"weather": {"fog": {"visibility_m": 100}}},
    "pitch 1.5 deg up": {"pitch_deg": -1.5},
}
"""Variants of the sensor and the weather. All but the first are `fidelity: physical`. The brake
does not know about the pitch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One run: a scenario, a variant, and a seed for both SUMO and the lidar model."""

    scenario: str
    variant: str
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a run; None for an event that did not happen.

    Attributes
    ----------
    scenario, variant, seed : str, str, int
        The cell.
    speed_m_s : float
        Speed of the host before it brakes. [m/s]
    detected_m : float or None
        Gap to the hazard when a confirmed cluster first was on it. [m]
    braked_s, braked_m : float or None
        Time at which the brake was applied, and the gap to the hazard then. [s], [m]
    least_m : float
        Least distance to the hazard; 0 in a collision. [m]
    collision_m_s : float or None
        Speed of the host in a collision. [m/s]
    is_false_brake : bool
        Whether the brake was applied without an object in the path.
    driven_s : float
        Time until the brake was applied, or to the end: in it, a false brake could happen. [s]
    """

    scenario: str
    variant: str
    seed: int
    speed_m_s: float
    detected_m: float | None
    braked_s: float | None
    braked_m: float | None
    least_m: float
    collision_m_s: float | None
    is_false_brake: bool
    driven_s: float

    def row(self) -> dict[str, object]:
        """Return the values by name, rounded to three decimals: 1 mm, 1 ms, 1 mm/s."""
        return {
            name: round(value, 3) if isinstance(value, float) else value
            for name, value in asdict(self).items()
        }


class _Log:
    """The events of a run so far."""

    def __init__(self) -> None:
        self.detected_m: float | None = None
        self.braked_s: float | None = None
        self.braked_m: float | None = None
        self.least_m = math.inf
        self.collision_m_s: float | None = None
        self.is_false_brake = False
        self.driven_s = 0.0

    def measure(self, traffic: Traffic, speed_m_s: float) -> None:
        """Update the least distance to the hazard; at a collision, record the host's speed."""
        hazard = traffic.hazard
        if hazard is None:
            return
        along_m, across_m = traffic.host.gap_m(hazard)
        self.least_m = min(self.least_m, math.hypot(max(along_m, 0.0), max(across_m, 0.0)))
        if along_m < 0.0 and across_m < 0.0:
            self.collision_m_s = speed_m_s

    def note(self, traffic: Traffic, sighting: Sighting) -> None:
        """Compare a scan's clusters with the true objects; called until the brake is applied."""
        self.driven_s = traffic.time_s
        host, hazard = traffic.host, traffic.hazard
        ahead_m = _ahead_m(host, hazard)
        if self.detected_m is None and _is_among(ahead_m, sighting.confirmed_m):
            self.detected_m = ahead_m
        if sighting.cause_m is not None:
            true_m = [_ahead_m(host, each) for each in traffic.others()]
            self.is_false_brake = not any(_is_among(each, (sighting.cause_m,)) for each in true_m)
            self.braked_s = traffic.time_s
            self.braked_m = ahead_m


def _is_among(true_m: float | None, seen_m: Iterable[float]) -> bool:
    return true_m is not None and any(-NEARER_M < each - true_m < FARTHER_M for each in seen_m)


def _truth(traffic: Traffic) -> tuple[int, bytes]:
    """Return the time [ns] of a step, and its GroundTruth as bytes."""
    time_ns = round(1e9 * traffic.time_s)
    others = [each.box() for each in traffic.others()]
    return time_ns, encode_ground_truth(time_ns, traffic.host.box(), others)


def _ahead_m(host: Body, body: Body | None) -> float | None:
    """Return the gap from the host's front to a body [m]; None if it is not ahead in the path."""
    if body is None or abs(body.y_m - host.y_m) - body.half_m[1] > HALF_PATH_M:
        return None
    gap_m = body.x_m - body.half_m[0] - host.x_m - host.half_m[0]
    return gap_m if gap_m > -body.half_m[0] else None


def drive(cell: Cell, *, through: str = "python") -> Outcome:
    """Run a cell to a collision, a standstill, or the end of the scenario.

    Parameters
    ----------
    cell : Cell
        The scenario, variant and seed.
    through : str
        How the model is called: `python` (directly) or `fmu` (as an FMU, FMI 3.0, in FMPy).
    """
    scenario = SCENARIOS[cell.scenario]
    log = _Log()
    with lidar_of(cell, through) as lidar, driving(scenario, cell.seed) as traffic:
        brake = Brake(SENSOR_M, BUMPER_M)
        speed_m_s = traffic.cruise_m_s
        while traffic.time_s < scenario.most_s and log.collision_m_s is None and speed_m_s > 0.0:
            log.measure(traffic, speed_m_s)
            if log.braked_s is None:
                points_m = points_of(lidar(*_truth(traffic)))
                log.note(traffic, brake.look(points_m, speed_m_s, traffic.time_s))
            if log.braked_s is not None:
                speed_m_s = max(0.0, speed_m_s - DECELERATION_M_S2 * STEP_S)
            traffic.step(speed_m_s)
        return Outcome(
            scenario=cell.scenario,
            variant=cell.variant,
            seed=cell.seed,
            speed_m_s=traffic.cruise_m_s,
            detected_m=log.detected_m,
            braked_s=log.braked_s,
            braked_m=log.braked_m,
            least_m=log.least_m,
            collision_m_s=log.collision_m_s,
            is_false_brake=log.is_false_brake,
            driven_s=log.driven_s,
        )


def configuration(cell: Cell) -> str:
    """Return the configuration of the model for a cell, as JSON, which is valid YAML."""
    variant = VARIANTS[cell.variant]
    x_m, y_m, height_m = SENSOR_M
    mounting = {
        "x_m": x_m,
        "y_m": y_m,
        "z_m": height_m - AXLE_HEIGHT_M,
        "pitch_deg": variant.get("pitch_deg", 0.0),
    }
    sensor = {
        "preset": SENSOR,
        "columns": COLUMNS,
        "fidelity": variant.get("fidelity", "physical"),
        "mounting": mounting,
    }
    weather = variant.get("weather", "none")
    return json.dumps({"sensors": [sensor], "weather": weather, "seed": cell.seed}, indent=1)


@contextmanager
def lidar_of(cell: Cell, through: str) -> Iterator[Lidar]:
    """Yield the lidar model of a cell: called directly, or through an FMU that is built here."""
    with TemporaryDirectory() as name:
        config = Path(name) / "lidar.yaml"
        config.write_text(configuration(cell), encoding="utf-8")
        if through == "fmu":
            with _through_fmu(config) as lidar:
                yield lidar
            return
        decoder = FrameDecoder("GroundTruth")
        model = LidarModel(load_config(config))

        def answer(time_ns: int, truth: bytes) -> bytes:
            return model.step(decoder.decode(truth, round(time_ns / STEP_NS))).sensor_data

        yield answer


@contextmanager
def _through_fmu(config: Path) -> Iterator[Lidar]:
    built = build_fmu(config=config, out=config.parent, fmi="3")[0]
    with Fmu(built.path) as fmu:
        fmu.initialize(start_s=0.0)

        def answer(time_ns: int, truth: bytes) -> bytes:
            fmu.put("OSMPGroundTruthIn", truth)
            fmu.step(1e-9 * time_ns - STEP_S, STEP_S)
            return fmu.message("OSMPSensorDataOut")

        yield answer
        fmu.terminate()
