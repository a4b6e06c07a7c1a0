# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
A walking person
================

A trace has only a bounding box for a pedestrian. Still, the built-in shape walks: its legs and arms
swing as the box moves. Every second point cloud is drawn, side by side.
"""

import matplotlib.pyplot as plt
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_object_pb2 import MovingObject

import osi_lidar
from osi_bridge import FrameDecoder

sensor = {
    "name": "side",
    "pattern": {"kind": "raster", "azimuth_deg": [-16, 16], "elevation_deg": [-17, 14]}
    | {"columns": 160, "rows": 120},
    "mounting": {"z_m": 0.7},  # over the assumed axle, 0.3 m above the ground
}
model = osi_lidar.LidarModel(osi_lidar.Config(sensors=[sensor]))
decoder = FrameDecoder("GroundTruth")

figure, axes = plt.subplots(figsize=(10, 3), layout="compressed")
for number in range(16):
    truth = GroundTruth()
    truth.timestamp.nanos = number * 50_000_000
    truth.host_vehicle_id.value = 1
    for each, y_m in ((1, 0.0), (2, 0.075 * number - 0.6)):
        thing = truth.moving_object.add(type=MovingObject.TYPE_PEDESTRIAN)
        thing.id.value = each
        base = thing.base
        base.position.x, base.position.y, base.position.z = 3.2 * (each - 1), y_m, 0.875
        base.dimension.length, base.dimension.width, base.dimension.height = 0.9, 0.6, 1.75
        base.orientation.yaw = 1.5708 * (each - 1)
    points = model.step(decoder.decode(truth.SerializeToString(), number)).scans[0].cloud.points
    if number % 2:
        person = points[points["object_id"] == 2]
        axes.plot(0.9 * number + person["y"] - 0.075 * number, person["z"] + 1, ".", ms=1)
axes.set_title("a pedestrian who walks")
axes.set(xlabel="clouds 0.1 s apart", ylabel="height [m]", aspect="equal", xticks=[])
plt.show()
