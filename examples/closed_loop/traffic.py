# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The world: three scenarios in Eclipse SUMO, by its library `libsumo`, as OSI ground truth.

SUMO moves all vehicles and people. The host drives straight in the right lane. SUMO's checks of
speed and lane are off for the host, so that only the emergency brake slows it down. SUMO draws the
speed of each vehicle and person at random, from its seed.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from osi_bridge import MovingBox

try:
    import libsumo
except ModuleNotFoundError:
    raise SystemExit("libsumo is not installed: pip install libsumo") from None

__all__ = [
    "AXLE_FROM_CENTER_M",
    "HOST_M",
    "SCENARIOS",
    "STEP_S",
    "Body",
    "Scenario",
    "Traffic",
    "driving",
]

STEP_S = 0.1
"""A scan of 10 Hz for each step of SUMO. [s]"""
LANE_M, ROAD_M = 3.5, 400.0
"""Width of a lane and length of the road. [m]"""
HOST_M = (4.4, 1.8, 1.45)
CAR_M = (4.4, 1.8, 1.45)
CHILD_M = (0.31, 0.38, 1.1)
"""Length, width and height of the child. [m]"""
GREY = (0.4, 0.41, 0.42)
AXLE_FROM_CENTER_M = (-1.35, 0.0, 0.3 - 0.5 * HOST_M[2])
"""The host's rear axle, 0.3 m above the ground."""
PARKING_LANE, OWN_LANE, LEFT_LANE = 0, 1, 2
LANES = ((-2.9, 2.3), (0.0, LANE_M), (LANE_M, LANE_M))
"""Middle (y) and width of each lane. [m]"""
HOST_ID, HAZARD_ID, PARKED_ID = 1, 2, 3
CHILD_START_M, PATH_M = -4.0, 16.0
"""Start of the child's path (y), beside the parked car, and length of the path. [m]"""
BEHIND_M = 0.5
"""Distance from the front of the parked car to the child's path. [m]"""
CUT_IN_S = 2.0
"""Time of a change of lanes. [s]"""
START_M = 60.0
"""Where the host starts. [m]"""
NO_CHECKS = 0
"""SUMO's speed mode, and lane change mode, in which all checks are off."""
ROUTES = (
    f'<routes><vType id="car" length="{CAR_M[0]}" width="{CAR_M[1]}" accel="3" decel="8"'
    ' speedFactor="normc(1,0.05,0.9,1.1)" sigma="0"/>'
    f'<vType id="slow" length="{CAR_M[0]}" width="{CAR_M[1]}" sigma="0.5"'
    ' speedFactor="normc(0.5,0.03,0.4,0.6)"/>'
    f'<vType id="child" vClass="pedestrian" length="{CHILD_M[0]}" width="{CHILD_M[1]}"'
    ' maxSpeed="1.39" speedFactor="normc(1,0.1,0.8,1.2)"/>'
    '<route id="ahead" edges="road"/></routes>'
)
"""SUMO's types, with the spread of their speeds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A scenario: the host, and one hazard in its way.

    Attributes
    ----------
    name : str
        Name of the scenario.
    host_m_s : float
        Mean speed of the host; SUMO draws it within 10 %, with a deviation of 5 %. [m/s]
    hazard : str
        Kind of hazard: `standing` (a car), `child` (who crosses) or `cut_in` (a slower car).
    hazard_m : float
        Position of the hazard along the road at the start: a car's front, or the child's path. [m]
    trigger_s : float
        The hazard starts to move into the lane when the host would reach it in this time. [s]
    most_s : float
        Longest duration of the scenario. [s]
    """

    name: str
    host_m_s: float
    hazard: str
    hazard_m: float
    trigger_s: float = 0.0
    most_s: float = 10.0


