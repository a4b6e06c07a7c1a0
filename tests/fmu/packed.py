# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Build FMUs of small configurations, and compare them with the model itself."""

import zipfile

import pytest
import yaml

from fmu_src.errors import BuildError
from fmu_src.exporter import build_fmu
from osi_bridge import FrameDecoder
from osi_lidar.config import load_config
from osi_lidar.model import LidarModel
from tests.builders.clouds import points_of, reflectance
from tests.builders.messages import host, message
from tests.fmu.driving import direct, running, step, without_times


def rule(mesh, number=2, **more):
    return {"match": {"id": number}, "mesh": str(mesh), "fit": True, **more}


def three_messages(things):
    return [message([host(x_m=0.1 * i), *things], time_s=0.1 * i) for i in range(3)]


def packed(config):
    """Build FMUs of FMI 2.0 and 3.0, and take the files away that they were built from."""
    built = build_fmu(config=config, out=config.parents[1] / "fmu", fmi="both")
    config.parent.rename(config.parents[1] / "gone")
    return [each.path for each in built]


def run_both(config, things, log=None):
    """Run model and FMUs, assert that they say the same, and return the model's last step."""
    messages = three_messages(things)
    expected = direct(load_config(config), messages)
    model, decoder = LidarModel(load_config(config)), FrameDecoder("SensorView")
    last = model.step(decoder.decode(messages[-1], 0))
    for fmu_file in packed(config):
        with running(fmu_file, log) as fmu:
            answers = [step(fmu, data, index) for index, data in enumerate(messages)]
        assert list(map(without_times, answers)) == list(map(without_times, expected))
    return last


def seen(config, things, number=2):
    """Return the reflectance of an object that model and FMU agree on."""
    return reflectance(points_of(run_both(config, things), number))


def scenario_of(fmu):
    """Return the packed configuration, and the names of the files beside it."""
    with zipfile.ZipFile(fmu) as archive:
        folder = "resources/scenario/"
        names = {name.removeprefix(folder) for name in archive.namelist() if folder in name}
        content = yaml.safe_load(archive.read(f"{folder}config.yaml"))
    return content, names - {"config.yaml"}


def texts_in(value):
    if isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts_in(each)
    elif isinstance(value, str):
        yield value


def one_line(config, *words, error=BuildError):
    with pytest.raises(error) as caught:
        build_fmu(config=config, out=config.parents[1] / "fmu")
    text = str(caught.value)
    assert "\n" not in text
    for word in words:
        assert str(word) in text, text
