# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The page as a file: what it holds, what it asks for, how it is thinned, how it fails."""

import base64
import hashlib
import json
import re
import shutil
from collections import Counter

import numpy as np
import pytest
from typer.testing import CliRunner

from lidar_app.cli import view as command
from lidar_app.cli.main import app
from lidar_app.show.page import PageLimits, cloud_page, write_page
from lidar_app.show.page.cloud_chunk import CloudChunk, cloud_chunk
from lidar_app.show.page.contents import Contents, PageFrame
from lidar_app.show.page.page import PAGE_NAME
from osi_lidar.clouds.pcd import read_pcd, write_pcd
from osi_lidar.errors import InputError, OutputError
from osi_lidar.output.frame_table import FrameRow
from osi_lidar.output.numpy_clouds import SUFFIX
from osi_lidar.output.stored import open_run
from osi_lidar.run.replay import scan
from tests.builders.runs import BOX, GRID, SENSORS, make_run
from tests.builders.worlds import wall_config
from tests.lidar_app.show.page.decoding import chunk_of, page_of, places_of, values_of

ADDRESS = re.compile(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}", re.IGNORECASE)
ASKING = re.compile(
    r"<(?:link|img|iframe)\b|\bsrc=|@import|\burl\(|\bfetch\(|XMLHttp|\bimport\(", re.MULTILINE
)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return make_run(tmp_path_factory.mktemp("run"))


@pytest.fixture
def own_run(run, tmp_path):
    """A copy of the run that a test may change; its trace is where it was."""
    return shutil.copytree(run, tmp_path / "run")


def view(*arguments):
    return CliRunner().invoke(app, ["view", *map(str, arguments), "--no-open"])


def test_the_page_of_a_run_holds_its_frames_and_clouds(run, tmp_path):
    written = write_page(run, tmp_path / "a.html")
    manifest, chunks = page_of(written.path.read_text(encoding="utf-8"))
    assert written.n_byte == written.path.stat().st_size
    assert (written.n_frame, manifest["notes"]) == (3, [])
    assert manifest["sensors"] == ["front", "left"]
    assert [frame["time_s"] for frame in manifest["frames"]] == [0.0, 0.1, 0.2]
    shown = {
        (frame["number"], manifest["sensors"][each["sensor"]]): each
        for frame in manifest["frames"]
        for each in frame["scans"]
    }
    stored = list(open_run(run).scans)
    assert len(shown) == len(stored) == 6
    for each in stored:
        here = shown[each.row.frame, each.row.sensor]
        header, columns = chunk_of(chunks[here["chunk"]])
        points = each.points()
        assert header["rows"] == here["points"] == len(points)
        expected = np.stack([points[axis] for axis in "xyz"], axis=1)[
            np.lexsort((points["column"], points["ring"]))
        ]
        assert np.abs(places_of(columns) - expected).max() <= header["step_m"]
        np.testing.assert_array_equal(here["end"], each.row.end_pose)


def further(manifest):
    """Return the number of chunks beside clouds and boxes: of the scene, and counts over frames."""
    return len(manifest["scene"]["parts"]) + (len(manifest["frames"]) > 1)


def test_the_page_of_a_run_of_a_batch_is_titled_by_its_trace(own_run, tmp_path):
    name = "0123456789abcdef" * 2
    own_run.rename(tmp_path / name)
    written = write_page(tmp_path / name, tmp_path / "page.html")
    manifest, _ = page_of(written.path.read_text(encoding="utf-8"))
    assert manifest["title"] == "drive 01234567"


def test_a_cloud_that_frames_repeat_is_there_once(run, tmp_path):
    """The second message repeats the first: of three frames with two sensors, four clouds."""
    text = write_page(run, tmp_path / "a.html").path.read_text(encoding="utf-8")
    manifest, chunks = page_of(text)
    used = Counter(each["chunk"] for frame in manifest["frames"] for each in frame["scans"])
    assert sorted(used.values()) == [1, 1, 2, 2]
    boxes = {frame["boxes"] for frame in manifest["frames"]}
    assert len(boxes) == 2
    assert len(chunks) == 6 + further(manifest)


