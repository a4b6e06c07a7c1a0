# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Visual materials that no rule maps, where there is no default."""

import logging

from fmu_src.errors import InitializationError
from fmu_src.sensor import OsmpLidar
from tests.builders.meshes import write_cube
from tests.builders.messages import ahead, host, message
from tests.builders.refusals import one_line
from tests.builders.worlds import write_config
from tests.fmu.driving import DATA, STEP_S, VIEW

NULL = {"default": None}
REFUSED = "car.obj: visual material 'Paint' has no infrared material (no rule matches it)"


def sensor_of(config, log):
    return OsmpLidar(
        instance_name="lidar",
        packed=config,
        start={},
        log=lambda level, text: log.append((level, text)),
    )


def test_an_unmapped_environment_ends_initialization(tmp_path):
    mesh = write_cube(tmp_path / "car.obj")
    scene = {"environment": [{"mesh": str(mesh), "up": "z"}], "ground": "none"}
    config = write_config(tmp_path, scene=scene, materials=NULL)
    with one_line(InitializationError, start=REFUSED):
        sensor_of(config, []).initialize()


def test_a_step_whose_message_names_an_unmapped_mesh_is_not_valid(tmp_path):
    write_cube(tmp_path / "models" / "car.obj")
    log, scene = [], {"search": [str(tmp_path / "models")]}
    sensor = sensor_of(write_config(tmp_path, scene=scene, materials=NULL), log)
    sensor.initialize()
    for index in range(2):
        sensor.put(VIEW, message([host(), ahead(reference="car.obj")], time_s=0.1 * index))
        sensor.step(index * STEP_S, STEP_S)
        assert not sensor.get("valid")
        assert sensor.pointer(DATA).read() == b""
    (line,) = [text for level, text in log if level == logging.WARNING]
    assert line.startswith(REFUSED)
    sensor.close()
