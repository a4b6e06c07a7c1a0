# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Whatever is given to read or to write to: one line, the right exit code, no half files."""

import json
import math
import subprocess
import sys

import pytest

from osi_bridge import open_trace
from tests.builders.files import PCD, PNG, files_at_most
from tests.builders.meshes import CUBE
from tests.builders.messages import Thing, framed, host, message, moving
from tests.builders.worlds import SENSOR
from tests.commands import assert_one_line, replay, report, run

TEXT = b"hello world, this is a text\n" * 20
THIEF = (
    '{"asset": {"version": "2.0"}, "buffers": [{"uri": "../secret/secret.obj", "byteLength": 9}],'
    ' "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]}'
)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.osi", b"", "empty"),
        ("text.osi", TEXT, "not an OSI trace"),
        ("picture.png", PNG, ".osi, .mcap, .txth"),
    ],
)
def test_what_is_no_trace_is_refused_and_nothing_is_written(tmp_path, config, name, content, words):
    path = tmp_path / name
    path.write_bytes(content)
    assert_one_line(replay(path, config), 2, name, words)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("time_s", [9.3e9, -9.3e9])
def test_a_trace_whose_first_message_has_no_possible_time_is_refused(tmp_path, config, time_s):
    path = tmp_path / "20240101T000000Z_sv_370_2112_5_bad.osi"
    path.write_bytes(framed([message([host()], time_s), *moving(3)]))
    for command in (replay(path, config), run("check", "--config", config, path)):
        assert_one_line(command, 2, f"timestamp {time_s:.0f} s, expected at ", "9223372036 s")


def test_a_missing_trace_and_a_folder_are_refused(tmp_path, config):
    assert_one_line(replay(tmp_path / "none.osi", config), 2, "none.osi: no such file")
    assert_one_line(replay(tmp_path, config), 2, "is a folder")
    assert not (tmp_path / "out").exists()


def test_a_ros_trace_is_refused(real_data, config):
    path = real_data / "osi" / "lichtblick" / "only_osi_topic.mcap"
    assert_one_line(replay(path, config), 2, path, "ros1", "protobuf")
    assert not (config.parent / "out").exists()


@pytest.mark.parametrize(("cut", "frame"), [(4, 0), (50, 0), (-1, 4), (-200, 4), ("half of 2", 2)])
def test_a_trace_cut_short_gives_the_frames_before_and_says_where(tmp_path, config, cut, frame):
    messages = moving()
    data = framed(messages)
    starts = [len(framed(messages[:index])) for index in range(len(messages))]
    cut = starts[2] + 30 if cut == "half of 2" else cut
    path = tmp_path / "20240101T000000Z_sv_370_2112_5_cut.osi"
    path.write_bytes(data[:cut])
    assert_one_line(replay(path, config), 3, path, f"frame {frame}, byte {starts[frame]}")
    if frame == 0:
        assert not (tmp_path / "out").exists()
        return
    assert (report(config)["status"], report(config)["frames_read"]) == ("damaged", frame)
    assert len((tmp_path / "out" / "frames.csv").read_text().splitlines()) == 1 + frame
    assert len(list(tmp_path.glob("out/s/*.pcd"))) == frame


