# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The configuration: what a good file gives, and the one line that a bad one gives."""

import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from osi_lidar.config import Config, check_files, default_config, load_config
from osi_lidar.config import reference as config_reference
from osi_lidar.errors import ConfigurationError
from tests.builders.refusals import one_line
from tests.builders.worlds import config_file

REPOSITORY = Path(__file__).resolve().parents[3]

FULL = """\
version: 1
sensors:
  - name: roof
    preset: OS1-128
    columns: 1024
    mounting: {x_m: 1.0, y_m: 0.0, z_m: 1.9, roll_deg: 0, pitch_deg: 0, yaw_deg: 0}
    min_range_m: 0.5
    max_range_m: 200
    range_limit: {pairs: [[10, 60], [80, 120]], fit: log}
scene:
  search: [models]
  environment: [{mesh: street.obj, up: z, scale: 1.0, position_m: [0, 0, 0], yaw_deg: 0}]
  objects: [{match: {model_reference: "*Truck*"}, mesh: MilkTruck.glTF, up: y, forward: x,
             origin: ground, fit: true}]
  ground: auto
  host_visible: false
materials: {mapping: materials.yaml, default: lambertian_50}
output: {pcd: binary, sensor_data: osi}
seed: 0
"""


@pytest.fixture
def folder(tmp_path):
    """Return a folder with every file that FULL names; the truck lies in a search folder."""
    (tmp_path / "models").mkdir()
    for name in ("street.obj", "models/MilkTruck.glTF", "materials.yaml"):
        (tmp_path / name).touch()
    return tmp_path


def refusal(folder, text):
    """Return the one line that a file is refused with, without the file's path."""
    file = config_file(folder, text)
    with pytest.raises(ConfigurationError) as caught:
        load_config(file)
    message = str(caught.value)
    assert message.startswith(str(file))
    assert "\n" not in message
    return message.removeprefix(str(file))


def test_full_example_loads_with_paths_resolved_against_its_folder(folder):
    config = load_config(config_file(folder, FULL))
    sensor = config.sensors[0]
    assert (sensor.name, sensor.preset, sensor.columns) == ("roof", "OS1-128", 1024)
    assert sensor.range_limit.pairs == ((10, 60), (80, 120))
    assert config.scene.search == (folder / "models",)
    assert config.scene.environment[0].mesh == folder / "street.obj"
    assert config.scene.objects[0].mesh == folder / "models" / "MilkTruck.glTF"
    assert config.materials.mapping == folder / "materials.yaml"
    assert config.file == folder / "config.yaml"


def test_paths_do_not_depend_on_the_working_directory(folder, monkeypatch):
    config_file(folder, FULL)
    monkeypatch.chdir(folder.parent)
    assert load_config(os.path.join(folder.name, "config.yaml")).scene.search == (  # noqa: PTH118
        folder / "models",
    )


def test_only_sensors_are_required(tmp_path):
    config = load_config(config_file(tmp_path, "sensors: [{preset: VLP-16}]"))
    assert config.resolved() == default_config("VLP-16").resolved()
    assert config.sensors[0].mounting.z_m == 1.9
    assert (config.scene.ground, config.output.pcd, config.seed) == ("auto", "binary", 0)


def test_resolved_configuration_survives_json_and_loads_again(folder):
    config = load_config(config_file(folder, FULL))
    assert Config.model_validate(json.loads(json.dumps(config.resolved()))) == Config(
        **{name: getattr(config, name) for name in Config.model_fields}
    )


def test_ranges_and_wavelength_come_from_the_preset_unless_given(tmp_path):
    text = "sensors: [{preset: HDL-32E}, {preset: HDL-32E, max_range_m: 70}]"
    own, given_one = load_config(config_file(tmp_path, text)).sensors
    assert (own.min_range_m, own.max_range_m) == (0.05, 100)  # presets/HDL-32E.yaml
    assert (given_one.min_range_m, given_one.max_range_m) == (0.05, 70)


def test_own_pattern_sees_from_half_a_metre_to_200_m_at_905_nm(tmp_path):
    text = "sensors: [{pattern: {kind: angles, horizontal_deg: [0], vertical_deg: [0]}}]"
    sensor = load_config(config_file(tmp_path, text)).sensors[0]
    assert (sensor.min_range_m, sensor.max_range_m) == (0.5, 200)
    assert (sensor.wavelength_nm, sensor.name) == (905, "lidar")


def test_range_limit_tells_absent_from_null(tmp_path):
    text = "sensors: [{preset: OS1-16}, {preset: OS1-16, range_limit: null}]"
    absent, null = load_config(config_file(tmp_path, text)).sensors
    assert absent.range_limit == "preset"
    assert null.range_limit is None


