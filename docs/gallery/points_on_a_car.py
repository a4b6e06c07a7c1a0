# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Points on a car by distance
===========================

How many points does a car have at each distance? ``object_id``, which is the OSI id, selects the
points on the car. The rows of a VLP-16 are 2° apart, so that a far car may lie between two rows.
"""

import matplotlib.pyplot as plt
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_object_pb2 import MovingObject

import osi_lidar
from osi_bridge import FrameDecoder

NAMES = ("VLP-16", "OS1-128", "Pandar64")
DISTANCES_M = (5, 7, 10, 14, 20, 28, 40, 56, 80, 112)
model = osi_lidar.LidarModel(osi_lidar.Config(sensors=[{"preset": name} for name in NAMES]))
decoder = FrameDecoder("GroundTruth")
count = {name: [] for name in NAMES}
for number, distance_m in enumerate(DISTANCES_M):
    truth = GroundTruth()
    truth.timestamp.seconds = 10 * number  # far apart, so that nothing moves within a scan
    truth.host_vehicle_id.value = 1
    for each, x_m in ((1, 0.0), (2, distance_m + 4.4)):
        car = truth.moving_object.add(type=MovingObject.TYPE_VEHICLE)
        car.id.value, car.base.position.x, car.base.position.z = each, x_m, 0.72
        car.vehicle_classification.type = MovingObject.VehicleClassification.TYPE_CAR
        car.base.dimension.length, car.base.dimension.width = 4.4, 1.8
        car.base.dimension.height = 1.44
    step = model.step(decoder.decode(truth.SerializeToString(), number))
    for name in NAMES:
        count[name].append((step.scans[name].cloud.points["object_id"] == 2).sum())

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for name in NAMES:
    axes.plot(DISTANCES_M, count[name], "o-", label=name)
axes.set_title("points on a car by its distance")
axes.set(xlabel="distance [m]", ylabel="points on the car", xscale="log", yscale="symlog")
axes.set_ylim(0, None)
axes.legend()
axes.grid(which="both", alpha=0.3)
plt.show()
