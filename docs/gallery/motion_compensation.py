# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Motion compensation on and off
==============================

A rotating sensor on a moving car measures each point from another position. So a straight wall
behind the car has a step in the reported points, where the scan begins and ends. ``deskew`` adds a
second cloud, seen from the pose at the end of the scan, without the step. The car drives at 30 m/s
between two walls.
"""

import matplotlib.pyplot as plt
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_object_pb2 import MovingObject

import osi_lidar
from osi_bridge import FrameDecoder

sensor = {"preset": "VLP-16", "deskew": True, "mounting": {"z_m": 1.5}}
model = osi_lidar.LidarModel(osi_lidar.Config(sensors=[sensor], scene={"ground": "none"}))
decoder = FrameDecoder("GroundTruth")
for number in range(3):
    truth = GroundTruth()
    truth.timestamp.nanos = number * 100_000_000
    truth.host_vehicle_id.value = 1
    host = truth.moving_object.add(type=MovingObject.TYPE_VEHICLE)
    host.id.value, host.base.position.x, host.base.position.z = 1, 3.0 * number, 0.75
    host.base.dimension.length, host.base.dimension.width, host.base.dimension.height = 4, 2, 1.5
    for each, x_m in ((2, -14.0), (3, 26.0)):
        wall = truth.stationary_object.add()
        wall.id.value, wall.base.position.x = each, x_m
        wall.base.dimension.length, wall.base.dimension.width = 1.0, 24.0
        wall.base.dimension.height = 8.0
    scan = model.step(decoder.decode(truth.SerializeToString(), number)).scans[0]

figure, panels = plt.subplots(1, 2, figsize=(10, 4.2), layout="compressed", sharey=True)
names = {"as reported": scan.cloud.points, "motion compensated": scan.deskewed}
for axes, (name, points) in zip(panels, names.items()):
    dots = axes.scatter(points["x"], points["y"], c=scan.cloud.points["time_ns"] / 1e6, s=3)
    axes.set(title=name, xlabel="forward [m]", aspect="equal", xlim=(-25, 25))
panels[0].set(ylabel="left [m]")
figure.colorbar(dots, ax=panels, label="time in the scan [ms]")
plt.show()
