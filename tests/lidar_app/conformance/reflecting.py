# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A model that knows nothing of objects: each reflection that is strong enough is a detection."""

import math

from google.protobuf.message import DecodeError
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView

LIGHT_M_S = 299_792_458.0
WAVELENGTH_M = 905e-9
WEAKEST_DB = 10.0 * math.log10(0.349 / (math.pi * 70.0**2))
"""Of the sheet's concrete at its range."""


class Reflecting:
    """A subject of OSI messages alone; what it is told of a reflection can be misread.

    Parameters
    ----------
    sheet : DataSheet
        Its data sheet.
    ways : int
        By what it divides the way of the light.
    misread : callable, optional
        Changes the lidar_sensor_view into what it believes to see.
    """

    is_live = True

    def __init__(self, sheet, ways=2, misread=None):
        self._sheet, self._ways, self._misread = sheet, ways, misread

    def ask(self, _scene, questions):
        return [self._answer(each.data) for each in questions]

    def close(self):
        pass

    def _answer(self, data):
        try:
            view = SensorView.FromString(data)
        except DecodeError:
            return None
        if not view.lidar_sensor_view:
            return None
        answer, (seen,) = SensorData(), view.lidar_sensor_view
        answer.version.CopyFrom(view.version)
        for time in (answer.timestamp, answer.last_measurement_time):
            time.CopyFrom(view.timestamp)
        answer.sensor_id.CopyFrom(view.sensor_id)
        sensor = answer.feature_data.lidar_sensor.add()
        sensor.header.measurement_time.CopyFrom(view.timestamp)
        sensor.header.mounting_position.CopyFrom(seen.view_configuration.mounting_position)
        if self._misread is not None:
            self._misread(seen)
        self._detect(seen, sensor.detection)
        sensor.header.number_of_valid_detections = len(sensor.detection)
        return answer.SerializeToString()

    def _detect(self, seen, detections):
        frequency_hz = seen.view_configuration.emitter_frequency
        nearest_m, farthest_m = self._sheet.range_m
        for ray, found in zip(seen.view_configuration.directions, seen.reflection, strict=True):
            range_m = LIGHT_M_S * found.time_of_flight / self._ways
            if found.signal_strength < WEAKEST_DB or not nearest_m <= range_m <= farthest_m:
                continue
            one = detections.add()
            one.position.distance = range_m
            one.position.azimuth = math.atan2(ray.y, ray.x)
            one.position.elevation = math.asin(ray.z)
            one.object_id.CopyFrom(found.object_id)
            one.intensity = 100.0 * math.pi * 10.0 ** (0.1 * found.signal_strength)
            one.radial_velocity = LIGHT_M_S * found.doppler_shift / (2.0 * frequency_hz)