@pytest.mark.parametrize(("clouds", "start"), [("aaab", 2), ("ab", 0), ("aaa", 0), ("", 0)])
def test_a_page_starts_with_the_last_frame_before_anything_changes(clouds, start):
    contents = Contents(title="", sensors=("roof",))
    for number, key in enumerate(clouds):
        contents.add_cloud(key, CloudChunk(b"", 0, 0.1))
        row = FrameRow(number, number, "roof", 0, key, 0, 0, None, None)
        frame = PageFrame(number=number, time_ns=number, scans=((row, key),), boxes=None)
        contents.frames.append(frame)
    assert contents.manifest()[0]["start"] == start


def test_boxes_are_those_of_the_messages(run, tmp_path):
    text = write_page(run, tmp_path / "a.html").path.read_text(encoding="utf-8")
    manifest, chunks = page_of(text)
    _, columns = chunk_of(chunks[manifest["frames"][2]["boxes"]])
    assert values_of(columns["object"]).tolist() == ["1", str(BOX)]
    assert values_of(columns["type"]).tolist() == ["car", "car"]
    np.testing.assert_allclose(values_of(columns["x"]), [0.5, 12.0], atol=0.001)
    np.testing.assert_allclose(values_of(columns["length"]), [4.0, 4.0], atol=0.001)
    assert manifest["host"] == "1"


