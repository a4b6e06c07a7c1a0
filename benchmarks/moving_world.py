# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What parts that move, velocities and light that bounces once more add to steps of the demo.

python benchmarks/moving_world.py [--runs N]
"""

import numpy as np
from measure import WARM_UP, main, ratio_row
from osi3.osi_object_pb2 import MovingObject
from osi3.osi_sensorview_pb2 import SensorView
from physical import PHYSICAL, STEPS_A_RUN
from scenes import sensors
from step import IN_TIME, timed_step

from osi_bridge import FrameDecoder, open_trace
from osi_lidar import LidarModel, load_config
from osi_lidar.run.example_scene import street as street_scenario

TITLE = "A world that moves and shines"
ABOUT = """\
The street with OS1-128, message by message in turns. Ten people who walk and five cars that
drive, of built-in shapes, with rolling shutter and motion blur: with moving parts, over stiff
shapes. Velocities, over none. Ten cars that stand around the host: with ghosts in their paint,
over none. Physical lines have 16 sub-rays per beam; velocities and ghosts are measured without
shutter there."""
PARTS_GOAL, VELOCITY_GOAL, BOUNCE_GOAL = 1.25, 1.02, 1.25
CAR_M, ADULT_M = (4.4, 1.8, 1.45), (1.0, 0.6, 1.75)
WALK_M_S, DRIVE_M_S = 1.4, 8.0
N_PEOPLE, N_DRIVING, N_STANDING = 10, 5, 10
STIFF = {("scene", "articulation"): "none"}
NO_BOUNCE = {"beam": {"second_bounce": False}}


def model_of(sensor, changes=()):
    """Return a model of the demo, with changes to its sensor and to its configuration."""
    scenario = street_scenario()
    changed = {**sensors(sensor), **dict(changes)}
    config = load_config(scenario.config, changes=changed)
    return LidarModel(config, trace_folder=scenario.trace.parent)


def demo():
    """Return the messages of the demo."""
    return [SensorView.FromString(each.data) for each in open_trace(street_scenario().trace)]


def seconds(view):
    """Return the timestamp of a message [s]."""
    return view.timestamp.seconds + 1e-9 * view.timestamp.nanos


def add(view, object_id, size_m, pose, speed_m_s=0.0):
    """Add a car (if the size is `CAR_M`) or a person to a message; ``pose`` is x, y, yaw."""
    item = view.global_ground_truth.moving_object.add()
    item.id.value = object_id
    if size_m == CAR_M:
        item.type = MovingObject.TYPE_VEHICLE
        item.vehicle_classification.type = MovingObject.VehicleClassification.TYPE_MEDIUM_CAR
    else:
        item.type = MovingObject.TYPE_PEDESTRIAN
    base = item.base
    base.dimension.length, base.dimension.width, base.dimension.height = size_m
    x, y, yaw = pose
    base.position.x, base.position.y, base.position.z = x, y, 0.5 * size_m[2]
    base.orientation.roll, base.orientation.pitch, base.orientation.yaw = 0.0, 0.0, yaw
    velocity = speed_m_s * np.cos(yaw), speed_m_s * np.sin(yaw), 0.0
    base.velocity.x, base.velocity.y, base.velocity.z = velocity


def with_moving():
    """Return the messages with ten people on the pavements and five cars that drive."""
    views = demo()
    for view in views:
        time_s = seconds(view)
        for k in range(N_PEOPLE):
            ahead = 1.0 if k % 2 else -1.0
            x = -20.0 + 4.0 * k + ahead * WALK_M_S * time_s
            pose = x, 6.3 + 0.1 * k if k % 2 else -6.3 - 0.1 * k, 0.0 if k % 2 else np.pi
            add(view, 800 + k, ADULT_M, pose, WALK_M_S)
        for k in range(N_DRIVING):
            x = -40.0 + 9.0 * k + DRIVE_M_S * time_s
            add(view, 900 + k, CAR_M, (x, 3.9, 0.0), DRIVE_M_S)
    return [view.SerializeToString() for view in views]


def with_parked():
    """Return the messages with ten cars that stand on both sides of the host's way."""
    views = demo()
    for view in views:
        for k in range(N_STANDING):
            y = 4.6 if k % 2 else -4.6
            add(view, 900 + k, CAR_M, (-26.0 + 5.0 * (k // 2) + 2.0 * (k % 2), y, 0.3))
    return [view.SerializeToString() for view in views]


def steps(passes, models, messages):
    """Run models in turns, message by message; return each model's step times [ms], by name."""
    rows, names = [], list(models)
    for _ in range(passes):
        decoders = {name: FrameDecoder("SensorView") for name in models}
        for model in models.values():
            model.restart()
        for index, data in enumerate(messages):
            first = index % len(names)
            timed = {
                name: timed_step(models[name], decoders[name], data, index)
                for name in names[first:] + names[:first]
            }
            if None not in timed.values():
                rows.append({name: row["step"] for name, row in timed.items()})
    rows = rows[WARM_UP:]
    return {name: [row[name] for row in rows] for name in names}


def of_parts(passes):
    """Return the rows about people and cars whose parts (limbs, wheels) move."""
    name = f"{N_PEOPLE} people who walk and {N_DRIVING} cars that drive / stiff"
    for kind, sensor in (("ideal", IN_TIME), ("physical", {**PHYSICAL, **IN_TIME})):
        models = {"moving": model_of(sensor), "stiff": model_of(sensor, STIFF)}
        times = steps(passes, models, with_moving())
        yield ratio_row(f"{name}, {kind}", times, "moving", "stiff", goal=PARTS_GOAL)


def of_velocity(passes):
    """Return the rows about sensors that measure velocities."""
    messages = [view.SerializeToString() for view in demo()]
    for kind, sensor, goal in (("physical", PHYSICAL, VELOCITY_GOAL), ("ideal", IN_TIME, None)):
        models = {"with": model_of({**sensor, "velocity": True}), "without": model_of(sensor)}
        times = steps(passes, models, messages)
        yield ratio_row(f"velocity / none, {kind}", times, "with", "without", goal=goal)


def of_bounce(passes):
    """Return the row about the second bounce: ghost points from glossy surfaces."""
    models = {"with": model_of(PHYSICAL), "without": model_of({**PHYSICAL, **NO_BOUNCE})}
    times = steps(passes, models, with_parked())
    name = f"second bounce with {N_STANDING} cars / none, physical"
    yield ratio_row(name, times, "with", "without", goal=BOUNCE_GOAL)


def measure(runs):
    """Return the rows of this topic's table."""
    passes = max(1, runs // STEPS_A_RUN)
    return [row for each in (of_parts, of_velocity, of_bounce) for row in each(passes)]


if __name__ == "__main__":
    main(TITLE, ABOUT, measure)
