# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What weather adds to the physical step of the demo.

python benchmarks/weather.py [--runs N]
"""

import numpy as np
from measure import WARM_UP, main, ratio_row
from osi3.osi_sensorview_pb2 import SensorView
from physical import PHYSICAL, STEPS_A_RUN
from scenes import street_model
from step import timed_step

from osi_bridge import FrameDecoder
from osi_lidar.config import WeatherSection

TITLE = "A physical step in weather"
ABOUT = """\
Four more cars overtake the host in the street at 100 km/h. Each line is a physical step of an
OS1-128 in that weather, over a step of the same message in clear air."""
FOG, RAIN, SNOW = {"fog": {"visibility_m": 100.0}}, {"rain_mm_h": 10.0}, {"snow_mm_h": 10.0}
SPRAY, WET = {"road_water_mm": 1.0}, {"road_water_mm": 1.0, "spray": "none"}
GOALS = {
    "fog of 100 m": (FOG, 1.05),
    "rain of 10 mm/h": (RAIN, 1.10),
    "snow of 10 mm/h": (SNOW, 1.10),
    "a wet road": (WET, None),
    "a wet road with spray of four cars": (SPRAY, None),
    "all of it": ({**FOG, **RAIN, **SPRAY}, 1.30),
}
SPRAY_GOAL = 1.15
LANE_M, FIRST_M, APART_M = 3.5, -40.0, 25.0
"""Where the cars drive: beside the host, the first one from here on, one behind the other."""
CAR_M_S = 100.0 / 3.6


def with_cars(messages):
    """Return the messages with four cars that overtake the host."""
    views = [SensorView.FromString(each) for each in messages]
    begin = _host(views[0])
    begin_ns = views[0].timestamp.seconds * 10**9 + views[0].timestamp.nanos
    yaw = begin.base.orientation.yaw
    ahead, left = np.array([np.cos(yaw), np.sin(yaw)]), np.array([-np.sin(yaw), np.cos(yaw)])
    for view in views:
        time_s = (view.timestamp.seconds * 10**9 + view.timestamp.nanos - begin_ns) * 1e-9
        for number in range(4):
            car = view.global_ground_truth.moving_object.add()
            car.CopyFrom(begin)
            car.id.value = 900 + number
            along_m = FIRST_M - number * APART_M + CAR_M_S * time_s
            off_m, velocity = along_m * ahead + LANE_M * left, CAR_M_S * ahead
            car.base.position.x += off_m[0]
            car.base.position.y += off_m[1]
            car.base.velocity.x, car.base.velocity.y, car.base.velocity.z = *velocity, 0.0
    return [view.SerializeToString() for view in views]


def _host(view):
    truth = view.global_ground_truth
    return next(
        each for each in truth.moving_object if each.id.value == truth.host_vehicle_id.value
    )


def steps(passes):
    """Return the times of steps [ms], by weather."""
    models = {}
    for name, (weather, _) in {"clear": ({"messages": False}, 1.0), **GOALS}.items():
        models[name], messages = street_model(PHYSICAL)
        section = WeatherSection.model_validate(weather)
        models[name] = models[name], section
    messages, rows = with_cars(messages), []
    for _ in range(passes):
        decoders = {name: FrameDecoder("SensorView") for name in models}
        for model, section in models.values():
            model.restart()
            model.world.sky.use(section)
        for index, data in enumerate(messages):
            timed = {
                name: timed_step(model, decoders[name], data, index)
                for name, (model, _) in models.items()
            }
            if None not in timed.values() and index >= len(messages) // 2:  # spray is there
                rows.append({name: row["step"] for name, row in timed.items()})
    rows = rows[WARM_UP:]
    return {name: [row[name] for row in rows] for name in rows[0]}


def measure(runs):
    """Return the rows of this topic's table."""
    times = steps(max(1, runs // STEPS_A_RUN))
    spray = "a wet road with spray of four cars"
    return [
        *(
            ratio_row(f"{name} / clear", times, name, "clear", goal=goal)
            for name, (_, goal) in GOALS.items()
        ),
        ratio_row("spray of four cars / the wet road", times, spray, "a wet road", goal=SPRAY_GOAL),
    ]


if __name__ == "__main__":
    main(TITLE, ABOUT, measure)