SCENARIOS = {
    each.name: each
    for each in (
        Scenario(name="standing car", host_m_s=50 / 3.6, hazard="standing", hazard_m=START_M + 80),
        Scenario(
            name="child", host_m_s=30 / 3.6, hazard="child", hazard_m=START_M + 30, trigger_s=2.9
        ),
        Scenario(
            name="cut-in", host_m_s=50 / 3.6, hazard="cut_in", hazard_m=START_M + 34, trigger_s=1.0
        ),
    )
}
"""The child walks at 5 km/h, so that the middle of a host that does not brake hits it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A vehicle or a person, as a box.

    Attributes
    ----------
    object_id : int
        OSI id.
    is_person : bool
        Whether it is a person.
    x_m, y_m, yaw_rad : float
        Centre and heading. [m], [rad]
    dimension_m : (float, float, float)
        Length, width, height. [m]
    """

    object_id: int
    is_person: bool
    x_m: float
    y_m: float
    yaw_rad: float
    dimension_m: tuple[float, float, float]

    @property
    def half_m(self) -> tuple[float, float]:
        """Half edges of the box's bounding rectangle along x and y [m]."""
        length_m, width_m, _ = self.dimension_m
        along, across = abs(math.cos(self.yaw_rad)), abs(math.sin(self.yaw_rad))
        return (
            0.5 * (length_m * along + width_m * across),
            0.5 * (length_m * across + width_m * along),
        )

    def gap_m(self, other: "Body") -> tuple[float, float]:
        """Return the gaps to another body along x and y [m]; negative where the two overlap.

        Both bodies are taken as the rectangles of `half_m`.
        """
        mine, its = self.half_m, other.half_m
        return (
            abs(other.x_m - self.x_m) - mine[0] - its[0],
            abs(other.y_m - self.y_m) - mine[1] - its[1],
        )

    def box(self) -> MovingBox:
        """Return the body as a moving object of OSI."""
        return MovingBox(
            object_id=self.object_id,
            type_name="TYPE_PEDESTRIAN" if self.is_person else "TYPE_VEHICLE",
            subtype_name="" if self.is_person else "TYPE_MEDIUM_CAR",
            position_m=(self.x_m, self.y_m, 0.5 * self.dimension_m[2]),
            orientation_rad=(0.0, 0.0, self.yaw_rad),
            dimension_m=self.dimension_m,
            color=None if self.is_person else GREY,
            rear_axle_from_center_m=AXLE_FROM_CENTER_M,
        )


class Traffic:
    """A scenario that runs in SUMO; a process can run one at a time.

    Attributes
    ----------
    scenario : Scenario
        The scenario.
    cruise_m_s : float
        Speed of the host, as SUMO has drawn it. [m/s]
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._is_triggered = False
        _add("host", START_M, OWN_LANE, "desired")
        if scenario.hazard == "cut_in":
            _add("hazard", scenario.hazard_m, LEFT_LANE, "desired", kind="slow")
        elif scenario.hazard == "standing":
            _add("hazard", scenario.hazard_m, OWN_LANE, "0")
        else:
            _add("parked", scenario.hazard_m - BEHIND_M, PARKING_LANE, "0")
        libsumo.simulationStep()
        self.cruise_m_s = float(libsumo.vehicle.getSpeed("host"))
        for name in libsumo.vehicle.getIDList():
            libsumo.vehicle.setLaneChangeMode(name, NO_CHECKS)
            if libsumo.vehicle.getSpeed(name) == 0.0:
                libsumo.vehicle.setSpeed(name, 0.0)
        libsumo.vehicle.setSpeedMode("host", NO_CHECKS)

    @property
    def time_s(self) -> float:
        """Simulated time [s]."""
        return float(libsumo.simulation.getTime())

    @property
    def host(self) -> Body:
        """The host vehicle."""
        return _car("host", HOST_ID)

    @property
    def hazard(self) -> Body | None:
        """The hazard; None if it is the child, and the child has not started yet."""
        if self.scenario.hazard != "child":
            return _car("hazard", HAZARD_ID)
        return _child() if "child" in libsumo.person.getIDList() else None

    def others(self) -> list[Body]:
        """Return all vehicles and people except the host."""
        is_parked = self.scenario.hazard == "child"
        others = [self.hazard, _car("parked", PARKED_ID) if is_parked else None]
        return [each for each in others if each is not None]

    def step(self, host_m_s: float) -> None:
        """Advance the simulation by a step of `STEP_S`, with the given speed of the host [m/s]."""
        libsumo.vehicle.setSpeed("host", host_m_s)
        if not self._is_triggered and self._time_gap_s() <= self.scenario.trigger_s:
            self._is_triggered = True
            if self.scenario.hazard == "cut_in":
                libsumo.vehicle.changeLane("hazard", OWN_LANE, ROAD_M)
            elif self.scenario.hazard == "child":
                libsumo.person.add("child", "path", 0.0, typeID="child")
                libsumo.person.appendWalkingStage("child", ["path"], PATH_M)
        libsumo.simulationStep()

    def _time_gap_s(self) -> float:
        """Return the time in which the host would reach the hazard at its cruise speed [s]."""
        front_m = libsumo.vehicle.getPosition("host")[0]
        place_m = self.scenario.hazard_m
        if self.scenario.hazard == "cut_in":
            place_m = libsumo.vehicle.getPosition("hazard")[0] - CAR_M[0]
        return float(place_m - front_m) / self.cruise_m_s


def _add(name: str, front_m: float, lane: int, speed: str, *, kind: str = "car") -> None:
    libsumo.vehicle.add(
        name,
        "ahead",
        typeID=kind,
        departLane=str(lane),
        departPos=str(front_m),
        departSpeed=speed,
    )


def _car(name: str, object_id: int) -> Body:
    """Return a car as a body. SUMO's position is the middle of its front, its angle from north."""
    x_m, y_m = libsumo.vehicle.getPosition(name)
    yaw_rad = math.radians(90.0 - libsumo.vehicle.getAngle(name))
    return Body(
        object_id=object_id,
        is_person=False,
        x_m=x_m - 0.5 * CAR_M[0] * math.cos(yaw_rad),
        y_m=y_m - 0.5 * CAR_M[0] * math.sin(yaw_rad),
        yaw_rad=yaw_rad,
        dimension_m=CAR_M,
    )


