# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Encoding of SensorData, compared with protobuf's object API and with tracing the scan.

python benchmarks/encoding.py [--runs N]
"""

from dataclasses import replace

from measure import alternate, main, ratio_row
from osi3.osi_sensordata_pb2 import SensorData
from scenes import AT_AN_INSTANT, crowd_frames, crowd_model
from tracing import Scan

from osi_bridge import (
    Detections,
    LidarBlock,
    MountingPosition,
    encode_detections,
    encode_sensor_data,
)

TITLE = "SensorData of 65 000 detections"
ABOUT = """\
An OS1-128 at 1024 columns, 0.8 m above the ground among 100 cars, sees that many points. Each has
distance, azimuth, elevation, intensity, reflectivity, object, beam and probability. protobuf's
object API is used in its fastest form: plain Python floats, attributes set one by one,
`SerializeToString`. Both ways are checked to give the same message."""
N_DETECTION = 65_000
TIME_NS = 1_500_000_000
COLUMNS = ("beam_index", "range_m", "intensity_percent", "reflectivity", "object_id")


def detections_of(cloud):
    """Return the detections of a cloud, each by its beam and its range along the beam."""
    points = cloud.points
    return Detections(
        beam_index=cloud.beam,
        range_m=points["range"],
        intensity_percent=points["intensity"],
        reflectivity=points["reflectivity"],
        object_id=cloud.object_id,
    )


def first_of(detections, n):
    """Return the first n detections."""
    return replace(detections, **{name: getattr(detections, name)[:n] for name in COLUMNS})


class Message:
    """One SensorData message, which can be encoded in two ways.

    Parameters
    ----------
    detections : Detections
        The detections.
    pattern : ScanPattern
        The pattern of the beams.
    """

    def __init__(self, detections, pattern):
        self._detections, self._pattern = detections, pattern

    def by_encoder(self, _number=0):
        """Encode the message with the model's encoder; return its bytes."""
        block = LidarBlock(
            sensor_id=0,
            mounting=MountingPosition(),
            measurement_time_ns=TIME_NS,
            cycle_counter=0,
            n_detections=len(self._detections),
            encoded=encode_detections(
                self._detections,
                azimuth_rad=self._pattern.azimuth_rad,
                elevation_rad=self._pattern.elevation_rad,
            ),
        )
        return encode_sensor_data(
            time_ns=TIME_NS, last_measurement_time_ns=TIME_NS, sensors=[block]
        )

    def by_objects(self, _number=0):
        """Encode the message with protobuf's object API; return its bytes."""
        beams = self._detections.beam_index
        message = SensorData.FromString(self._empty())
        add = message.feature_data.lidar_sensor[0].detection.add
        angles = (self._pattern.azimuth_rad, self._pattern.elevation_rad)
        columns = [getattr(self._detections, name) for name in COLUMNS]
        columns += [each[beams] for each in angles]
        rows = zip(*(column.tolist() for column in columns), strict=True)
        for beam, range_m, intensity, reflectivity, object_id, azimuth, elevation in rows:
            detection = add()
            detection.existence_probability = 1.0
            detection.object_id.value = object_id
            position = detection.position
            position.distance, position.azimuth, position.elevation = range_m, azimuth, elevation
            detection.intensity = intensity
            detection.reflectivity = reflectivity
            detection.beam_id.value = beam
        return message.SerializeToString()

    def _empty(self):
        """Return the bytes of the message without its detections."""
        whole = SensorData.FromString(
            Message(first_of(self._detections, 1), self._pattern).by_encoder()
        )
        sensor = whole.feature_data.lidar_sensor[0]
        sensor.header.number_of_valid_detections = len(self._detections)
        del sensor.detection[:]
        return whole.SerializeToString()


def check_equal(message):
    """Raise RuntimeError if the two ways give different messages."""
    ours, theirs = map(SensorData.FromString, (message.by_encoder(), message.by_objects()))
    if ours != theirs:
        raise RuntimeError(
            "the message of our encoder differs from the message of protobuf's objects"
        )


def measure(runs):
    """Return the rows of this topic's table."""
    model = crowd_model({**AT_AN_INSTANT, "mounting": {"x_m": 1.0, "z_m": 0.8}})
    model.step(*crowd_frames([0], 100))
    lidar = model.lidars[0]
    detections = detections_of(model.last_scans[lidar.name].cloud)
    if len(detections) < N_DETECTION:
        raise RuntimeError(
            f"the scan has {len(detections)} detections, expected at least {N_DETECTION}"
        )
    message = Message(first_of(detections, N_DETECTION), lidar.pattern)
    check_equal(message)
    calls = {
        "encoder": message.by_encoder,
        "objects": message.by_objects,
        "tracing": Scan(model, runs + 2).trace,
    }
    times = alternate(calls, runs=runs)
    return [
        ratio_row(
            "protobuf's objects / encoder", times, "objects", "encoder", goal=30.0, at_least=True
        ),
        ratio_row("encoder / tracing of the scan", times, "encoder", "tracing", goal=0.6),
    ]


if __name__ == "__main__":
    main(TITLE, ABOUT, measure)