def test_second_sensor_of_the_same_name_gets_a_number(tmp_path):
    text = "sensors: [{preset: VLP-16}, {preset: vlp16}, {name: VLP-16-2, preset: OS1-16}]"
    names = [sensor.name for sensor in load_config(config_file(tmp_path, text)).sensors]
    assert names == ["VLP-16", "VLP-16-3", "VLP-16-2"]


def test_grid_includes_both_ends(tmp_path):
    text = (
        "sensors: [{pattern: {kind: grid, horizontal: {min_deg: -30, max_deg: 30, step_deg: 0.1},"
        " vertical: {min_deg: 0, max_deg: 0, step_deg: 1}}}]"
    )
    pattern = load_config(config_file(tmp_path, text)).sensors[0].pattern
    assert (pattern.horizontal.count, pattern.vertical.count) == (601, 1)


def test_sensor_argument_replaces_the_sensors_of_the_file(folder):
    assert load_config(config_file(folder, FULL), sensor="VLP-16").sensors[0].name == "VLP-16"


def test_number_with_an_exponent_is_a_number(tmp_path):
    text = "sensors: [{preset: OS1-16, max_range_m: 1e2}]"
    assert load_config(config_file(tmp_path, text)).sensors[0].max_range_m == 100


def test_configuration_cannot_be_changed():
    config = default_config()
    with pytest.raises(ValidationError):
        config.seed = 1


