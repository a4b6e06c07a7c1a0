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
The street with OS1-128, as in the physical step of the demo, with four more cars around the host
that state 100 km/h: in clear air and in weather, message by message in turns. Each line is a step
in that weather over the clear one of the same message. Spray is that of five seconds."""
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
AROUND_M = ((12.0, 0.0), (25.0, 3.5), (-15.0, 0.0), (30.0, -3.5))
"""Places of the cars relative to the host."""
CAR_M_S = 100.0 / 3.6


def with_cars(data):
    """Return a message with four cars around the host."""
    view = SensorView.FromString(data)
    truth = view.global_ground_truth
    host = next(
        each for each in truth.moving_object if each.id.value == truth.host_vehicle_id.value
    )
    yaw = host.base.orientation.yaw
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    for number, place_m in enumerate(AROUND_M):
        car = truth.moving_object.add()
        car.CopyFrom(host)
        car.id.value = 900 + number
        off_m, velocity = turn @ np.array(place_m), turn @ np.array([CAR_M_S, 0.0])
        car.base.position.x += off_m[0]
        car.base.position.y += off_m[1]
        car.base.velocity.x, car.base.velocity.y, car.base.velocity.z = *velocity, 0.0
    return view.SerializeToString()


def steps(passes):
    """Return times [ms] of steps by weather."""
    models = {}
    for name, (weather, _) in {"clear": ({"messages": False}, 1.0), **GOALS}.items():
        models[name], messages = street_model(PHYSICAL)
        section = WeatherSection.model_validate(weather)
        models[name] = models[name], section
    messages, rows = [with_cars(each) for each in messages], []
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
    """Return the rows."""
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
