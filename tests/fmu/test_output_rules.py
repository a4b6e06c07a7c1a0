# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The field rules of the examples hold for what the model answers, and would notice if not."""

import operator

import pytest
import yaml
from osi3 import osi_common_pb2, osi_featuredata_pb2, osi_sensordata_pb2, osi_version_pb2
from osi3.osi_sensordata_pb2 import SensorData

from osi_lidar.config import Config
from osi_lidar.model import LidarModel
from tests.builders.messages import ahead, frames, host
from tests.fmu.driving import EXAMPLES

FILES = sorted((EXAMPLES / "rules" / "output_rules").glob("*.yml"))
RULES = {name: rules for file in FILES for name, rules in yaml.safe_load(file.read_text()).items()}
DEFINED_IN = (osi_common_pb2, osi_featuredata_pb2, osi_sensordata_pb2, osi_version_pb2)
COMPARED = {
    "is_equal_to": operator.eq,
    "is_greater_than_or_equal_to": operator.ge,
    "is_less_than_or_equal_to": operator.le,
}


def present(message, field):
    """Return the values of a field that is there: of a repeated one, all of them."""
    value = getattr(message, field.name)
    if field.is_repeated:
        return list(value)
    return [value] if message.HasField(field.name) else []


def violations(message, path=""):
    """Yield path and rule of every field that breaks a rule, as OSI Validator reads them."""
    rules = RULES.get(message.DESCRIPTOR.name, {})
    for field in message.DESCRIPTOR.fields:
        at, values = f"{path}.{field.name}", present(message, field)
        for rule in rules.get(field.name) or ():
            ((name, limit),) = rule.items()
            if name == "is_set" and not values:
                yield f"{at}: is_set"
            elif name != "is_set" and not all(COMPARED[name](value, limit) for value in values):
                yield f"{at}: {name} {limit}"
        if field.message_type is not None:
            for value in values:
                yield from violations(value, at)


@pytest.fixture(scope="module", params=["ideal", "physical"])
def answers(request):
    sensor = {"name": "lidar", "preset": "VLP-16", "columns": 90, "fidelity": request.param}
    model = LidarModel(Config(sensors=[sensor]))
    return [model.step(frame).sensor_data for frame in frames([[host(), ahead()], [], [host()]])]


def test_rules_name_messages_and_fields_of_osi():
    for name, rules in RULES.items():
        (message,) = [getattr(file, name) for file in DEFINED_IN if hasattr(file, name)]
        assert set(rules) <= {field.name for field in message.DESCRIPTOR.fields}


def test_every_field_of_an_answer_has_its_place_in_the_rules(answers):
    """A field that the model begins to fill is to be added to the rules."""

    def unknown(message):
        for field, _ in message.ListFields():
            if field.name not in RULES[message.DESCRIPTOR.name]:
                yield f"{message.DESCRIPTOR.name}.{field.name}"
            if field.message_type is not None:
                for value in present(message, field):
                    yield from unknown(value)

    assert not set(unknown(SensorData.FromString(answers[0])))


def test_answers_keep_the_rules(answers):
    for data in answers:
        assert not set(violations(SensorData.FromString(data)))


def test_what_is_missing_or_out_of_bounds_is_found(answers):
    message = SensorData.FromString(answers[0])
    message.ClearField("last_measurement_time")
    lidar = message.feature_data.lidar_sensor[0]
    lidar.header.ClearField("cycle_counter")
    lidar.detection[5].intensity = 101.0
    lidar.detection[7].ClearField("beam_id")
    assert set(violations(message)) == {
        ".last_measurement_time: is_set",
        ".feature_data.lidar_sensor.header.cycle_counter: is_set",
        ".feature_data.lidar_sensor.detection.intensity: is_less_than_or_equal_to 100",
        ".feature_data.lidar_sensor.detection.beam_id: is_set",
    }