S = "sensors: [{preset: OS1-128}]\n"
GRID = "{min_deg: 0, max_deg: 1, step_deg: 1}"
STEEP = "{min_deg: 0, max_deg: 91, step_deg: 1}"
FINE = "{min_deg: 0, max_deg: 90, step_deg: 0.001}"
FINEST = "{min_deg: 0, max_deg: 1, step_deg: 1e-320}"
ANGLES = "sensors: [{pattern: {kind: angles, horizontal_deg: [0, 5, -5], vertical_deg: [0, 1]}}]"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "sensors: [{preset: OS1-128, columms: 1024}]",
            ": sensors[0].columms: unknown key, did you mean 'columns'? (allowed: name, preset,",
        ),
        (S + "scene: {serch: [a]}", ": scene.serch: unknown key, did you mean 'search'? (allow"),
        (S + "zzz: 1", ": zzz: unknown key (allowed: version, sensors, scene,"),
        ("sensors: [{preset: OS1-182}]", ": sensors[0].preset: unknown sensor 'OS1-182'"),
        ("sensors: [{preset: OS1-128, columns: 1000}]", ": sensors[0].columns: sensor OS1-128: "),
        (
            "sensors: [{preset: OS1-128, rotation_rate_hz: 3}]",
            ": sensors[0].rotation_rate_hz: sensor OS1-128: got rotation_rate_hz 3, expected",
        ),
        ("sensors: []", ": sensors: expected 1 or more entries, got 0"),
        ("sensors: {a: 1}", ": sensors: expected a list, got {'a': 1}"),
        ("seed: 1", ": sensors: is missing"),
        ("sensors: [{name: a}]", ": sensors[0]: needs either a preset or a pattern"),
        (
            "sensors: [{preset: OS1-128, pattern: {kind: pairs, file: a.csv}}]",
            ": sensors[0]: needs either a preset or a pattern",
        ),
        (
            "sensors: [{pattern: {kind: hexagon}}]",
            ": sensors[0].pattern: got kind 'hexagon' (allowed: grid, angles, pairs, spinning",
        ),
        ("sensors: [{pattern: {}}]", ": sensors[0].pattern: kind is missing"),
        (
            f"sensors: [{{pattern: {{kind: grid, horizontal: {GRID}}}}}]",
            ": sensors[0].pattern.vertical: is missing",
        ),
        (
            f"sensors: [{{pattern: {{kind: grid, horizontal: {GRID}, vertical: {STEEP}}}}}]",
            ": sensors[0].pattern.vertical: is not within -90 to 90 degrees",
        ),
        (
            f"sensors: [{{pattern: {{kind: grid, horizontal: {FINEST}, vertical: {GRID}}}}}]",
            ": sensors[0].pattern.horizontal.step_deg: must be greater than or equal to 0.000001",
        ),
        (
            f"sensors: [{{pattern: {{kind: grid, horizontal: {GRID}, vertical: {FINE}}}}}]",
            ": sensors[0].pattern: got 90001 elevations, expected at most 65536",
        ),
        (
            ANGLES.replace("5, -5", "180, -180"),
            ": sensors[0].pattern.horizontal_deg: contains 180 deg twice, expected each angle once",
        ),
        (
            ANGLES.replace("[0, 1]", "[1, 1]"),
            ": sensors[0].pattern.vertical_deg: contains 1 deg twice, expected each angle once",
        ),
        (
            ANGLES.replace("{p", "{rotation_rate_hz: 1e-320, p"),
            ": sensors[0].rotation_rate_hz: must be greater than or equal to 0.001, got 1e-320",
        ),
        (
            "sensors: [{pattern: {kind: pairs, azimuth_elevation_deg: [[1, 2, 3]]}}]",
            ": sensors[0].pattern.azimuth_elevation_deg[0]: expected 2 entries, got 3",
        ),
        (
            "sensors: [{pattern: {kind: pairs, azimuth_elevation_deg: [[0, 0], [1]]}}]",
            ": sensors[0].pattern.azimuth_elevation_deg[1][1]: is missing",
        ),
        (
            "sensors: [{preset: OS1-128, min_range_m: 5, max_range_m: 5}]",
            ": sensors[0]: got min_range_m 5, expected less than max_range_m 5",
        ),
        (
            "sensors: [{preset: OS1-128, mounting: {x_m: .nan}}]",
            ": sensors[0].mounting.x_m: expected a finite number, got nan",
        ),
        (
            'sensors: [{preset: OS1-128, mounting: {x_m: "5"}}]',
            ": sensors[0].mounting.x_m: expected a number, got '5'",
        ),
        (
            "sensors: [{preset: OS1-128, max_range_m: -1}]",
            ": sensors[0].max_range_m: must be greater than 0, got -1",
        ),
        (
            "sensors: [{preset: OS1-128, range_limit: {pairs: [[10, 60], [80, 120]], fit: lgo}}]",
            ": sensors[0].range_limit.fit: got 'lgo', did you mean 'log'? (allowed: linear, root2,",
        ),
        (
            "sensors: [{preset: OS1-128, range_limit: {pairs: [[10, 60], [10, 120]]}}]",
            ": sensors[0].range_limit.pairs: ",
        ),
        (
            "sensors: [{preset: OS1-128, name: a/b}]",
            ": sensors[0].name: got 'a/b', expected the name of a folder",
        ),
        ("sensors: [{preset: OS1-128, name: a.part}]", ": sensors[0].name: got 'a.part', expect"),
        (
            "sensors: [{preset: OS1-128, name: ..}]",
            ": sensors[0].name: got '..', expected the name of",
        ),
        (
            "sensors: [{name: a, preset: OS1-128}, {name: A, preset: OS1-16}]",
            ": sensors[1].name: two sensors have the name 'A'",
        ),
        (S + "version: 2", ": version: got 2 (allowed: 1)"),
        (S + "seed: -1", ": seed: must be greater than or equal to 0, got -1"),
        (S + "seed: true", ": seed: expected a whole number, got True"),
        (S + "scene: {ground: flat}", ": scene.ground: expected auto, none or a height of -1e+09"),
        (S + "scene: {ground: .nan}", ": scene.ground: expected auto, none or a height of -1e+09"),
        (S + "scene: {ground: 1e300}", ": scene.ground: expected auto, none or a height of -1e+09"),
        (S + "scene: {host_visible: 1}", ": scene.host_visible: expected true or false, got 1"),
        (S + "output: {pcd: binery}", ": output.pcd: got 'binery', did you mean 'binary'? (allo"),
        (S + "scene: {objects: [{match: {}}]}", ": scene.objects[0].match: is empty"),
        (
            S + "scene: {objects: [{match: {id: 1}, up: y, forward: -y}]}",
            ": scene.objects[0]: up y and forward -y lie on the same axis",
        ),
        (
            S + "scene: {objects: [{match: {id: 1}, mesh: car.fbx}]}",
            ": scene.objects[0].mesh: not a mesh file: 'car.fbx', allowed: .gltf .glb",
        ),
        (
            S + "scene: {objects: [{match: {id: 1}, scale: 1e300}]}",
            ": scene.objects[0].scale: must be less than or equal to 1000000, got 1e+300",
        ),
        (
            S + "scene: {environment: [{mesh: a.obj, position_m: [0, 0, 1e300]}]}",
            ": scene.environment[0].position_m[2]: must be less than or equal to 1000000000, got",
        ),
        (S + "scene: {search: [~nobody/x]}", ": scene.search[0]: no such folder: '"),
        (S + "scene: {search: [models]}", ": scene.search[0]: no such folder: '"),
        (S + "scene: {environment: [{mesh: a.obj}]}", ": scene.environment[0].mesh: no such fil"),
        (S + "materials: {mapping: m.yaml}", ": materials.mapping: no such file: '"),
        (
            "sensors: [{pattern: {kind: pairs, file: p.csv}}]",
            ": sensors[0].pattern.file: no such file: '",
        ),
        ("", ": the file is empty"),
        ("- a\n- b", ": expected keys and values, got a list"),
        ("hello", ": expected keys and values, got 'hello'"),
        (S + "seed: 1\nseed: 2\n", ":3:1: key 'seed' is given twice"),
        ("sensors: [{preset: OS1-128}\nseed: 1", ":2:1: "),
        ("a: 1\n\tb: 2", ":2:1: "),
        ("? [a]\n: 1", ":1:3: got a list or keys and values as a key, expected a text"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\xff\xfe", ": not a text file (UTF-8)"),
        (b"a: \x00\x01", ": not a text file (UTF-8)"),
        ("seed: 2020-99-99", ": no valid YAML"),
        ("[" * 5000, ": no valid YAML"),
        ("seed: 0x" + "f" * 5000, ":1:7: the number is too large"),
    ],
)
def test_bad_file_gives_one_line_with_key_path_and_near_match(tmp_path, text, line):
    message = refusal(tmp_path, text)
    assert message[: len(line)] == line
    assert "more: " not in message


