# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A run in rain, patches of fog, dust and spray gives the same bytes, whoever runs it and how."""

import json

import numpy as np
import pytest
from osi3.osi_environment_pb2 import EnvironmentalConditions
from osi3.osi_sensorview_pb2 import SensorView

from fmu_src.exporter import build_fmu
from osi_bridge import open_trace, write_trace
from osi_lidar import load_config
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.run.fmu import fmu_run
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.lanes import with_films
from tests.builders.threads import kernel_threads
from tests.builders.weather import DUST, FOG, GHOST, RAIN, SPRAY, SURFACE, passing
from tests.osi_lidar.run.cluster_helpers import assert_alike
from tests.osi_lidar.run.ways import (
    assert_answered_by_fmu,
    assert_goes_on,
    assert_later_frames_alike,
    assert_streamed,
)

pytestmark = pytest.mark.long
N_FRAMES = 8
TRACE = f"20260101T000000Z_sv_380_7362_{N_FRAMES}_storm.osi"
ALL = {"fidelity": "physical", "mounting": {"x_m": 1.0, "z_m": 1.9}}
NEAR = {**ALL, "preset": "VLP-16", "columns": 720, "returns": {"mode": "all", "max": 8}}
SENSORS = [
    {"name": "roof", **NEAR, "beam": {"refine": True}},  # more beams than a block has
    {"name": "calm", **NEAR, "columns": 180, "receiver": {"amplitude_noise": False}},
    {"name": "rate", **ALL, "preset": "OS1-16", "columns": 512, "timing": "sensor_rate"},
]
DUSTY = {"center_m": [9.0, -4.0, 1.0], "size_m": [3.0, 2.0, 3.0], "visibility_m": 10.0}
EXHAUST = {"behind": "vehicles", "size_m": [4.0, 2.5, 2.0], "visibility_m": 20.0}
PATCHY = {"visibility_m": 90.0, "patches": {"size_m": 8.0, "contrast": 0.6}}
WEATHER = {"dust": [DUSTY, EXHAUST], "fog": PATCHY, "wind_m_s": [4.0, -3.0]}


def stormy(data):
    """Return a message with fog, rain and lanes of two films, which later messages keep."""
    view = SensorView.FromString(with_films(data, [0.2, 1.0]))
    stated = view.global_ground_truth.environmental_conditions
    stated.precipitation = EnvironmentalConditions.PRECIPITATION_VERY_HEAVY
    stated.fog = EnvironmentalConditions.FOG_THICK
    return view.SerializeToString()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a trace and a configuration."""
    folder = tmp_path_factory.mktemp("storm")
    first, *others = passing(N_FRAMES)
    write_trace(folder / TRACE, [stormy(first), *others], message_type="SensorView")
    sections = {"sensors": SENSORS, "weather": WEATHER, "seed": 7}
    sections["scene"] = {"shapes": "box", "roads": False}  # lanes on a plane
    (folder / "config.yaml").write_text(json.dumps(sections))
    return folder


def configured(folder):
    return load_config(folder / "config.yaml")


@pytest.fixture(scope="module")
def whole(folder):
    """Return the folder of a replay in one go."""
    with kernel_threads(2):
        replay(FrameSource(folder / TRACE), configured(folder), folder / "whole")
    return folder / "whole"


def origins(out, sensor):
    """Return the origins of all points of a sensor."""
    clouds = [read_pcd(path) for path in sorted((out / sensor).glob("*.pcd"))]
    return {int(each) for cloud in clouds for each in np.unique(cloud["origin"])}


def test_the_run_has_all_that_weather_makes(whole):
    assert origins(whole, "roof") >= {SURFACE, GHOST, FOG, RAIN, SPRAY, DUST}
    assert len(list((whole / "rate").glob("*.pcd"))) >= 2
    assert {FOG, SURFACE} <= origins(whole, "rate")


def test_the_number_of_threads_does_not_matter(folder, whole, tmp_path):
    with kernel_threads(1):
        replay(FrameSource(folder / TRACE), configured(folder), tmp_path / "out")
    assert_alike(tmp_path / "out", whole)


@pytest.mark.parametrize("n_frames", [pytest.param(1, marks=pytest.mark.slow), 5])
def test_a_run_that_was_cut_goes_on(folder, whole, tmp_path, n_frames):
    assert_goes_on(folder / TRACE, configured(folder), whole, tmp_path / "out", n_frames)


def test_chosen_frames_have_the_clouds_that_they_have_in_the_whole_run(folder, whole, tmp_path):
    """Messages before them are heard, so that their spray is there."""
    out = tmp_path / "out"
    assert_later_frames_alike(folder / TRACE, configured(folder), whole, out, first=5)


def test_an_fmu_gives_the_same_messages(folder, whole, tmp_path):
    fmu = build_fmu(config=folder / "config.yaml", out=tmp_path)[0].path
    assert_answered_by_fmu(fmu_run(fmu, folder / TRACE, tmp_path / "fmu"), whole)


def test_a_stream_gives_the_same_messages(folder, whole):
    """Also when its source is connected anew: the spray of the run before is gone."""
    assert_streamed(folder / TRACE, configured(folder), whole)


def test_a_trace_whose_time_starts_again_gives_the_same_clouds_again(folder, tmp_path):
    """A simulator that is started anew sends the same messages: no spray is left of the first run.

    The second run hears its weather in its first message, as the first one does.
    """
    messages = [raw.data for raw in open_trace(folder / TRACE)]
    trace = tmp_path / TRACE
    write_trace(trace, [*messages, *messages], message_type="SensorView")
    one = configured(folder)
    one = one.model_copy(update={"sensors": one.sensors[:2]})
    replay(FrameSource(trace), one, tmp_path / "out")
    for sensor in ("roof", "calm"):
        clouds = [read_pcd(path) for path in sorted((tmp_path / "out" / sensor).glob("*.pcd"))]
        assert len(clouds) == 2 * N_FRAMES
        first, again = clouds[N_FRAMES - 1], clouds[-1]
        assert first.tobytes() == again.tobytes(), sensor


def test_another_seed_changes_all_clouds(folder, whole, tmp_path):
    seeded = configured(folder).model_copy(update={"seed": 8})
    out = tmp_path / "out"
    replay(FrameSource(folder / TRACE, frames=slice(5, None)), seeded, out)
    clouds = list(out.glob("*/*.pcd"))
    assert {path.parent.name for path in clouds} == {"roof", "calm", "rate"}
    for path in clouds:
        other = whole / path.relative_to(out)
        assert other.read_bytes() != path.read_bytes(), path.name
