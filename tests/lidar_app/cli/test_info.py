# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What info tells of files of every kind."""

import json
import zipfile

import numpy as np
import pytest
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import trace_contents, write_trace
from osi_lidar.output.stored import open_run
from osi_lidar.run.example_scene import street
from tests.builders.gltf import CAR_M, Gltf, block
from tests.builders.meshes import CUBE
from tests.builders.messages import ahead, framed, host, message
from tests.builders.runs import make_run
from tests.builders.worlds import SENSOR
from tests.commands import assert_one_line, run
from tests.lidar_scenery.roads.opendrive.small_maps import lane, road, section, written
from tests.lidar_scenery.weather.sources.test_openscenario import action, scenario
from tests.osi_lidar.sensors.calibration import files as calibration
from tests.osi_lidar.sensors.calibration.helios_files import helios, scanner


def told(path):
    """Return what info tells for programs, after it has told it for people without an error."""
    for_people = run("info", path)
    assert for_people.exit_code == 0, for_people.output
    for_programs = run("info", path, "--json")
    assert for_programs.exit_code == 0, for_programs.output
    return json.loads(for_programs.stdout)


def test_a_trace_tells_its_messages_objects_and_host():
    found = told(street().trace)
    assert (found["kind"], found["message_type"], found["messages"]) == (
        "OSI trace",
        "SensorView",
        60,
    )
    assert (found["rate_hz"], found["duration_s"], found["host_vehicle"]) == (10.0, 5.9, [1])
    numbers = {row["model_reference"]: row["number"] for row in found["objects"]}
    assert (numbers["car.obj"], numbers["sign_give_way.obj"]) == (2, 2)
    assert "looked_into" in found
    assert found["looked_into"] is None


def test_channels_of_an_mcap_trace_are_listed(tmp_path):
    trace = tmp_path / "drive.mcap"
    write_trace(
        trace, [message([host(), ahead()], 0.1 * n) for n in range(3)], message_type="SensorView"
    )
    (channel,) = told(trace)["channels"]
    assert (channel["schema"], channel["encoding"], channel["messages"]) == (
        "osi3.SensorView",
        "protobuf",
        3,
    )


def test_a_long_trace_is_looked_into_here_and_there_but_counted_to_the_end(tmp_path):
    trace = tmp_path / "long.osi"
    one = framed([message([host(), ahead()], 0.1 * n) for n in range(1000)])
    trace.write_bytes(one)
    found = trace_contents(trace)
    assert (found.n_messages, found.n_decoded) == (1000, 200)
    assert found.rate_hz == pytest.approx(10.0)
    everything = trace_contents(trace, thorough=True)
    assert everything.n_decoded == 1000
    assert [group.ids for group in everything.objects] == [group.ids for group in found.objects]


def test_a_damaged_trace_tells_where(tmp_path):
    trace = tmp_path / "cut.osi"
    trace.write_bytes(framed([message([host()], 0.1 * n) for n in range(3)])[:-5])
    found = told(trace)
    assert found["messages"] == 2
    assert "damaged at frame 2" in found["damage"]


def test_a_run_tells_its_sensors_and_points(tmp_path):
    folder = make_run(tmp_path)
    found, stored = told(folder), open_run(folder)
    assert found["status"] == "complete"
    assert [row["name"] for row in found["sensors"]] == ["front", "left"]
    clouds = {scan.path: len(scan.points()) for scan in stored.scans}
    assert sum(row["points"] for row in found["sensors"]) == sum(clouds.values())
    assert told(folder / "run.json") == found
    (answers,) = folder.glob("*.osi")
    told_of_answers = told(answers)
    assert told_of_answers["message_type"] == "SensorData"
    assert told_of_answers["lists"]["lidar_sensor"] == 2
    line = "holds SensorData, the answer of a sensor"
    assert_one_line(run("replay", answers), 2, line, "osi-lidar info")
    assert_one_line(run("config", "init", answers, "-o", tmp_path / "x.yaml"), 2, line)


def test_a_cloud_tells_its_fields_and_extent(tmp_path):
    path = next(scan.path for scan in open_run(make_run(tmp_path)).scans)
    found = told(path)
    points = next(scan.points() for scan in open_run(path.parents[1]).scans)
    assert (found["points"], found["encoding"]) == (len(points), "binary")
    rows = {row["field"]: row for row in found["fields"]}
    assert tuple(rows) == points.dtype.names
    assert (rows["x"]["least"], rows["x"]["largest"]) == (points["x"].min(), points["x"].max())
    np.save(tmp_path / "points.npy", points)
    assert told(tmp_path / "points.npy")["fields"] == found["fields"]


