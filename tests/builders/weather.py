# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensors in weather: their points, and what these are of."""

import math

from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import FrameDecoder
from osi_lidar.clouds.origins import ORIGINS
from tests.builders.beams import beams_at, cloud_of, plate
from tests.builders.messages import Thing, host, message

SURFACE, GHOST, FALSE_ALARM, FOG, RAIN, SNOW, SPRAY, DUST = range(len(ORIGINS))
FILLS_THE_AIR = {"rain_mm_h": 10.0, "snow_mm_h": 2.0, "visibility_m": 100.0}
"""Fields of `Weather` that are something in the air, each with a value."""
PUCK = {
    "beam": {
        "divergence_deg": [math.degrees(3.0e-3), math.degrees(1.5e-3)],
        "window_m": [12.8e-3, 9.6e-3],
        "width": "e2",
    },
    "range_limit": {"equation": {"pairs": [[100, 130]]}},
    "receiver": {"amplitude_noise": False, "near_range_m": 8.3},
    "max_range_m": 60.0,
    "min_range_m": 0.5,
}
"""As a VLP-16 whose receiver is blind for the growth of echoes nearer than 8.3 m."""
SHORT_PULSE = {"pulse": {"fwhm_ns": 0.1}}
"""A pulse that hides nothing before a wall."""


def model_in(weather, folder, surfaces=(), **sensor):
    """Return a model in some weather; without surfaces beams meet the sky."""
    model = beams_at(folder, [*surfaces] or [((plate(190.0)), 0.0)], **sensor)
    model.world.sky.weather = weather
    return model


def scan_in(weather, folder, surfaces=(), n_scans=1, **sensor):
    """Return the points of a scan in some weather; without surfaces beams meet the sky."""
    return cloud_of(model_in(weather, folder, surfaces, **sensor), n_scans).points


def of(origin, points):
    """Return the points of one origin."""
    return points[points["origin"] == origin]


def passing(n, *, km_h=100.0, step_s=0.1, start_s=0.0, from_m=5.0, host_id=1):
    """Return messages in which a car drives away from a host at rest, on its lane."""
    m_s = km_h / 3.6
    messages = []
    for index in range(n):
        time_s = start_s + step_s * index
        car = Thing(2, (from_m + m_s * step_s * index, 0.0, 0.75))
        view = SensorView.FromString(message([host(), car], time_s, host_id=host_id))
        view.global_ground_truth.moving_object[1].base.velocity.x = m_s
        messages.append(view.SerializeToString())
    return messages


def decoded(messages):
    """Return the frames of messages, one decoder for all of them."""
    decoder = FrameDecoder("SensorView")
    return [decoder.decode(data, index) for index, data in enumerate(messages)]
