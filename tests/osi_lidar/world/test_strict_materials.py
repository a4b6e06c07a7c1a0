# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Visual materials that no rule maps, where there is no default: one line, wherever they appear."""

import pytest

from lidar_app.show.suggesting import propose
from osi_lidar import load_config
from osi_lidar.live.counters import Counters
from osi_lidar.live.stream_model import StreamModel
from tests.builders.meshes import write_cube
from tests.builders.messages import ahead, framed, host, message
from tests.builders.worlds import write_config
from tests.commands import assert_one_line, replay, run
from tests.osi_lidar.live.helpers import arrival, warnings

NULL = {"default": None}
REFUSED = (
    "car.obj: visual material 'Paint' has no infrared material (no rule matches it)",
    "there is no default",
    "`osi-lidar materials suggest`",
)


@pytest.fixture
def environment(tmp_path):
    """Return sections of a configuration whose environment is a cube of an unmapped material."""
    mesh = write_cube(tmp_path / "car.obj")
    return {"scene": {"environment": [{"mesh": str(mesh), "up": "z"}], "ground": "none"}}


@pytest.fixture
def named(tmp_path):
    """Return sections for a mesh that only messages name, of an unmapped material."""
    write_cube(tmp_path / "models" / "car.obj")
    return {"scene": {"search": [str(tmp_path / "models")]}}


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "trace.osi"
    path.write_bytes(
        framed([message([host()]), message([host(), ahead(reference="car.obj")], time_s=0.1)])
    )
    return path


@pytest.mark.parametrize(("materials", "options"), [(NULL, ()), ({}, ("--strict",))])
def test_a_scan_is_refused(tmp_path, environment, materials, options):
    config = write_config(tmp_path, **environment, materials=materials)
    result = run("scan", "--config", config, *options, "--out", tmp_path / "out")
    assert_one_line(result, 2, *REFUSED)


@pytest.mark.parametrize(("materials", "options"), [(NULL, ()), ({}, ("--strict",))])
def test_a_replay_ends_where_a_message_first_names_the_mesh(
    tmp_path, named, trace, materials, options
):
    config = write_config(tmp_path, **named, materials=materials)
    assert_one_line(replay(trace, config, *options), 2, *REFUSED)
    assert len(list(tmp_path.glob("out/front/*.pcd"))) == 1


def test_what_is_mapped_needs_no_default(tmp_path, environment):
    (tmp_path / "map.yaml").write_text("materials: {Paint: car_paint_red}")
    config = write_config(tmp_path, **environment, materials={**NULL, "mapping": "map.yaml"})
    for command in (("check",), ("scan", "--out", tmp_path / "out")):
        assert run(*command, "--config", config).exit_code == 0


@pytest.mark.parametrize(("materials", "options"), [(NULL, ()), ({}, ("--strict",))])
def test_check_exits_with_1_and_names_every_unmapped_material(
    tmp_path, named, trace, materials, options
):
    write_cube(tmp_path / "van.obj", "Chrome")
    scene = {**named["scene"], "environment": [{"mesh": str(tmp_path / "van.obj"), "up": "z"}]}
    config = write_config(tmp_path, scene=scene, materials=materials)
    result = run("check", trace, "--config", config, *options)
    assert result.exit_code == 1
    van, car = result.stderr.strip().split("\n")
    assert van.startswith("osi-lidar: van.obj: visual material 'Chrome' has no infrared material")
    assert car.startswith("osi-lidar: car.obj: visual material 'Paint' has no infrared material")
    assert run("check", trace, "--config", write_config(tmp_path, scene=scene)).exit_code == 0


def test_boxes_of_objects_without_a_mesh_need_a_rule_too(tmp_path, trace):
    config = write_config(tmp_path, materials=NULL)
    words = "visual material 'box' has no infrared material"
    assert_one_line(replay(trace, config), 2, words, "objects without a mesh")
    assert_one_line(run("check", trace, "--config", config), 1, words)


def test_suggest_proposes_rules_where_there_is_no_default(tmp_path, environment):
    config = write_config(tmp_path, **environment, materials=NULL)
    (suggestion,) = propose(config, unmapped_only=True).suggestions
    assert suggestion.visual_name == "Paint"


def test_a_stream_answers_no_message_with_an_unmapped_material(tmp_path, named, caplog):
    config = load_config(write_config(tmp_path, **named, materials=NULL))
    counters = Counters()
    model = StreamModel(config, message_type=None, host_id=None, folder=None, counters=counters)
    bad = [message([host(), ahead(reference="car.obj")], time_s=0.1 * number) for number in (1, 2)]
    sent = [message([host()]), *bad, message([host()], time_s=0.3)]
    answers = [model.answer(arrival(data, number=number)) for number, data in enumerate(sent)]
    assert [answer is not None for answer in answers] == [True, False, False, True]
    assert (counters.answered, counters.rejected) == (2, 2)
    (line,) = warnings(caplog)
    assert line.startswith(f"message 1: {REFUSED[0]}")