@pytest.mark.parametrize(
    "bad",
    [b"\xff" * 40, b"", message([host()])[:-3], message([host()], 9.3e9)],
    ids=["garbage", "no timestamp", "cut", "time beyond 64 bits"],
)
def test_a_message_that_cannot_be_used_ends_the_run_as_damage(tmp_path, config, bad):
    good = moving(3)
    path = tmp_path / "20240101T000000Z_sv_370_2112_5_bad.osi"
    path.write_bytes(framed([*good, bad, *good]))
    assert_one_line(replay(path, config), 3, f"frame 3, byte {len(framed(good))}")
    assert report(config)["frames_read"] == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--type", "SensorVeiw"), "expected one of SensorView, GroundTruth"),
        (("--type", "SensorData"), "SensorData"),
        (("--host", "99"), "expected one of: 1, 2"),
        (("--host=-1",), "expected one of: 1, 2"),
        (("--host", str(10**30)), "expected one of: 1, 2"),
        (("--sensor", "VLP-61"), "did you mean VLP-16"),
        (("--sensor", "../x"), "known are"),
        *(
            ((f"--frames={text}",), "--frames")
            for text in ("a:b", "1", "", "-1:3", "0:-1", "1:2:0", "1:2:-1", "1:2:3:4", "1.5:2")
        ),
        (("--frames=5:2",), "--frames: got '5:2', expected START:STOP"),
        (("--frames=2:2",), "--frames: got '2:2'"),
        (("--resume", "--overwrite"), "got both --resume and --overwrite"),
        (("--frames=99:",), "no frame in the range"),
    ],
)
def test_options_that_make_no_sense_are_refused_and_nothing_is_written(
    trace, config, options, words
):
    assert_one_line(replay(trace, config, *options), 2, words)
    assert not (config.parent / "out").exists()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"position_m": (math.nan, 0.0, 0.0)}, "position.x is nan"),
        ({"dimension_m": (0.0, 0.0, 0.0)}, "its dimension is 0.00 x 0.00 x 0.00 m"),
        ({"object_id": 1}, "an earlier object of the same message has its id"),
    ],
)
def test_an_impossible_object_is_left_out_counted_and_listed(tmp_path, config, change, reason):
    usual = {"object_id": 2, "position_m": (15.0, 0.0, 0.75)}
    strange, good = Thing(**{**usual, **change}), Thing(3, (10.0, 0.0, 0.75))
    path = tmp_path / "trace.osi"
    path.write_bytes(framed([message([host(), strange, good], time_s=t) for t in (0.0, 0.1)]))
    assert replay(path, config).exit_code == 0
    (left_out,) = (one for one in report(config)["fallbacks"] if one["used"] == "nothing")
    assert reason in left_out["reason"]
    assert left_out["object_ids"] == [strange.object_id]
    assert report(config)["frames_read"] == 2


@pytest.mark.parametrize(
    "messages",
    [
        [message([]), message([], time_s=0.1)],
        [message([], host_id=None)],
        moving(1),
        [message([host(), Thing(2, (9.0, 0.0, 0.75))])] * 3,
        moving()[::-1],
        [message([host(), Thing(2, (9.0, 0.0, 0.75))], host_id=77)],
        [message([host(), Thing(2, (9.0, 0.0, 0.75))], host_id=None)],
        [*moving(1), message([Thing(2, (9.0, 0.0, 0.75))], time_s=0.1), *moving(3)[2:]],
        [*moving(1), message([], time_s=0.1), *moving(3)[2:]],
        [message([Thing(2**64 - 2, (0.0, 0.0, 0.75)), Thing(2**33, (9.0, 0.0, 0.75))])],
    ],
    ids=[
        "no objects", "nothing at all", "one frame", "equal times", "falling times",
        "host not among the objects", "no host", "host vanishes", "everything vanishes",
        "ids above 2**32",
    ],
)  # fmt: skip
def test_odd_but_possible_traces_are_replayed_as_a_whole(tmp_path, config, messages):
    path = tmp_path / "20240101T000000Z_sv_370_2112_5_odd.osi"
    path.write_bytes(framed(messages))
    result = replay(path, config)
    assert result.exit_code == 0, result.output
    assert report(config)["status"] == "complete"
    assert report(config)["frames_read"] == len(messages)


@pytest.fixture
def fenced(tmp_path):
    """Make a search folder, and a mesh outside of it that links in it lead to."""
    search, secret = tmp_path / "search", tmp_path / "secret"
    for folder in (search, secret):
        folder.mkdir()
        (folder / f"{'good' if folder == search else 'secret'}.obj").write_text(CUBE)
    (search / "link.obj").symlink_to(secret / "secret.obj")
    (search / "folder").symlink_to(secret)
    (search / "loop.obj").symlink_to("loop.obj")
    config = tmp_path / "config.yaml"
    config.write_text(f"{SENSOR}scene: {{search: [search], shapes: box}}\n")
    return config


