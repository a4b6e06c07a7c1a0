# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A run of beams with footprints and receivers gives the same bytes, whoever runs it and how."""

import itertools
import json

import pytest
from osi3.osi_sensorview_pb2 import SensorView

from fmu_src.exporter import build_fmu
from osi_bridge import open_trace, write_trace
from osi_lidar import load_config
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.run.example_scene import street
from osi_lidar.run.fmu import fmu_run
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.threads import kernel_threads
from tests.commands import run
from tests.osi_lidar.run.cluster_helpers import assert_alike, everything
from tests.osi_lidar.run.ways import assert_answered_by_fmu, assert_goes_on, assert_streamed

N_FRAMES = 4
TRACE = f"20260101T000000Z_sv_380_7362_{N_FRAMES}_street.osi"
MOUNTING = {"x_m": 1.0, "z_m": 1.9}
EYE = {"kind": "camera", "width": 48, "height": 32, "horizontal_fov_deg": 40.0}
NOISY = {"range_sigma_m": 0.01, "azimuth_sigma_deg": 0.02, "drop_probability": 0.05}
SENSORS = [
    {
        "name": "roof",
        "preset": "VLP-16",
        "columns": 720,  # more beams than a block has
        "beam": {"refine": True},
        "returns": {"mode": "all", "max": 8, "reset": "threshold"},
        "receiver": {"false_alarm_probability": 1e-3, "sun_glare": True},
        "noise": {**NOISY, "line_of_sight": "ray"},
        "deskew": True,
        "mounting": MOUNTING,
    },
    {
        "name": "rate",
        "preset": "OS1-16",
        "columns": 512,
        "timing": "sensor_rate",
        "returns": {"mode": "last_strongest", "duplicates": True},
        "noise": {**NOISY, "line_of_sight": "readout"},
        "mounting": MOUNTING,
    },
    {
        "name": "eye",
        "pattern": EYE,
        "beam": {"divergence_deg": 0.5},
        "range_limit": {"pairs": [[10, 60], [80, 120]]},
        "mounting": MOUNTING,
    },
]


