# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Build FMUs of small configurations, and compare them with the model itself."""

import pytest
import yaml

from fmu_src.errors import BuildError
from fmu_src.exporter import build_fmu
from osi_bridge import FrameDecoder
from osi_lidar.config import load_config
from osi_lidar.model import LidarModel
from tests.builders.clouds import points_of, reflectance
from tests.builders.messages import host, message
from tests.fmu.driving import running, step, without_times
from tests.fmu.kinds import contents


def rule(mesh, number=2, **more):
    return {"match": {"id": number}, "mesh": str(mesh), "fit": True, **more}


def three_messages(things):
    return [message([host(x_m=0.1 * i), *things], time_s=0.1 * i) for i in range(3)]


def packed(config):
    """Build FMUs of FMI 2.0 and 3.0, and take the files away that they were built from."""
    built = build_fmu(config=config, out=config.parents[1] / "fmu", fmi="both")
    config.parent.rename(config.parents[1] / "gone")
    return [each.path for each in built]


def run_both(config, things, log=None, *, with_fmi3=False):
    """Run model and FMU, assert that they say the same, and return the model's last step.

    The FMU of FMI 3.0 is to hold the same scenario as that of FMI 2.0, which runs; the other one
    only if it is asked for.
    """
    messages = three_messages(things)
    model, decoder = LidarModel(load_config(config)), FrameDecoder("SensorView")
    steps = [model.step(decoder.decode(data, index)) for index, data in enumerate(messages)]
    fmu_file, other = packed(config)
    assert scenario_files(other) == scenario_files(fmu_file)
    expected = [each.sensor_data for each in steps]
    for each in [fmu_file, other] if with_fmi3 else [fmu_file]:
        with running(each, log) as fmu:
            answers = [step(fmu, data, index) for index, data in enumerate(messages)]
        assert list(map(without_times, answers)) == list(map(without_times, expected))
    return steps[-1]


def seen(config, things, number=2):
    """Return the reflectance of an object that model and FMU agree on."""
    return reflectance(points_of(run_both(config, things), number))


def scenario_files(fmu):
    """Return what the files of the packed scenario hold, by their names."""
    folder = "resources/scenario/"
    return {
        name.removeprefix(folder): data for name, data in contents(fmu).items() if folder in name
    }


def scenario_of(fmu):
    """Return the packed configuration, and the names of the files beside it."""
    files = scenario_files(fmu)
    return yaml.safe_load(files.pop("config.yaml")), set(files)


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