def test_a_preview_of_a_run_draws_a_picture_of_each_sensor(tmp_path, monkeypatch):
    folder, drawn = make_run(tmp_path), []

    def note(cloud, picture):
        drawn.append((cloud.relative_to(folder).as_posix(), picture))
        return picture or cloud

    monkeypatch.setattr("lidar_app.show.preview.preview", note)
    first = [("front/000000.pcd", None), ("left/000000.pcd", None)]
    assert (run("preview", folder).exit_code, drawn) == (0, first)
    drawn.clear()
    out = tmp_path / "picture.png"
    assert run("preview", folder, "--frame", 2, "--out", out).exit_code == 0
    assert drawn == [
        ("front/000002.pcd", tmp_path / "picture_front.png"),
        ("left/000002.pcd", tmp_path / "picture_left.png"),
    ]
    drawn.clear()
    assert run("preview", folder, "--sensor", "left", "--frame", 1, "-o", out).exit_code == 0
    assert drawn == [("left/000000.pcd", out)]  # the second frame repeats the first one's cloud
    assert_one_line(run("preview", folder, "--sensor", "lef"), 2, "did you mean 'left'?")
    assert_one_line(run("preview", folder, "--frame", 9), 2, "has no frames in the chosen range")
    cloud = next(folder.glob("left/*.pcd"))
    assert_one_line(run("preview", cloud, "--frame", 0), 2, "--frame needs the folder of a run")


def test_a_mesh_tells_its_triangles_and_visual_materials(tmp_path):
    (tmp_path / "cube.obj").write_text(CUBE)
    found = told(tmp_path / "cube.obj")
    assert (found["triangles"], found["from"], found["to"]) == (12, [-1.0] * 3, [1.0] * 3)
    assert sum(row["triangles"] for row in found["materials"]) == 12


def test_a_map_tells_its_roads_and_their_length(tmp_path):
    two = section(lane(0), lane(-1))
    found = told(written(tmp_path, road(two), road(two, name="2")))
    assert (found["version"], found["roads"], found["length_m"]) == ("1.6", 2, 200.0)


def test_a_configuration_tells_its_sensors_and_what_is_missing(tmp_path):
    path = tmp_path / "lidar.yaml"
    path.write_text(f"{SENSOR}\nscene: {{environment: [{{mesh: town.obj}}]}}\nseed: 7\n")
    found = told(path)
    assert (found["environment"], found["seed"]) == (["town.obj"], 7)
    assert "scene.environment[0].mesh: no such file" in found["missing"][0]
    table = street().config.with_name("materials.yaml")
    assert told(table)["rules"] > 10


def test_a_maker_file_tells_its_lasers(real_data):
    path = real_data / "lidar_calib" / "ouster" / "2_3_1_os-992146000760-128.json"
    found = told(path)
    assert (found["maker"], found["lasers"], found["columns"]) == ("Ouster", 128, 1024)


def test_files_of_other_kinds_are_one_line_with_what_is_known(tmp_path):
    (tmp_path / "notes.md").write_text("# Notes")
    (tmp_path / "x.bin").write_bytes(bytes(range(256)))
    (tmp_path / "empty").write_bytes(b"")
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("a.txt", "a")
    for name, words in {
        "notes.md": ["text of an unknown kind, 7 bytes", "expected a trace"],
        "x.bin": ["bytes of an unknown kind, 256 bytes"],
        "x.zip": ["bytes of an unknown kind"],
        "empty": ["is empty"],
        "none.osi": ["no such file"],
    }.items():
        assert_one_line(run("info", tmp_path / name), 2, name, *words)
    assert told(tmp_path)["suffixes"] == {".bin": 1, ".md": 1, ".zip": 1, "none": 1}


ODD_ARRAYS = {
    "shape.npy": b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, "
    b"'shape': (99999999999999,), }" + b" " * 45 + b"\n",
    "syntax.npy": b"\x93NUMPY\x01\x00v\x00{'descr': __import__, ((((((" + b" " * 90 + b"\n",
    "archive.npz": b"PK\x03\x04" + bytes(300),
}


