# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The starter that init writes can be used as it is."""

import json
import re

import pytest
from osi3.osi_sensorview_pb2 import SensorView

from lidar_app.show.check import check
from lidar_base.files.yaml_files import read_yaml
from osi_lidar.config import Config, load_config
from osi_lidar.run.example_scene import street
from osi_lidar.run.frame_source import FrameSource
from tests.builders.messages import ahead, framed, host, message
from tests.commands import assert_one_line, run


def started(tmp_path, *arguments):
    """Return the path of a starter, and its text."""
    path = tmp_path / "lidar.yaml"
    result = run("config", "init", *arguments, "--out", path)
    assert result.exit_code == 0, result.output
    return path, path.read_text(encoding="utf-8")


def trace_of(tmp_path, *messages):
    path = tmp_path / "drive.osi"
    path.write_bytes(framed(messages))
    return path


def test_a_starter_without_a_trace_states_the_defaults(tmp_path):
    path, text = started(tmp_path, "--sensor", "vlp16")
    made = load_config(path)
    assert made.resolved() == Config.model_validate({"sensors": [{"preset": "VLP-16"}]}).resolved()
    schema = tmp_path / "lidar.schema.json"
    assert text.splitlines()[0] == f"# yaml-language-server: $schema={schema.name}"
    assert run("config", "schema").stdout == schema.read_text(encoding="utf-8")
    assert run("check", "-q", "-c", path).output == ""


def test_a_starter_is_valid_by_its_own_schema(tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    trace = trace_of(tmp_path, message([host(), ahead(2, 'a "b".obj'), ahead(3)]))
    path, _ = started(tmp_path, trace)
    schema = json.loads((tmp_path / "lidar.schema.json").read_text(encoding="utf-8"))
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(read_yaml(path))) == []


def test_every_line_of_a_starter_is_a_key_below_its_meaning(tmp_path):
    _, text = started(tmp_path)
    assert "# Metres per unit" not in text  # keys of a rule are left to the editor
    for key in ("fidelity", "x_m", "ground", "default", "pcd", "motion"):
        before, _ = re.split(rf"^ *{key}: ", text, maxsplit=1, flags=re.MULTILINE)
        assert before.splitlines()[-1].lstrip().startswith("# ")
    assert max(map(len, text.splitlines())) <= 100


def test_the_objects_of_a_trace_are_rules_that_all_match(tmp_path):
    things = [host(), ahead(2, "car[1].obj"), ahead(3, "car[1].obj", y_m=4.0), ahead(5, y_m=9.0)]
    trace = trace_of(tmp_path, message(things), message([*things, ahead(7, "van", x_m=30.0)], 0.1))
    path, text = started(tmp_path, trace)
    rules = load_config(path).scene.objects
    references = [rule.match.model_reference for rule in rules]
    assert references[:2] == ["car[[]1].obj", "van"]
    assert "# 2 objects: " in text
    assert "OSI ids 2, 3" in text
    assert "OSI ids 7" in text  # of the last message only
    findings = check(path, FrameSource(trace))
    assert (findings.missing, findings.unused_rules) == ([], ())


def test_the_sensor_stands_above_the_roof_or_where_the_message_puts_it(tmp_path):
    """The host's box is centred 0.75 m above the ground; its top is as far above that centre."""
    path, _ = started(tmp_path, street().trace)
    place = load_config(path).sensors[0].mounting
    assert (place.x_m, place.y_m) == (1.3, 0.0)
    assert place.z_m == pytest.approx(1.34)
    moved = SensorView.FromString(message([host()]))
    moved.mounting_position.position.x, moved.mounting_position.position.z = 3.5, 0.6
    moved.mounting_position.orientation.yaw = 0.5
    path.unlink()
    (tmp_path / "lidar.schema.json").unlink()
    path, _ = started(tmp_path, trace_of(tmp_path, moved.SerializeToString()))
    place = load_config(path).sensors[0].mounting
    assert (place.x_m, place.z_m, place.yaw_deg) == (3.5, 0.6, pytest.approx(28.6479))


def test_a_starter_replaces_nothing_unless_asked(tmp_path):
    path, text = started(tmp_path)
    path.write_text("mine")
    assert_one_line(run("config", "init", "--out", path), 2, "lidar.yaml: exists", "--overwrite")
    assert path.read_text() == "mine"
    assert run("config", "init", "--out", path, "--overwrite").exit_code == 0
    assert path.read_text(encoding="utf-8") == text
    (tmp_path / "x.schema.json").write_text("mine")
    assert_one_line(run("config", "init", "--out", tmp_path / "x.yaml"), 2, "x.schema.json: exists")
    assert not (tmp_path / "x.yaml").exists()


def test_what_cannot_be_started_from_is_one_line(tmp_path):
    out = ("--out", tmp_path / "lidar.yaml")
    assert_one_line(run("config", "init", "/nowhere.osi", *out), 2, "/nowhere.osi", "no such file")
    assert_one_line(run("config", "init", "--sensor", "OS1-182", *out), 2, "did you mean OS1-128?")
    trace = trace_of(tmp_path, message([host()]))
    same = run("config", "init", trace, "--out", trace, "--overwrite")
    assert_one_line(same, 2, "drive.osi: is an input")
    assert not (tmp_path / "lidar.yaml").exists()


def test_a_starter_for_a_trace_of_another_tool_passes_the_check(real_data, tmp_path):
    trace = real_data / "osi" / "omega-prime" / "pedestrian.osi"
    path, text = started(tmp_path, trace)
    assert "# - match: {type: VEHICLE, subtype: CAR}" in text  # the only car is the host
    findings = check(path, FrameSource(trace))
    assert (findings.missing, findings.unused_rules) == ([], ())


def test_names_of_any_language_match_as_they_are_in_the_trace(tmp_path):
    name = 'auto "rot" \N{AUTOMOBILE} \N{LINE SEPARATOR}\x7f.glb'
    thing = ahead(reference=name)
    trace = tmp_path / "my drive.osi"
    trace.write_bytes(framed([message([host(), thing])]))
    result = run("config", "init", trace, "--out", tmp_path / "lidar.yaml")
    assert result.exit_code == 0, result.output
    (rule,) = load_config(tmp_path / "lidar.yaml", check=False).scene.objects
    assert rule.match.model_reference == name
    assert f"'{trace}'" in result.stdout


@pytest.mark.parametrize("out", [".", "/"])
def test_a_folder_in_place_of_a_starter_is_one_line(out):
    assert_one_line(
        run("config", "init", "--out", out), 2, out, "is a folder, expected the name of a file"
    )
