# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The reflections of a step as an OSI SensorView, for models that process signals themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from osi_bridge import LidarView, Reflections, encode_sensor_view
from osi_lidar.scan.response import no_points

if TYPE_CHECKING:
    from osi_bridge import MessageType
    from osi_lidar.model import LidarModel
    from osi_lidar.scan.response import Cloud

SPEED_OF_LIGHT_M_S = 299_792_458.0
"""In vacuum. [m/s]"""


def sensor_view_of(model: LidarModel, data: bytes, message_type: MessageType) -> bytes:
    """Return the message that the model has answered last, with a reflection for each point.

    Parameters
    ----------
    model : LidarModel
        The model.
    data : bytes
        The message.
    message_type : str
        "SensorView" or "GroundTruth".

    Raises
    ------
    UndecodableMessage
        `data` is not a message of this type.
    """
    views = [
        LidarView(
            sensor_id=number,
            mounting=lidar.mounting,
            direction=lidar.pattern.direction,
            reflections=_reflections(model.last_cloud(lidar.name) or no_points()),
        )
        for number, lidar in enumerate(model.lidars)
    ]
    return encode_sensor_view(data, message_type, views)


def _reflections(cloud: Cloud) -> Reflections:
    """Return what a receiver of 1 m2 without losses would get from a cloud's points.

    Ranges are the true ones: a sensor's errors arise where such signals are processed.

    Notes
    -----
    A Lambertian target of reflectivity R that is larger than the beam sends the power
    P_tx R A / (pi r^2) into an aperture A at the range r (the lidar equation; Rott et al. 2024,
    equation 1, without atmosphere).
    """
    points = cloud.points
    measured_m = points["range"] if cloud.true_range_m is None else cloud.true_range_m
    range_m = measured_m.astype(np.float64)
    with np.errstate(divide="ignore"):  # a reflectivity of 0 gives no signal
        gain = np.maximum(points["reflectivity"] / (np.pi * range_m**2), 1e-30)
    return Reflections(
        beam_index=cloud.beam,
        strength_db=10.0 * np.log10(gain),
        time_s=2.0 * range_m / SPEED_OF_LIGHT_M_S,
        normal=np.stack([points[f"normal_{axis}"] for axis in "xyz"], axis=1),
        object_id=cloud.object_id,
    )
