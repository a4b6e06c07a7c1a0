# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Clouds in a loop, message by message
====================================

Take serialised OSI messages from anywhere, such as a socket, and get a point cloud for each. Here
the messages come from the street's trace. The loop records the range of the nearest road user.
"""

import matplotlib.pyplot as plt
import numpy as np

import osi_lidar
from osi_bridge import FrameDecoder, open_trace
from osi_lidar.run.example_scene import street

config = osi_lidar.load_config(street().config, sensor="VLP-16")
model = osi_lidar.LidarModel(config, trace_folder=street().trace.parent)
messages = open_trace(street().trace)
decoder = FrameDecoder(messages.message_type)

time_s, distance_m = [], []
for raw in messages:
    frame = decoder.decode(raw.data, raw.index)
    points = model.step(frame).scans[0].cloud.points
    is_road_user = np.isin(points["object_id"], (2, 3, 4))
    time_s.append(1e-9 * frame.time_ns)
    distance_m.append(points["range"][is_road_user].min(initial=np.inf))
    if raw.index == 45:
        break

figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
axes.plot(np.array(time_s) - time_s[0], distance_m, ".-")
axes.set_title("range of the nearest road user")
axes.set(xlabel="time [s]", ylabel="nearest road user [m]", ylim=(0, None))
axes.grid(alpha=0.3)
plt.show()