@pytest.mark.parametrize("name", ODD_ARRAYS)
@pytest.mark.parametrize("command", ["info", "view", "preview"])
def test_what_numpy_cannot_read_is_one_line(command, name, tmp_path):
    path = tmp_path / name
    path.write_bytes(ODD_ARRAYS[name])
    assert_one_line(run(command, path), 2, name)
    path.rename(path.with_suffix(""))
    assert_one_line(run("info", path.with_suffix("")), 2, "of an unknown kind")


def test_fields_without_numbers_and_several_arrays_are_told_apart(tmp_path):
    points = np.zeros(2, [("x", "<f4"), ("sensor", "<U5"), ("when", "<M8[ns]")])
    np.save(tmp_path / "points.npy", points)
    rows = {row["field"]: row["least"] for row in told(tmp_path / "points.npy")["fields"]}
    assert rows == {"x": 0.0, "sensor": None, "when": None}
    np.savez(tmp_path / "several.npz", points=points)
    several = (tmp_path / "several.npz").rename(tmp_path / "several.npy")
    assert_one_line(run("view", several), 2, "several.npy: contains several arrays")


def test_a_ply_file_without_a_number_of_points_is_told(tmp_path):
    path = tmp_path / "cloud.ply"
    path.write_text("ply\nformat ascii 1.0\nelement vertex many\nproperty float x\nend_header\n")
    assert told(path)["points"] is None


def test_a_ply_mesh_that_cannot_be_read_is_no_cloud(tmp_path):
    path, corners = tmp_path / "mesh.ply", "0 0 0\n1 0 0\n0 1 0\n"
    xyz = "".join(f"property float {name}\n" for name in "xyz")
    faces = "element face {}\nproperty list uchar int vertex_indices\nend_header\n"
    head = f"ply\nformat ascii 1.0\nelement vertex 3\n{xyz}"
    path.write_text(f"{head}{faces.format(1)}{corners}3 0 1 9\n")
    assert_one_line(run("info", path), 2, "mesh.ply")
    path.write_text(f"{head}{faces.format(0)}{corners}")
    assert told(path)["kind"] == "Point cloud (PLY)"


