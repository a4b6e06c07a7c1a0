# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Classification of the detections in SensorData: unknown, or what is true."""

import numpy as np
import pytest
from osi3 import osi_featuredata_pb2
from osi3.osi_sensordata_pb2 import SensorData

from osi_bridge import DetectionClass
from osi_lidar import LidarModel, load_config
from osi_lidar.config import Config
from osi_lidar.errors import ConfigurationError
from tests.builders.meshes import quad
from tests.builders.messages import frames
from tests.builders.worlds import FAN, SENSOR, model_before

NOISY = {"receiver": {"false_alarm_probability": 0.1}}
HALF_SIDE = [(5.0, -100.0, -100.0), (5.0, 0.0, -100.0), (5.0, 0.0, 2.0), (5.0, -100.0, 2.0)]
"""A mirror to the right, above which there is sky."""


@pytest.fixture
def model(tmp_path):
    """Return a noisy model before a mirror, a wall behind it, and one that the mirror shows."""
    far = [(20.0, 0.0, -100.0), (20.0, 100.0, -100.0), (20.0, 100.0, 2.0), (20.0, 0.0, 2.0)]
    surfaces = [(HALF_SIDE, "Mirror"), (far, "Wall"), (quad(-10.0, 0.0, 100.0), "Wall")]
    return model_before(tmp_path, surfaces, **FAN, **NOISY)


def scanned(model, classification=None):
    """Return cloud and detections of one scan with a choice of ``output.classification``."""
    output = {} if classification is None else {"classification": classification}
    config = Config.model_validate({**model.config.resolved(), "output": output})
    (frame,) = frames([[]], host_id=None)
    step = LidarModel(config).step(frame)
    (lidar,) = SensorData.FromString(step.sensor_data).feature_data.lidar_sensor
    return step.scans[0].cloud, lidar.detection


def test_the_members_are_those_of_osi():
    of_osi = osi_featuredata_pb2.DetectionClassification
    for member in DetectionClass:
        assert of_osi.Value(f"DETECTION_CLASSIFICATION_{member.name}") == member


def test_false_alarms_and_ghosts_are_invalid(model):
    cloud, detections = scanned(model, "truth")
    origin = cloud.points["origin"]
    assert (np.bincount(origin) > 50).all()
    assert len(np.bincount(origin)) == 3
    found = np.array([each.classification for each in detections])
    expected = np.array([DetectionClass.UNKNOWN, DetectionClass.INVALID, DetectionClass.INVALID])
    np.testing.assert_array_equal(found, expected[origin])
    assert all(each.HasField("classification") for each in detections)


def test_by_default_detections_have_no_classification(model):
    cloud, detections = scanned(model)
    assert not any(each.HasField("classification") for each in detections)
    of_truth, classified = scanned(model, "truth")
    assert of_truth.points.tobytes() == cloud.points.tobytes()
    for each in classified:
        each.ClearField("classification")
    assert list(classified) == list(detections)
    assert list(scanned(model, "unknown")[1]) == list(detections)


def test_truth_needs_a_receiver(tmp_path):
    file = tmp_path / "config.yaml"
    file.write_text(SENSOR + "output: {classification: truth}\n")
    with pytest.raises(ConfigurationError) as raised:
        load_config(file)
    assert str(raised.value).endswith(
        "output.classification: got truth, but no sensor has a receiver; set fidelity: physical or "
        "a section receiver"
    )