def _child() -> Body:
    x_m, y_m = libsumo.person.getPosition("child")
    return Body(
        object_id=HAZARD_ID,
        is_person=True,
        x_m=x_m,
        y_m=y_m,
        yaw_rad=math.pi / 2,
        dimension_m=CHILD_M,
    )


@contextmanager
def driving(scenario: Scenario, seed: int) -> Iterator[Traffic]:
    """Start SUMO with a scenario and a seed, and end SUMO after the block."""
    with TemporaryDirectory() as name:
        net = Path(name) / "road.net.xml"
        routes = Path(name) / "road.rou.xml"
        net.write_text(network(scenario), encoding="utf-8")
        routes.write_text(ROUTES, encoding="utf-8")
        libsumo.start(
            [
                "sumo",
                *("--net-file", str(net), "--route-files", str(routes)),
                *("--seed", str(seed), "--step-length", str(STEP_S)),
                *("--lanechange.duration", str(CUT_IN_S), "--pedestrian.model", "nonInteracting"),
                *("--collision.action", "none", "--time-to-teleport", "-1"),
                *("--xml-validation", "never", "--xml-validation.net", "never"),
                *("--no-step-log", "true", "--no-warnings", "true"),
            ]
        )
        try:
            yield Traffic(scenario)
        finally:
            libsumo.close()


def network(scenario: Scenario) -> str:
    """Return SUMO's network: a road of three lanes, and a path that crosses it.

    The network has no crossing where path and road meet, so that nobody gives way.
    """
    lanes = "".join(
        f'<lane id="road_{number}" index="{number}" speed="{scenario.host_m_s}" length="{ROAD_M}"'
        f' width="{width_m}" shape="0,{y_m} {ROAD_M},{y_m}"/>'
        for number, (y_m, width_m) in enumerate(LANES)
    )
    x_m = scenario.hazard_m + 0.5 * CHILD_M[0]
    right_m = CHILD_START_M
    path = (
        f'<lane id="path_0" index="0" allow="pedestrian" speed="10" length="{PATH_M}" width="1"'
        f' shape="{x_m},{right_m} {x_m},{right_m + PATH_M}"/>'
    )
    ends = {"west": (0, 0), "east": (ROAD_M, 0), "south": (x_m, right_m)}
    ends["north"] = (x_m, right_m + PATH_M)
    junctions = "".join(
        f'<junction id="{name}" type="dead_end" x="{x}" y="{y}" incLanes="" intLanes=""'
        f' shape="{x},{y}"/>'
        for name, (x, y) in ends.items()
    )
    return (
        f'<net version="1.20"><location netOffset="0,0" convBoundary="0,-10,{ROAD_M},20"'
        f' origBoundary="0,-10,{ROAD_M},20" projParameter="!"/>'
        f'<edge id="road" from="west" to="east" priority="1">{lanes}</edge>'
        f'<edge id="path" from="south" to="north" priority="1">{path}</edge>{junctions}</net>'
    )