def used_for(config, reference):
    """Replay one frame with a car of this model_reference; return its fallback, if any."""
    traces = config.parent / "traces"
    traces.mkdir()
    path = traces / "trace.osi"
    car = Thing(2, (15.0, 0.0, 0.75), model_reference=reference)
    path.write_bytes(framed([message([host(), car])]))
    result = replay(path, config)
    assert result.exit_code == 0, result.output
    found = (one for one in report(config)["fallbacks"] if one["object_ids"] == [2])
    return next(found, None)


@pytest.mark.parametrize(
    "reference",
    ["good.obj", "../search/good.obj", r"C:\models\good.obj", "http://host/good.obj", "GOOD.OBJ"],
)
def test_a_reference_from_any_machine_finds_the_mesh_in_the_search_folder(fenced, reference):
    assert used_for(fenced, reference) is None


@pytest.mark.parametrize(
    "reference",
    [
        "../../etc/passwd.obj", "../secret/secret.obj", "link.obj", "folder/secret.obj",
        "loop.obj", "good.obj\0", "a\0b.obj", ".obj", "~/x.obj", "*.obj", "x" * 5000 + ".obj",
        "\x1b[31mred.obj", "[bold]x.obj", "search",
    ],
)  # fmt: skip
def test_a_reference_out_of_the_search_folder_or_to_nothing_becomes_a_box(fenced, reference):
    fallback = used_for(fenced, reference)
    assert fallback["used"].startswith("box 4.00 x 2.00 x 1.50 m")
    assert fallback["reason"].isprintable()
    assert len(fallback["reason"]) < 400


def test_an_absolute_reference_out_of_the_search_folder_becomes_a_box(fenced):
    assert "lies out" in used_for(fenced, str(fenced.parent / "secret/secret.obj"))["reason"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.obj", ""), ("text.dae", "no XML"), ("alone.xoma", "{}"), ("thief.gltf", THIEF),
    ],
)  # fmt: skip
def test_a_mesh_that_only_the_trace_names_and_is_none_becomes_a_box(fenced, name, content):
    (fenced.parent / "search" / name).write_text(content)
    assert used_for(fenced, name)["used"].startswith("box")


def test_an_output_folder_with_something_in_it_is_left_as_it_is(trace, config):
    mine = config.parent / "out" / "mine.txt"
    mine.parent.mkdir()
    mine.write_text("mine")
    assert_one_line(replay(trace, config), 2, "not empty", "--overwrite")
    assert [path.name for path in mine.parent.iterdir()] == ["mine.txt"]
    assert replay(trace, config, "--overwrite").exit_code == 0
    assert mine.read_text() == "mine"
    assert_one_line(replay(trace, config), 2, "not empty")


@pytest.mark.parametrize("place", ["file", "file/below", "/proc/none/out", "/dev/null"])
def test_an_output_folder_that_cannot_be_made_is_refused(trace, config, place):
    (config.parent / "file").write_text("")
    result = run("replay", trace, "--config", config, "--out", config.parent / place)
    assert_one_line(result, 2, place)


WITH_A_LIMIT = (  # on every file that is written
    "import resource, runpy;"
    "resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}));"
    "runpy.run_module('osi_lidar', run_name='__main__')"
)
needs_limits = pytest.mark.skipif(sys.platform == "win32", reason="no limits on files here")


