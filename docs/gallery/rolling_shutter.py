# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Rolling shutter of a fast car
=============================

While the sensor turns clockwise, two cars of 4.4 m drive past it at 30 m/s. With ``motion_blur``,
the default, each beam meets a car where it is at that moment. The left car moves with the beams
and looks longer; the right one moves against them and looks shorter.
"""

import matplotlib.pyplot as plt
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_object_pb2 import MovingObject

import osi_lidar
from osi_bridge import FrameDecoder

messages = []
for number in range(2):
    truth = GroundTruth()
    truth.timestamp.nanos = number * 100_000_000
    truth.host_vehicle_id.value = 1
    for each, x_m, y_m in (
        (1, 0.0, 0.0),
        (2, 3.0 * number - 1.5, 6.0),
        (3, 3.0 * number - 1.5, -6.0),
    ):
        car = truth.moving_object.add(type=MovingObject.TYPE_VEHICLE)
        car.id.value, car.base.position.x, car.base.position.y = each, x_m, y_m
        car.base.position.z = 0.75
        car.base.dimension.length, car.base.dimension.width = 4.4, 1.8
        car.base.dimension.height = 1.5
    messages.append(truth.SerializeToString())

figure, panels = plt.subplots(1, 2, figsize=(9, 4.4), layout="compressed", sharey=True)
for axes, is_moving in zip(panels, (False, True)):
    sensor = {"preset": "OS1-128", "motion_blur": is_moving, "mounting": {"z_m": 1.9}}
    model = osi_lidar.LidarModel(osi_lidar.Config(sensors=[sensor], scene={"shapes": "box"}))
    decoder = FrameDecoder("GroundTruth")
    for number, message in enumerate(messages):
        cloud = model.step(decoder.decode(message, number)).scans[0].cloud
    for each, side in ((2, "left"), (3, "right")):
        points = cloud.points[cloud.points["object_id"] == each]
        length_m = points["x"].max() - points["x"].min()
        axes.plot(points["x"], points["y"], ".", ms=2, label=f"{side}: {length_m:.2f} m long")
    axes.set(title=f"motion_blur: {is_moving}", xlabel="forward [m]", aspect="equal")
    axes.set(xlim=(-7, 9))
    axes.legend(loc="center", markerscale=4)
panels[0].set(ylabel="left [m]")
plt.show()