def in_sunshine(data):
    """Return a message with a low sun, which later messages without one keep."""
    view = SensorView.FromString(data)
    sun = view.global_ground_truth.environmental_conditions.sun
    sun.azimuth, sun.elevation, sun.intensity = 1.0, 0.15, 100_000.0
    return view.SerializeToString()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a trace of the street, at rest and driving, and a configuration."""
    folder, scenario = tmp_path_factory.mktemp("physical"), street()
    messages = itertools.islice(open_trace(scenario.trace), 0, 4 * N_FRAMES, 4)
    first, *others = [raw.data for raw in messages]
    write_trace(folder / TRACE, [in_sunshine(first), *others], message_type="SensorView")
    output = {"depth": "npy", "classification": "truth"}
    changes = {("sensors",): SENSORS, ("seed",): 7, ("output",): output}
    resolved = load_config(scenario.config, changes=changes).resolved()
    (folder / "config.yaml").write_text(json.dumps(resolved))  # which names files by whole paths
    return folder


@pytest.fixture(scope="module")
def whole(folder):
    """Return the folder of a physical replay in one go."""
    with kernel_threads(2):
        replay(FrameSource(folder / TRACE), physical(folder), folder / "whole")
    return folder / "whole"


def physical(folder):
    """Return the configuration with fidelity physical."""
    return load_config(folder / "config.yaml", fidelity="physical")


def clouds_of(out, sensor):
    return [read_pcd(path) for path in sorted((out / sensor).glob("*.pcd"))]


def test_the_run_has_all_that_a_physical_one_may_have(whole):
    content = json.loads((whole / "run.json").read_text())
    assert [each["fidelity"] for each in content["config"]["sensors"]] == ["physical"] * 3
    roof = clouds_of(whole, "roof")
    assert len(roof) == content["frames_read"] == N_FRAMES
    assert all(cloud["n_echoes"].max() > 1 for cloud in roof)
    alarms = N_FRAMES * 720 * 16 * 1e-3
    spurious = sum((cloud["origin"] == 2).sum() for cloud in roof)
    assert spurious > alarms + 4.0 * alarms**0.5, spurious  # so the sun has its share
    assert max(cloud["column"].max() for cloud in roof) == 719
    pairs = clouds_of(whole, "rate")
    assert len(pairs) >= 2
    assert all((cloud["n_echoes"] == 2).all() for cloud in pairs)
    assert all(set(cloud.dtype.names) >= {"snr", "width_m", "origin"} for cloud in roof + pairs)
    assert list((whole / "eye").glob("*.npy"))


def test_the_number_of_threads_does_not_matter(folder, whole, tmp_path):
    with kernel_threads(1):
        replay(FrameSource(folder / TRACE), physical(folder), tmp_path / "out")
    assert_alike(tmp_path / "out", whole)


@pytest.mark.parametrize("n_frames", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_a_run_that_was_cut_goes_on(folder, whole, tmp_path, n_frames):
    assert_goes_on(folder / TRACE, physical(folder), whole, tmp_path / "out", n_frames)


@pytest.fixture(scope="module")
def ideal_fmu(folder):
    return build_fmu(config=folder / "config.yaml", out=folder)[0].path


@pytest.mark.parametrize("fidelity", ["ideal", "physical"])
def test_an_fmu_gives_the_same_messages(folder, whole, ideal_fmu, tmp_path, fidelity):
    chosen = {} if fidelity == "ideal" else {"fidelity": fidelity}
    report = fmu_run(ideal_fmu, folder / TRACE, tmp_path / "fmu", parameters=chosen)
    if fidelity == "ideal":
        whole = tmp_path / "ideal"
        replay(FrameSource(folder / TRACE), load_config(folder / "config.yaml"), whole)
    assert_answered_by_fmu(report, whole)


def test_a_stream_gives_the_same_messages(folder, whole):
    """Also when its source is connected anew."""
    assert_streamed(folder / TRACE, physical(folder), whole)


def test_another_seed_changes_clouds_and_depth_images(folder, whole, tmp_path):
    seeded = physical(folder).model_copy(update={"seed": 8})
    replay(FrameSource(folder / TRACE), seeded, tmp_path / "out")
    got, before = everything(tmp_path / "out"), everything(whole)
    assert sorted(got) == sorted(before)
    written = [name for name in got if name.endswith((".pcd", ".npy"))]
    assert any(name.endswith(".npy") for name in written)
    assert [name for name in written if got[name] == before[name]] == []


def test_a_sensor_makes_the_same_noise_beside_others(folder, whole, tmp_path):
    alone = physical(folder)
    alone = alone.model_copy(update={"sensors": alone.sensors[:1]})
    alone = alone.model_copy(update={"output": alone.output.model_copy(update={"depth": "none"})})
    replay(FrameSource(folder / TRACE), alone, tmp_path / "out")
    got, before = everything(tmp_path / "out"), everything(whole)
    clouds = [name for name in before if name.startswith("roof/")]
    assert len(clouds) >= 2 * N_FRAMES
    assert [name for name in clouds if got[name] != before[name]] == []


def test_fidelity_ideal_is_the_same_as_no_option(folder, tmp_path):
    """Of the street as it is bundled, without a key of a beam or a receiver."""
    scenario = street()
    common = (folder / TRACE, "--config", scenario.config)
    for name, option in (("none", ()), ("ideal", ("--fidelity", "ideal"))):
        result = run("replay", *common, *option, "--out", tmp_path / name)
        assert result.exit_code == 0, result.output
    assert_alike(tmp_path / "ideal", tmp_path / "none")
    (first, *_) = clouds_of(tmp_path / "ideal", "roof")
    assert not set(first.dtype.names) & {"echo", "n_echoes", "snr", "width_m", "origin"}