def with_a_limit(n_bytes, trace, out, *options):
    """Replay in a process with a limit on the size of files; return what it says on stderr."""
    command = [
        sys.executable,
        "-B",
        "-c",
        WITH_A_LIMIT.format(n_bytes),
        "replay",
        trace,
        "--out",
        out,
    ]
    command = [str(word) for word in (*command, *options)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert_too_large(done.returncode, done.stderr, out)
    return done.stderr


def here_with_a_limit(n_bytes, trace, out, *options):
    """Do the same in this process."""
    with files_at_most(n_bytes):
        done = run("replay", trace, "--out", out, *options)
    assert_too_large(done.exit_code, done.stderr, out)


def assert_too_large(code, said, out):
    """Assert what a run says whose file is larger than the limit, and that nothing is left."""
    assert code == 2, said
    assert said.count("osi-lidar: ") == 1
    assert "File too large" in said
    assert "Traceback" not in said
    assert not list(out.rglob("*.part"))


def test_a_trace_of_answers_is_no_input(trace, tmp_path):
    assert run("replay", trace, "--sensor", "VLP-16", "--out", tmp_path / "out").exit_code == 0
    (written,) = (tmp_path / "out").glob("*_sd_*")
    result = run("replay", written, "--out", tmp_path / "again")
    assert_one_line(result, 2, f"{written}: holds SensorData", "SensorView or GroundTruth")
    assert not (tmp_path / "again").exists()


@needs_limits
@pytest.mark.parametrize("options", [(), ("--workers", "1")])
def test_a_trace_that_does_not_fit_on_the_disk_leaves_what_is_before_whole(
    trace, tmp_path, options
):
    if options:
        pytest.importorskip("distributed")
    replayed = with_a_limit if options else here_with_a_limit
    out = tmp_path / "out"
    assert run("replay", trace, "--sensor", "VLP-16", "--out", out).exit_code == 0
    (written,) = out.glob("*_sd_*")
    sizes = [4 + len(raw.data) for raw in open_trace(written)]
    assert len(sizes) == 5
    options = ("--sensor", "VLP-16", "--overwrite", *options)
    replayed(sum(sizes[:3]) + 1000, trace, out, *options)
    content = json.loads((out / "run.json").read_text())
    rows = (out / "frames.csv").read_text().splitlines()[1:]
    (written,) = out.glob("*_sd_*")
    assert content["status"] == "failed"
    assert content["frames_read"] == len(rows) == sum(1 for _ in open_trace(written))
    # a journal of a worker holds the rows, too
    assert len(rows) == 3 or ("--workers" in options and len(rows) == 2)


@needs_limits
def test_a_cloud_that_does_not_fit_on_the_disk_ends_the_run_in_one_line(trace, config):
    said = with_a_limit(100_000, trace, config.parent / "out", "--sensor", "VLP-16")
    assert "000000.pcd: cannot be written: File too large" in said


@needs_limits
def test_an_mcap_trace_that_does_not_fit_on_the_disk_leaves_a_report(trace, config, caplog):
    """The clouds of two beams fit, the SensorData trace outgrows the limit."""
    trace.write_bytes(framed(moving(150)))
    config.write_text(SENSOR + "output: {sensor_data: mcap}\n")
    here_with_a_limit(12_000, trace, config.parent / "out", "--config", config)
    (told,) = caplog.messages
    assert "not all files could be completed" in told
    assert "_trace.mcap: cannot be written: File too large" in told
    assert report(config)["status"] == "failed"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.pcd", "", "not a PCD file"),
        ("text.pcd", "hello", "not a PCD file"),
        ("cut.pcd", f"{PCD}1 2 3\n", "got 1 points, the header states 3"),
        ("words.pcd", f"{PCD}a b c\n", "not a PCD file"),
        ("other.pcd", PCD.replace("x y z", "a b c") + "1 2 3\n" * 3, "no field x, y, z"),
        (
            "binary.pcd",
            PCD.replace("ascii", "binary") + "123",
            "is cut short: got 0 points, the header states 3",
        ),
        ("packed.pcd", PCD.replace("ascii", "binary_compressed") + "\x10", "not a PCD file"),
        ("unknown.pcd", PCD.replace("ascii", "lzma"), "not a PCD file"),
    ],
)
def test_what_is_no_cloud_is_not_drawn(tmp_path, name, content, words):
    path = tmp_path / name
    path.write_text(content)
    assert_one_line(run("preview", path), 2, path, words)
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("values", ["nan nan nan\n", "inf 1 2\n", "0 0 0\n"])
def test_clouds_of_strange_points_are_drawn(tmp_path, values):
    path = tmp_path / "cloud.pcd"
    path.write_text(PCD + 3 * values)
    assert run("preview", path).exit_code == 0
    assert path.with_suffix(".png").is_file()


def test_check_of_a_damaged_trace_says_where(trace, config):
    data = trace.read_bytes()
    trace.write_bytes(data[:-5])
    assert_one_line(run("check", "--config", config, trace), 3, "frame 4", "byte")
