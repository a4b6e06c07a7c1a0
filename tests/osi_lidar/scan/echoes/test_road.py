# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A road fades out for a physical HDL-64E as it does for a real one."""

import numpy as np

from osi_lidar import LidarModel, load_config
from osi_lidar.sensors.presets import load_preset
from tests.builders.messages import frames

HEIGHT_M = 1.73  # of the sensor's base above the road, as on the car of KITTI
# share of the beams ahead that return from the road, by distance [m], of those that meet nothing
# nearer; benchmarks/real/street_compare.py, clouds that nothing was fitted to
RECORDED = {20: 0.97, 30: 0.96, 40: 0.92, 50: 0.59, 60: 0.11, 75: 0.13}
ROAD = "v {0} {0} 0\nv -{0} {0} 0\nv -{0} -{0} 0\nv {0} -{0} 0\nusemtl road\nf 1 2 3 4\n"


def test_a_road_fades_out_as_a_recorded_one(tmp_path):
    (tmp_path / "road.obj").write_text(ROAD.format(400))
    config = tmp_path / "config.yaml"
    config.write_text(
        f"sensors: [{{preset: HDL-64E, fidelity: physical, mounting: {{z_m: {HEIGHT_M}}}}}]\n"
        "scene: {environment: [{mesh: road.obj, up: z, forward: x}]}\n"
        "materials: {default: asphalt_worn}\n"
    )
    preset = load_preset("HDL-64E")
    elevation_rad = np.radians(preset.channels.elevation_deg)
    (step,) = (LidarModel(load_config(config)).step(frame) for frame in frames([[]]))
    points = step.scans[0].cloud.points
    surface = points[points["origin"] == 0]
    distance_m = np.hypot(surface["x"], surface["y"])
    n_columns = preset.sweep().columns
    rings = [ring for ring in np.unique(surface["ring"]) if (surface["ring"] == ring).sum() > 20]
    at_m = np.array([np.median(distance_m[surface["ring"] == ring]) for ring in rings])
    seen = np.array([(surface["ring"] == ring).sum() / n_columns for ring in rings])
    assert (elevation_rad < 0).sum() > len(rings)  # the farthest ones see nothing of it
    told = (at_m > min(RECORDED)) & (at_m < max(RECORDED))  # the fan has few rings out there
    recorded = np.interp(at_m[told], list(RECORDED), list(RECORDED.values()))
    assert told.sum() > 8
    assert np.abs(seen[told] - recorded).max() < 0.1
