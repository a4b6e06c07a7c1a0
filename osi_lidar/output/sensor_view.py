# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""LidarSensorView: the reflections of a step, for models that process signals themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from osi_bridge import LidarView, Reflections, encode_sensor_view

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_bridge import MessageType
    from osi_lidar.model import LidarModel
    from osi_lidar.scan.lidar import Lidar
    from osi_lidar.scan.step import LastScan

SPEED_OF_LIGHT_M_S = 299_792_458.0
"""In vacuum. [m/s]"""


def sensor_view_of(model: LidarModel, data: bytes, message_type: MessageType) -> bytes:
    """Return the message that the model answered last, as a SensorView with added reflections.

    The SensorView is serialised. Reflections are the returns before any receiver. Models that
    process them add the range limits and the errors of their sensor, such as dropouts.

    Parameters
    ----------
    model : LidarModel
        The model.
    data : bytes
        The message that the model answered last.
    message_type : str
        "SensorView" or "GroundTruth".

    Raises
    ------
    UndecodableMessage
        If `data` is not a message of this type.
    """
    return encode_sensor_view(data, message_type, lidar_views(model))


def lidar_views(model: LidarModel) -> list[LidarView]:
    """Return mounting, beams and last reflections of each sensor of a model.

    Parameters
    ----------
    model : LidarModel
        The model, with the last scan of each sensor.

    Returns
    -------
    list of LidarView
        One for each sensor, in the order of the configuration; its ``sensor_id`` is its place, from
        0. A sensor that has not completed a scan has no reflections yet.
    """
    return [
        LidarView(
            sensor_id=number,
            mounting=lidar.mounting,
            direction=_directions(lidar),
            reflections=_reflections(lidar, model.last_scans.get(lidar.name)),
        )
        for number, lidar in enumerate(model.lidars)
    ]


def _directions(lidar: Lidar) -> NDArray[np.float32]:
    """Return the directions of all rays without errors, float32 (n_ray, 3)."""
    if lidar.shots.n_sub == 1:
        return lidar.pattern.direction
    return np.ascontiguousarray(lidar.shots.rays().direction.T)


def _reflections(lidar: Lidar, last: LastScan | None) -> Reflections:
    """Return the signals of the returns at a lossless receiver of 1 m2.

    Notes
    -----
    A Lambertian target of reflectivity R that is larger than the beam sends the power
    P_tx R A / (pi r^2) into an aperture A at the range r (the lidar equation; Rott et al. 2024,
    equation 1, without atmosphere).
    """
    if last is None or last.scanned is None:
        return NO_REFLECTIONS
    scanned = last.scanned
    returns, hits = lidar.executor.returns_of(scanned.echoes), scanned.paths.hits
    range_m = returns.range_m.astype(np.float64)
    with np.errstate(divide="ignore"):  # a range of 0
        strength = returns.strength.astype(np.float32)
        gain = np.maximum(strength / (np.pi * range_m**2), 1e-30)
    object_of_instance = scanned.exposure.surfaces.object_of_instance
    return Reflections(
        beam_index=returns.shot,  # a ray of its own for each sub-ray of a beam
        strength_db=10.0 * np.log10(gain),
        time_s=2.0 * range_m / SPEED_OF_LIGHT_M_S,
        normal=hits.normal[:, returns.shot].T,
        object_id=object_of_instance[hits.instance[returns.shot]],
    )


NO_REFLECTIONS = Reflections(
    beam_index=np.empty(0, np.uint32),
    strength_db=np.empty(0),
    time_s=np.empty(0),
    normal=np.empty((0, 3), np.float32),
    object_id=np.empty(0, np.uint64),
)
"""Returns of a sensor before its first scan is complete."""