def test_further_problems_are_counted_and_located(tmp_path):
    message = refusal(tmp_path, S + "seed: -1\noutput: {pcd: a, sensor_data: b}")
    assert message.startswith(": output.pcd: got 'a' (allowed: ")
    assert message.endswith("(and 2 more: output.sensor_data, seed)")


def test_all_missing_files_are_listed_at_once(tmp_path):
    config = load_config(config_file(tmp_path, FULL), check=False)
    keys = [problem.split(":")[0] for problem in check_files(config)]
    assert keys == [
        "scene.search[0]",
        "scene.environment[0].mesh",
        "scene.objects[0].mesh",
        "materials.mapping",
    ]


def test_asset_without_its_mesh_is_a_missing_file(tmp_path):
    (tmp_path / "car.xoma").touch()
    message = refusal(tmp_path, S + "scene: {objects: [{match: {id: 1}, mesh: car.xoma}]}")
    assert message.startswith(": scene.objects[0].mesh: no mesh file of the same name beside '")


def test_missing_file_and_folder_are_one_line(tmp_path):
    for path, reason in ((tmp_path / "no.yaml", "no such file"), (tmp_path, "cannot be read")):
        with one_line(ConfigurationError, start=f"{path}: ", match=reason):
            load_config(path)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a file without an end")
def test_file_without_an_end_is_too_large():
    with pytest.raises(ConfigurationError, match=r"^/dev/zero: too large"):
        load_config("/dev/zero")


def test_unknown_sensor_without_a_file_is_named():
    with pytest.raises(ConfigurationError, match=r"^unknown sensor 'VLP-17'.*VLP-16"):
        default_config("VLP-17")


# the folder is shared by all examples on purpose; a loaded machine draws them slowly
CHECKS = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
WORDS = st.sampled_from(
    ["sensors", "preset", "OS1-128", "pattern", "kind", "pairs", "scene", "objects", "match", "id"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | WORDS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(WORDS, below, max_size=4),
    max_leaves=12,
)


@pytest.mark.long
@given(st.dictionaries(WORDS | st.just("seed"), VALUES, max_size=5))
@example({"sensors": [{"preset": "OS1-128", "range_limit": [1]}]})
@settings(max_examples=150, deadline=None, suppress_health_check=CHECKS)
def test_whatever_is_in_a_file_it_loads_or_gives_one_line(tmp_path, data):
    file = config_file(tmp_path, json.dumps(data))
    try:
        load_config(file)
    except ConfigurationError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017


@given(st.binary(max_size=80))
@settings(max_examples=100, deadline=None, suppress_health_check=CHECKS)
def test_whatever_bytes_a_file_holds_it_gives_one_line(tmp_path, data):
    refusal(tmp_path, data)


def test_reference_page_is_up_to_date():
    page = (REPOSITORY / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")
    assert page == config_reference.TABLES.renewed(page), (
        "run: python -m osi_lidar.config.reference docs/reference/configuration.md"
    )


def test_every_key_is_described():
    assert "|  |\n" not in config_reference.tables() + "\n"


def test_example_of_the_reference_page_loads(tmp_path):
    page = (REPOSITORY / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")
    example_text = page.split("```yaml\n", 1)[1].split("```", 1)[0]
    config = load_config(config_file(tmp_path, example_text), check=False)
    assert config.sensors[0].name == "roof"
