# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Blind zone of a mounting
========================

Which ground around the car does a lidar on its roof not see? With ``host_visible``, beams hit the
sensor's own car. Points on the car are red; the ground in its shadow is blind.
``osi-lidar coverage`` computes such zones for several sensors.
"""

import matplotlib.pyplot as plt
import numpy as np
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_object_pb2 import MovingObject

import osi_lidar
from osi_bridge import FrameDecoder

truth = GroundTruth()
truth.timestamp.seconds = 1
truth.host_vehicle_id.value = 1
car = truth.moving_object.add(type=MovingObject.TYPE_VEHICLE)
car.id.value = 1
car.vehicle_classification.type = MovingObject.VehicleClassification.TYPE_CAR
car.vehicle_attributes.bbcenter_to_rear.x, car.vehicle_attributes.bbcenter_to_rear.z = -1.3, -0.4
car.base.position.z = 0.72
car.base.dimension.length, car.base.dimension.width, car.base.dimension.height = 4.4, 1.8, 1.44
frame = FrameDecoder("GroundTruth").decode(truth.SerializeToString(), 0)

figure, panels = plt.subplots(1, 2, figsize=(9, 4.6), layout="compressed", sharey=True)
for axes, up_m in zip(panels, (1.3, 1.9)):
    sensor = {"preset": "OS0-128", "columns": 512, "mounting": {"x_m": 1.2, "z_m": up_m}}
    model = osi_lidar.LidarModel(osi_lidar.Config(sensors=[sensor], scene={"host_visible": True}))
    cloud = model.step(frame).scans[0].cloud
    xyz = np.stack([cloud.points[axis] for axis in "xyz"], axis=1)
    x, y, z = cloud.world_from_sensor[:3, :3] @ xyz.T + cloud.world_from_sensor[:3, 3:]
    axes.plot(x[z < 0.02], y[z < 0.02], ".", ms=0.7)
    axes.plot(x[z >= 0.02], y[z >= 0.02], "r.", ms=0.7, label="on the car")
    axes.add_patch(plt.Rectangle((-2.2, -0.9), 4.4, 1.8, fill=False))
    axes.set(title=f"{up_m} m above the rear axle", xlim=(-9, 9), ylim=(-9, 9))
    axes.set(xlabel="forward [m]", aspect="equal")
panels[0].set(ylabel="left [m]")
panels[0].legend(loc="lower left", markerscale=10)
plt.show()
