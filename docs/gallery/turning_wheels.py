# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Wheels that turn
================

The wheels of built-in vehicles turn as the vehicle's bounding box moves. A sensor that measures
velocities shows this: the top of a wheel moves at twice the speed of the car, and its bottom rests.
The car approaches the sensor at 10 m/s.
"""

import matplotlib.pyplot as plt
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_object_pb2 import MovingObject

import osi_lidar
from osi_bridge import FrameDecoder

SPEED_M_S = 10.0
sensor = {
    "name": "fmcw",
    "pattern": {"kind": "raster", "azimuth_deg": [6, 15], "elevation_deg": [-3.5, 3.5]}
    | {"columns": 500, "rows": 200},
    "mounting": {"z_m": 0.7},
    "velocity": True,
}
model = osi_lidar.LidarModel(osi_lidar.Config(sensors=[sensor]))
decoder = FrameDecoder("GroundTruth")
for number in range(3):
    truth = GroundTruth()
    truth.timestamp.nanos = number * 100_000_000
    truth.host_vehicle_id.value = 1
    for each, x_m, y_m in ((1, 0.0, 0.0), (2, 17.0 - 0.1 * number * SPEED_M_S, 2.8)):
        car = truth.moving_object.add(type=MovingObject.TYPE_VEHICLE)
        car.id.value = each
        car.vehicle_classification.type = MovingObject.VehicleClassification.TYPE_CAR
        base = car.base
        base.position.x, base.position.y, base.position.z = x_m, y_m, 0.72
        base.dimension.length, base.dimension.width, base.dimension.height = 4.4, 1.8, 1.44
        base.orientation.yaw = 3.14159 * (each - 1)
    cloud = model.step(decoder.decode(truth.SerializeToString(), number)).scans[0].cloud
points = cloud.points[cloud.points["object_id"] == 2]

figure, axes = plt.subplots(figsize=(9, 3.4), layout="compressed")
speed = points["radial_velocity"]
dots = axes.scatter(points["x"], points["z"], c=speed, s=2, cmap="coolwarm", vmin=0, vmax=20)
axes.set_title("a car that approaches at 10 m/s")
axes.set(xlabel="forward [m]", ylabel="up [m]", aspect="equal", yticks=(-1, -0.5, 0, 0.5))
figure.colorbar(dots, label="radial velocity [m/s]")
plt.show()
