# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Cost of motion within a scan: rolling shutter and motion blur, compared with an instant.

Both models see the same messages in turn: a host with an OS1-128 at 1024 columns drives and turns
through the meshes of the street scene, among boxes that drive and turn. The times are those of the
model's stages `update`, `trace`, `respond` and `encode`.

    python benchmarks/motion.py [--rounds N] [--objects N] [--columns N]
"""

import argparse
from statistics import median

import numpy as np
from osi3.osi_sensorview_pb2 import SensorView

from lidar_base.process.threads import set_up_process
from osi_bridge import FrameDecoder
from osi_lidar import LidarModel, load_config
from osi_lidar.run.example_scene import street

STAGES = ("update", "trace", "respond", "encode")
WARM_UP = 3
SWITCHES = ("rolling_shutter", "motion_blur")


def message(index, n_object):
    """Return a SensorView: the host, and boxes on circles around it."""
    view = SensorView()
    truth = view.global_ground_truth
    for part in (view, truth):
        part.timestamp.seconds, part.timestamp.nanos = divmod(index * 10**8, 10**9)
    view.host_vehicle_id.value = 1
    for number in range(n_object + 1):
        thing = truth.moving_object.add()
        thing.id.value = number + 1
        thing.type, thing.vehicle_classification.type = 2, 4
        base = thing.base
        if number == 0:
            x, y, yaw = -17.0 + 1.0 * index, -1.75, 0.01 * index
        else:
            radius, angle = 6.0 + 0.6 * number, 2.4 * number + 0.1 * index
            x, y, yaw = radius * np.cos(angle), radius * np.sin(angle), angle + np.pi / 2
        base.position.x, base.position.y, base.position.z = x, y, 0.75
        base.orientation.yaw = yaw
        base.dimension.length, base.dimension.width, base.dimension.height = 4.2, 1.8, 1.5
    return view.SerializeToString()


def model_with(columns, *, moving):
    """Return a model of the street's meshes, with or without motion within a scan."""
    config = load_config(street().config, sensor="OS1-128")
    switches = {**dict.fromkeys(SWITCHES, moving), "columns": columns}
    sensors = tuple(sensor.model_copy(update=switches) for sensor in config.sensors)
    return LidarModel(config.model_copy(update={"sensors": sensors}))


def seconds_of(model, frame):
    """Run a step; return the time of each stage [ms], by name."""
    before = model.clock.seconds()
    model.step(frame)
    after = model.clock.seconds()
    return {stage: 1e3 * (after[stage] - before.get(stage, 0.0)) for stage in STAGES}


def times_of(rounds, n_object, columns):
    """Return, for each model by name, a dict for each message: the time of each stage [ms]."""
    models = {
        "instant": model_with(columns, moving=False),
        "in time": model_with(columns, moving=True),
    }
    decoder = FrameDecoder("SensorView")
    times = {name: [] for name in models}
    for index in range(rounds + WARM_UP):
        frame = decoder.decode(message(index, n_object), index)
        for name in sorted(models, reverse=bool(index % 2)):
            taken = seconds_of(models[name], frame)
            if index >= WARM_UP:
                times[name].append(taken)
    return times


def main():
    set_up_process()  # as the command line does
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=40, help="number of messages")
    parser.add_argument("--objects", type=int, default=20, help="number of moving objects")
    parser.add_argument("--columns", type=int, default=1024, help="columns per turn of the sensor")
    arguments = parser.parse_args()
    times = times_of(arguments.rounds, arguments.objects, arguments.columns)
    print(f"  {'':8s} {'instant':>11s} {'in time':>11s} {'ratio':>7s}")
    for stage in STAGES:
        still, moving = (median(each[stage] for each in times[name]) for name in times)
        print(f"  {stage:8s} {still:8.2f} ms {moving:8.2f} ms {moving / still:7.2f}")


if __name__ == "__main__":
    main()