def test_the_page_asks_for_nothing_and_allows_only_its_own_program(run, tmp_path):
    text = write_page(run, tmp_path / "a.html").path.read_text(encoding="utf-8")
    page = re.sub(r'<script type="text/plain".*?</script>', "", text)
    assert not ADDRESS.findall(page)
    assert not ASKING.findall(page)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; ")
    for kind in ("script", "style"):
        (own,) = re.findall(rf"<{kind}>(.*?)</{kind}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "innerHTML" not in page


def made_hostile(folder):
    """Give the materials and the trace of a run a hostile name, and return it."""
    hostile = "</script><img src=x onerror=alert(1)><!-- program -->"
    path = folder / "run.json"
    content = json.loads(path.read_text())
    content["materials"] = [hostile] * len(content["materials"])
    content["input"]["file"] = hostile
    path.write_text(json.dumps(content))
    return hostile


def test_hostile_names_stay_text(own_run):
    hostile = made_hostile(own_run)
    text = write_page(own_run).path.read_text(encoding="utf-8")
    assert hostile not in text
    assert "<img" not in text
    assert hostile in page_of(text)[0]["notes"][0]
    points = np.ones(2, [(axis, "<f4") for axis in "xyz"])
    assert hostile not in cloud_page(points, title=hostile)


def test_a_run_without_its_trace_has_no_boxes_and_says_so(own_run):
    path = own_run / "run.json"
    content = json.loads(path.read_text())
    content["input"]["file"] = "gone.osi"
    path.write_text(json.dumps(content))
    result = view(own_run)
    assert result.exit_code == 0
    (line,) = result.stderr.splitlines()
    assert "has no boxes of objects and no scene: gone.osi: no such file" in line
    manifest, _ = page_of((own_run / PAGE_NAME).read_text(encoding="utf-8"))
    assert {frame["boxes"] for frame in manifest["frames"]} == {None}
    assert "gone.osi" in manifest["notes"][0]


def test_a_scan_without_messages_has_a_page_without_boxes(tmp_path):
    scan(wall_config(tmp_path), tmp_path / "run")
    written = write_page(tmp_path / "run")
    manifest, _ = page_of(written.path.read_text(encoding="utf-8"))
    assert written.notes == ()
    assert manifest["frames"][0]["boxes"] is None


def test_sensors_and_frames_are_chosen(run, tmp_path):
    written = write_page(run, tmp_path / "a.html", sensors=["left"], frames=slice(1, 3))
    manifest, _ = page_of(written.path.read_text(encoding="utf-8"))
    assert manifest["sensors"] == ["left"]
    assert [frame["number"] for frame in manifest["frames"]] == [1, 2]


def test_a_page_is_thinned_to_the_largest_size_and_says_so(tmp_path):
    """The second frame repeats the first, so that one of three is left: the first."""
    dense = {"horizontal": {"min_deg": -30, "max_deg": 30, "step_deg": 0.2}}
    run = make_run(tmp_path, sensors=[{**SENSORS[0], "pattern": {**GRID, **dense}}])
    most = write_page(run, tmp_path / "whole.html").n_byte / 1e6 - 0.001
    result = view(run, "--max-mb", most)
    assert result.exit_code == 0, result.stderr
    assert "shows 1 of 3 frames, one in 4" in " ".join(result.stderr.split())
    assert (run / PAGE_NAME).stat().st_size <= most * 1e6
    manifest, chunks = page_of((run / PAGE_NAME).read_text(encoding="utf-8"))
    assert [frame["number"] for frame in manifest["frames"]] == [0]
    assert len(chunks) == 2 + further(manifest)  # the cloud, the boxes
    assert "shows 1 of 3 frames" in manifest["notes"][0]


def test_a_frame_that_is_too_large_alone_is_an_error(run, tmp_path):
    with pytest.raises(InputError, match=r"one frame takes .* MB of the page"):
        write_page(run, tmp_path / "a.html", limits=PageLimits(page_mb=0.08))


@pytest.mark.parametrize("size", ["0", "-1", "nan", "inf"])
def test_a_largest_size_that_is_none_is_refused(run, size):
    result = view(run, f"--max-mb={size}")
    assert result.exit_code == 2
    assert "--max-mb: got" in result.stderr


def test_a_cloud_of_the_run_knows_its_materials(run, tmp_path):
    written = write_page(run / "front" / "000000.pcd", tmp_path / "a.html")
    _, (chunk,) = page_of(written.path.read_text(encoding="utf-8"))
    _, columns = chunk_of(chunk)
    assert set(columns["material_id"]["names"]) <= {*open_run(run).materials, "none"}
    assert not any(name.isdecimal() for name in columns["material_id"]["names"])


def test_a_cloud_of_another_program_needs_only_places(tmp_path):
    points = np.zeros(5, [("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("curvature", "<f4")])
    points["x"], points["curvature"] = np.arange(1, 6), np.arange(5) / 7
    write_pcd(tmp_path / "scan.pcd", points)
    written = write_page(tmp_path / "scan.pcd")
    assert written.path == tmp_path / "scan.html"
    _, (chunk,) = page_of(written.path.read_text(encoding="utf-8"))
    _, columns = chunk_of(chunk)
    np.testing.assert_allclose(values_of(columns["curvature"]), points["curvature"], atol=1e-5)


def test_numpy_clouds_are_shown_too(run, tmp_path):
    points = read_pcd(run / "front" / "000000.pcd")
    np.save(tmp_path / f"a{SUFFIX}", points)
    assert view(tmp_path / f"a{SUFFIX}").exit_code == 0


@pytest.mark.parametrize("names", [(), ("x", "y"), ("x", "y", "z")])
def test_clouds_without_points_or_places(tmp_path, names):
    write_pcd(tmp_path / "a.pcd", np.zeros(0, [(name, "<f4") for name in (*names, "other")]))
    result = view(tmp_path / "a.pcd")
    assert result.exit_code == (0 if len(names) == 3 else 2)
    assert ("has no field" in result.stderr) == (len(names) < 3)


def test_errors_are_one_line(run, tmp_path):
    (tmp_path / "text.pcd").write_text("no cloud")
    (tmp_path / "empty").mkdir()
    for arguments, words in {
        ("absent",): "absent: no such file or folder, expected the folder of a run, a cloud",
        (tmp_path / "text.pcd",): "is not a PCD file",
        (tmp_path / "empty",): "expected the folder of a run",
        (run, "--sensor", "frnt"): "did you mean 'front'?",
        (run, "--frames", "70:80"): "has no frames in the chosen range",
        (
            run / "front" / "000000.pcd",
            "--sensor",
            "front",
        ): "is not the folder of a run, leave out",
        (
            run / "front" / "000000.pcd",
            "--frames",
            "1:2",
        ): "has no frames in the chosen range, expected some of its 1 frames",
        (run, "--out", tmp_path / "nowhere" / "a.html"): "cannot be written",
    }.items():
        result = view(*arguments)
        assert result.exit_code == 2, arguments
        assert words in " ".join(result.stderr.split())
        assert len(result.stderr.splitlines()) == 1


def test_a_run_without_clouds_is_an_error(tmp_path):
    folder = make_run(tmp_path, output={"pcd": "none"})
    with pytest.raises(InputError, match=r"has no clouds \(was it run with output.pcd: none\?\)"):
        write_page(folder)


@pytest.mark.parametrize("name", ["run.json", "frames.csv", "front/000000.pcd"])
def test_the_page_replaces_no_file_of_the_run(own_run, name):
    before = (own_run / name).read_bytes()
    with pytest.raises(OutputError, match="is an input"):
        write_page(own_run, own_run / name)
    assert (own_run / name).read_bytes() == before


def test_the_page_does_not_replace_the_trace_of_the_run(own_run):
    trace = open_run(own_run).trace
    before = trace.read_bytes()
    with pytest.raises(OutputError, match="is an input"):
        write_page(own_run, trace)
    assert trace.read_bytes() == before


def test_a_later_run_with_overwrite_removes_the_page(tmp_path):
    scan(wall_config(tmp_path), tmp_path / "run")
    assert view(tmp_path / "run").exit_code == 0
    assert (tmp_path / "run" / "view.html").exists()
    scan(wall_config(tmp_path), tmp_path / "run", overwrite=True)
    assert not (tmp_path / "run" / "view.html").exists()


def test_the_browser_is_a_process_of_its_own_and_only_opened_if_wanted(run, tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr(
        command.subprocess, "Popen", lambda argv, **options: started.append((argv, options))
    )
    page = tmp_path / "a page.html"
    assert view(run, "--out", page).exit_code == 0
    assert started == []
    result = CliRunner().invoke(app, ["view", str(run), "--out", str(page)])
    assert result.exit_code == 0
    ((argv, options),) = started
    assert argv[1:] == ["-I", "-m", "webbrowser", page.as_uri()]
    assert options["start_new_session"]


def test_a_browser_that_cannot_start_is_told_and_no_error(run, tmp_path, monkeypatch):
    def refuse(*_args, **_options):
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(command.subprocess, "Popen", refuse)
    result = CliRunner().invoke(app, ["view", str(run), "--out", str(tmp_path / "a.html")])
    assert result.exit_code == 0
    assert "the browser cannot be started" in result.stderr


def test_the_end_of_a_scan_names_the_command_that_shows_it(tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text(json.dumps(wall_config(tmp_path).resolved()))
    folder = tmp_path / "a run"
    result = CliRunner().invoke(app, ["scan", "-c", str(config), "-o", str(folder)])
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1] == f"look: osi-lidar view '{folder}'"


def test_fields_of_several_values_are_left_out_and_counted(tmp_path):
    points = np.ones(4, [("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("features", "<f4", (3,))])
    np.save(tmp_path / "cloud.npy", points)
    assert view(tmp_path / "cloud.npy", "--max-mb", "1e308").exit_code == 0
    header, columns = chunk_of(cloud_chunk(points).data)
    assert header["left_out"] == 1
    assert "features" not in columns
