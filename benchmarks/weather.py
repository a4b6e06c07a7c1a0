# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What weather adds to the physical step of the demo.

python benchmarks/weather.py [--runs N]
"""

from measure import WARM_UP, main, ratio_row
from physical import PHYSICAL, STEPS_A_RUN
from scenes import street_model
from step import timed_step

from lidar_scenery.weather.state import Weather
from osi_bridge import FrameDecoder

TITLE = "A physical step in weather"
ABOUT = """\
The street with OS1-128, as in the physical step of the demo, in clear air and in weather, message
by message in turns. Each line is a step in that weather over the clear one of the same message."""
GOALS = {
    "fog of 100 m": (Weather(visibility_m=100.0), 1.05),
    "rain of 10 mm/h": (Weather(rain_mm_h=10.0), 1.10),
    "snow of 10 mm/h": (Weather(snow_mm_h=10.0), 1.10),
    "haze of 2 km": (Weather(visibility_m=2000.0), 1.05),
}


def steps(passes):
    """Return times [ms] of steps by weather."""
    models = {}
    for name, (weather, _) in {"clear": (Weather(), 1.0), **GOALS}.items():
        model, messages = street_model(PHYSICAL)
        model.world.sky.weather = weather
        models[name] = model
    rows = []
    for _ in range(passes):
        decoders = {name: FrameDecoder("SensorView") for name in models}
        for model in models.values():
            weather = model.world.sky.weather
            model.restart()
            model.world.sky.weather = weather
        for index, data in enumerate(messages):
            timed = {
                name: timed_step(model, decoders[name], data, index)
                for name, model in models.items()
            }
            if None not in timed.values():  # the host moves
                rows.append({name: row["step"] for name, row in timed.items()})
    rows = rows[WARM_UP:]
    return {name: [row[name] for row in rows] for name in rows[0]}


def measure(runs):
    """Return the rows."""
    times = steps(max(1, runs // STEPS_A_RUN))
    return [
        ratio_row(f"{name} / clear", times, name, "clear", goal=goal)
        for name, (_, goal) in GOALS.items()
    ]


if __name__ == "__main__":
    main(TITLE, ABOUT, measure)
