# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The gap between real and simulated clouds: measured, attributed to causes, closed in parts.

files > clouds                                    (reading)
clouds > pairs, and images by ring                (pairing, rings, layout)
pairs > comparison                                (compare, by the measures in metrics)
pairs > clouds with parts of the gap taken away   (operators, apply)
tables of boxes, trajectories, plans > scores     (tasks)
clouds > figures of the sensor's unit             (calibrate)
clouds and poses > mesh with materials            (twin)

``records`` defines the data that these stages pass on.
"""
