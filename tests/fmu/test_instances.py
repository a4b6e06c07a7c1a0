# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Instances in one process do not know of each other, and can be dropped in any state."""

import gc
import weakref

import pytest

from osi_lidar.model import LidarModel
from osi_lidar.run.fmu import Fmu
from tests.builders.messages import moving
from tests.fmu.driving import parsed, running, step

MESSAGES = moving(4)


def two_fmus(folder, way):
    built = []
    for number, preset in enumerate(("VLP-16", "HDL-32E")):
        config = folder / f"{number}.yaml"
        config.write_text(f"sensors: [{{preset: {preset}, columns: 180}}]\nseed: {number}\n")
        built.append(way.build(config=config, out=folder / str(number)))
    return built


@pytest.mark.core
def test_two_fmus_in_one_process_keep_their_own_configurations(tmp_path, way):
    first, second = two_fmus(tmp_path, way)
    with running(first) as a:
        alone = [step(a, data, n) for n, data in enumerate(MESSAGES)]
    with running(first) as a, running(second) as b:
        assert (a.get("preset"), b.get("preset")) == ("VLP-16", "HDL-32E")
        assert (a.get("seed"), b.get("seed")) == (0, 1)
        both = [(step(a, data, n), step(b, data, n)) for n, data in enumerate(MESSAGES)]
    assert [mine for mine, _ in both] == alone
    assert all(mine != other for mine, other in both)


@pytest.mark.core
def test_two_instances_of_one_fmu_see_their_own_worlds(small_fmu, tmp_path):
    folders = {"pcd_folder": str(tmp_path)}
    with (
        Fmu(small_fmu, instance_name="left") as left,
        Fmu(small_fmu, instance_name="right") as right,
    ):
        left.initialize(folders)
        right.initialize({**folders, "mounting_z_m": 2.5})
        answers = [
            (parsed(step(left, MESSAGES[n], n)), parsed(step(right, MESSAGES[-1 - n], n)))
            for n in range(4)
        ]
    for mine, other in answers:
        heights = [
            data.feature_data.lidar_sensor[0].header.mounting_position.position.z
            for data in (mine, other)
        ]
        assert heights == [1.9, 2.5]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["left", "right"]


@pytest.mark.core
def test_reset_in_mid_run_starts_again(small_fmu, tmp_path):
    folder = tmp_path / "trace"
    with running(small_fmu, trace_folder=str(folder)) as fmu:
        first = [step(fmu, data, n) for n, data in enumerate(MESSAGES)]
        fmu.reset()
        assert len(list((folder / "lidar").glob("*.osi"))) == 1  # the first run's, complete
        fmu.initialize()
        assert [step(fmu, data, n) for n, data in enumerate(MESSAGES)] == first


@pytest.mark.core
def test_instances_can_be_freed_reset_and_terminated_in_every_state(small_fmu):
    def initialized(fmu):
        fmu.initialize()

    def stepped(fmu):
        fmu.initialize()
        step(fmu, MESSAGES[0])

    def terminated(fmu):
        stepped(fmu)
        fmu.terminate()

    for reach in (lambda _: None, initialized, stepped, terminated):
        for end in (lambda _: None, Fmu.terminate, Fmu.reset):
            with Fmu(small_fmu) as fmu:
                reach(fmu)
                end(fmu)
    with running(small_fmu) as fmu:  # and nothing is left behind in the process
        assert step(fmu, MESSAGES[0])


def test_freed_instance_gives_its_model_back_at_once(small_fmu, monkeypatch):
    models = []
    build = LidarModel.__init__

    def noted(self, *arguments, **options):
        models.append(weakref.ref(self))
        build(self, *arguments, **options)

    monkeypatch.setattr(LidarModel, "__init__", noted)
    gc.disable()
    try:
        with running(small_fmu) as fmu:
            step(fmu, MESSAGES[0])
            assert models[0]() is not None
        assert models[0]() is None
    finally:
        gc.enable()


def test_many_instances_leave_python_as_it_was(small_fmu):
    import sys

    for _ in range(5):
        with running(small_fmu) as fmu:
            assert step(fmu, MESSAGES[0])
        gc.collect()
    folders = [path for path in sys.path if "osi_lidar_fmu_" in path]
    assert len(folders) == len(set(folders))