def test_a_parquet_table_tells_its_rows_and_columns(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    parquet.write_table(pa.table({"a": [1, 2, 3], "b": [0.5] * 3}), tmp_path / "x.parquet")
    found = told(tmp_path / "x.parquet")
    assert (found["kind"], found["rows"], found["columns"]) == ("Parquet table", 3, ["a", "b"])
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and no more")
    assert_one_line(run("info", tmp_path / "bad.parquet"), 2, "is not a Parquet table")


def test_contents_of_a_mesh_that_no_reader_follows_are_listed_everywhere(tmp_path):
    mesh = Gltf()
    mesh.node("Body", mesh=mesh.mesh(*block(CAR_M)))
    mesh.content["extensionsUsed"] = ["KHR_materials_ior", "MSFT_lod"]
    file = mesh.write(tmp_path / "car.gltf")
    (row,) = told(file)["not_followed"]
    assert row == {"what": "extension MSFT_lod", "first": "", "times": 1}
    config = tmp_path / "config.yaml"
    config.write_text(f"{SENSOR}scene: {{environment: [{{mesh: car.gltf}}]}}\n")
    checked = run("check", "--config", config)
    assert "extension MSFT_lod" in checked.output
    last = checked.output.strip().split("\n")[-1]
    assert last == "Files followed: 2. Inputs substituted: 1. Kinds of content not followed: 1."
    scanned = run("scan", "--config", config, "--out", tmp_path / "run")
    assert "extension MSFT_lod" in scanned.output
    report = json.loads((tmp_path / "run" / "run.json").read_text())
    assert report["not_followed"] == [{"input": "mesh car.gltf", **row}]


def test_fields_of_messages_that_no_reader_reads_are_listed_everywhere(tmp_path):
    view = SensorView.FromString(message([host(), ahead()]))
    view.global_ground_truth.proj_string = "+proj=utm"
    trace = tmp_path / "one.osi"
    write_trace(trace, [view.SerializeToString()], message_type="SensorView")
    (row,) = told(trace)["not_followed"]
    assert row == {"what": "proj_string", "first": "message 0", "times": 1}
    config = tmp_path / "config.yaml"
    config.write_text(SENSOR)
    checked = run("check", "--config", config, trace)
    assert "proj_string (message 0)" in checked.output
    assert "Kinds of content not followed: 1." in checked.output
    replayed = run("replay", trace, "--config", config, "--out", tmp_path / "run")
    assert "proj_string (message 0)" in replayed.output
    report = json.loads((tmp_path / "run" / "run.json").read_text())
    assert report["not_followed"] == [{"input": "OSI messages (1 looked at)", **row}]


def test_a_trace_without_lanes_ends_its_summary_with_a_hint(tmp_path):
    trace = tmp_path / "one.osi"
    write_trace(trace, [message([host(), ahead()])], message_type="SensorView")
    config = tmp_path / "config.yaml"
    config.write_text(SENSOR)
    hint = "The trace has no lanes: --map FILE.xodr draws"
    replayed = run("replay", trace, "--config", config, "--out", tmp_path / "run")
    assert replayed.stdout.strip().split("\n")[-2].startswith(hint), replayed.stdout
    assert hint in run("check", trace, "--config", config).stdout
    assert hint not in run("check", "--config", config).stdout
    config.write_text(SENSOR + "scene: {roads: false}\n")
    assert hint not in run("check", trace, "--config", config).stdout
    assert hint not in run("check", street().trace, "--config", config).stdout


def test_check_and_run_gather_the_lists_of_all_inputs(tmp_path):
    calibration.velodyne(tmp_path, [{"rot_correction": 0.0, "vert_correction": 0.1, "tilt": 1.0}])
    fog = action('<Weather><Fog visualRange="900" height="2"/></Weather>')
    scenario(tmp_path, fog)
    written(tmp_path, road(section(lane(0), lane(-1)), more="<hump/>"))
    config = tmp_path / "config.yaml"
    config.write_text(
        "sensors: [{name: one, calibration: velodyne.yaml, columns: 90}]\n"
        "scene: {map: map.xodr}\nweather: {scenario: rain.xosc}\n"
    )
    checked = run("check", "--config", config)
    last = checked.output.strip().split("\n")[-1]
    assert last.startswith("Files followed: 4.")
    assert last.endswith("Kinds of content not followed: 3.")
    assert run("scan", "--config", config, "--out", tmp_path / "run").exit_code == 0
    report = json.loads((tmp_path / "run" / "run.json").read_text())
    assert [(row["input"], row["what"]) for row in report["not_followed"]] == [
        ("map map.xodr", "<hump> of <road>"),
        ("scenario rain.xosc", "attribute height of <Fog>"),
        ("calibration velodyne.yaml", "key tilt of lasers"),
    ]


MAKERS = {
    "mode.json": (('{"beam_intrinsics": {"beam_altitude_angles": [1], "beam_azimuth_angles": [0]}, '
                  '"config_params": {"lidar_mode": "fast"}}'), "lidar_mode: got 'fast'"),
    "angles.json": ('{"beam_altitude_angles": [1, "x"], "beam_azimuth_angles": [0, 0]}',
                    "beam_altitude_angles"),
    "half.json": ('{"lidar_mode": "1024x10", "prod_line": "OS-1-64"}', "no beam_altitude_angles"),
    "angles.csv": ("Channel,Elevation,Azimuth\n1,a,0\n", "line 2"),
    "unit.yaml": ("lasers: [{laser_id: 0}]\n", "laser"),
    "pattern.csv": ("Time/s,Azimuth/deg,Zenith/deg\n0,x,1\n", "line 2"),
    "layout.dat": ("\xee\xff\x09\x09", "layout"),
}  # fmt: skip


@pytest.mark.parametrize("name", MAKERS)
def test_a_makers_file_that_cannot_be_used_is_told_with_the_reason(tmp_path, name):
    text, reason = MAKERS[name]
    path = tmp_path / name
    path.write_bytes(text.encode("latin-1"))
    assert_one_line(run("info", path), 2, path, reason)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-32"])
def test_xml_is_recognised_in_every_encoding(tmp_path, encoding):
    declaration = f'<?xml version="1.0" encoding="{encoding}"?>\n'
    files = {"map.xodr": written(tmp_path, road(section(lane(0, ""), lane(-1))))}
    files["scanners.xml"] = helios(tmp_path, scanner())
    kinds = {"map.xodr": "OpenDRIVE map", "scanners.xml": "Calibration of a sensor"}
    for name, file in files.items():
        text = file.read_text().partition("?>")[2] or file.read_text()
        (tmp_path / name).write_bytes((declaration + text).encode(encoding))
        assert told(tmp_path / name)["kind"] == kinds[name]
