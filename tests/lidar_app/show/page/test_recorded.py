# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pages of recordings and of clouds of other programs, alone and beside a run."""

import numpy as np
import pytest
from typer.testing import CliRunner

from lidar_app.cli.main import app
from lidar_app.show.page import write_page
from lidar_app.show.page.page import shown_of, write_shown
from lidar_app.show.page.recorded import read_recording
from lidar_gap.reading import FORMATS
from osi_lidar.clouds.pcd import read_pcd
from tests.builders.extras import needs
from tests.builders.runs import make_run
from tests.lidar_app.show.page.decoding import chunk_of, page_of, places_of, values_of

POINTS = np.array([[1, 0, 0, 9], [2, 0.5, 1, 8], [3, 1, 0, 7], [4, 0, 2, 6]], np.float32)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return make_run(tmp_path_factory.mktemp("run"))


def view(*arguments):
    return CliRunner().invoke(app, ["view", *map(str, arguments), "--no-open"])


def shown_in(path):
    """Return the manifest of a page, and the columns of its chunks."""
    manifest, chunks = page_of(path.read_text(encoding="utf-8"))
    return manifest, [chunk_of(chunk)[1] for chunk in chunks]


def write_ply(path):
    head = "ply\nformat ascii 1.0\nelement vertex 4\n"
    fields = "".join(f"property float {name}\n" for name in ("x", "y", "z", "intensity"))
    rows = "".join(f"{x} {y} {z} {i}\n" for x, y, z, i in POINTS)
    path.write_text(f"{head}{fields}end_header\n{rows}")


def write_laz(path):
    import laspy

    las = laspy.create(point_format=6)
    las.header.scales = [0.001] * 3
    las.x, las.y, las.z = POINTS[:, :3].T
    las.intensity = POINTS[:, 3].astype(np.uint16)
    las.write(path)


WRITERS = {
    "a.bin": POINTS.tofile,
    "a.npy": lambda path: np.save(path, POINTS),
    "a.npz": lambda path: np.savez(path, a=POINTS),
    "a.ply": write_ply,
    "a.laz": write_laz,
}


LAZ = pytest.param("a.laz", marks=needs("laspy", "lazrs"))


@pytest.mark.parametrize("name", ["a.bin", "a.npy", "a.npz", "a.ply", LAZ])
def test_a_cloud_of_each_format_is_shown_with_its_columns(name, tmp_path):
    WRITERS[name](tmp_path / name)
    result = view(tmp_path / name)
    assert (result.exit_code, result.stderr) == (0, "")
    manifest, (columns,) = shown_in(tmp_path / "a.html")
    assert (manifest["title"], manifest["notes"], manifest["sides"]) == (name, [], [])
    np.testing.assert_allclose(places_of(columns), POINTS[:, :3], atol=0.001)
    intensity = values_of(columns["intensity"]).astype(float)
    np.testing.assert_allclose(intensity, POINTS[:, 3], atol=0.01)


def test_a_folder_of_clouds_is_a_page_of_frames_in_natural_order(tmp_path):
    for number in (2, 10, 1):
        (POINTS * [number, 1, 1, 1]).astype(np.float32).tofile(tmp_path / f"{number}.bin")
    written = write_page(tmp_path)
    assert written.path == tmp_path / "view.html"
    manifest, chunks = shown_in(written.path)
    assert [frame["time_s"] for frame in manifest["frames"]] == pytest.approx([0.0, 0.1, 0.2])
    farthest = [places_of(columns)[:, 0].max() for columns in chunks]
    np.testing.assert_allclose(farthest, [4.0, 8.0, 40.0], atol=0.01)
    assert manifest["notes"] == ["plays ten clouds a second, whatever the time between them"]
    assert write_page(tmp_path, frames=slice(1, None)).n_frame == 2


def test_clouds_on_a_map_keep_their_millimetres(tmp_path):
    las = pytest.importorskip("laspy").create(point_format=6)
    las.header.scales, las.header.offsets = [0.001] * 3, [691_000.0, 5_335_000.0, 500.0]
    las.x, las.y, las.z = 691_000.0 + POINTS[:, 0], np.full(4, 5_335_000.0), np.full(4, 501.0)
    las.write(tmp_path / "city.las")
    _, (columns,) = shown_in(write_page(tmp_path / "city.las").path)
    np.testing.assert_allclose(places_of(columns)[:, 0], 691_000.0 + POINTS[:, 0], atol=0.001)


def test_what_is_not_opened_gets_one_line_that_names_what_is(tmp_path):
    (tmp_path / "drive.osi").write_bytes(bytes(100))
    result = view(tmp_path / "drive.osi")
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert all(suffix in result.stderr for each in FORMATS for suffix in each.suffixes)


def beside(run, recording, out):
    shown = shown_of(run, sensors=["front"], beside=read_recording(recording))
    return shown_in(write_shown(shown, out).path)


def test_recorded_clouds_are_beside_the_scans_in_their_order_and_at_their_poses(run, tmp_path):
    for number in range(2):  # of three frames, the first two have one scan
        POINTS[: number + 1].tofile(tmp_path / f"{number}.bin")
    manifest, chunks = beside(run, tmp_path, tmp_path / "a.html")
    assert manifest["sensors"] == ["front", "recorded"]
    assert manifest["sides"] == ["simulated", "recorded"]
    assert manifest["notes"] == []
    for frame, n_point in zip(manifest["frames"], (1, 1, 2), strict=True):
        scan, cloud = frame["scans"]
        assert (scan["sensor"], cloud["sensor"], cloud["points"]) == (0, 1, n_point)
        assert all(scan[key] == cloud[key] for key in ("begin", "end", "duration_ns"))
        np.testing.assert_allclose(
            places_of(chunks[cloud["chunk"]]), POINTS[:n_point, :3], atol=0.001
        )


def test_a_run_beside_a_recording_keeps_scene_boxes_and_numbers_of_points(run, tmp_path):
    POINTS.tofile(tmp_path / "0.bin")
    POINTS.tofile(tmp_path / "1.bin")
    alone, chunks_alone = shown_in(write_page(run, tmp_path / "b.html", sensors=["front"]).path)
    manifest, chunks = beside(run, tmp_path, tmp_path / "a.html")
    assert len(manifest["scene"]["parts"]) == len(alone["scene"]["parts"]) > 0
    assert manifest["scene"]["still"][0][0][1] == alone["scene"]["still"][0][0][1]
    for frame, frame_alone in zip(manifest["frames"], alone["frames"], strict=True):
        assert frame["still"] == frame_alone["still"] is not None
        assert values_of(chunks[frame["boxes"]]["part"]).tolist() == (
            values_of(chunks_alone[frame_alone["boxes"]]["part"]).tolist()
        )
    counts, counts_alone = (
        {name: values_of(columns[name]).tolist() for name in ("cloud", "object", "points")}
        for columns in (chunks[manifest["object_points"]], chunks_alone[alone["object_points"]])
    )
    assert counts["cloud"] == [2 * number for number in counts_alone.pop("cloud")] != []
    assert {name: counts[name] for name in counts_alone} == counts_alone


def test_limits_hold_for_a_run_beside_a_recording(run, tmp_path):
    POINTS.tofile(tmp_path / "0.bin")
    given = ["--sensor", "front", "--beside", tmp_path / "0.bin", "--out", tmp_path / "a.html"]
    assert view(run, *given, "--no-scene").exit_code == 0
    assert shown_in(tmp_path / "a.html")[0]["scene"] is None
    result = view(run, *given, "--max-mb", "0.08")
    assert result.exit_code == 2
    assert "--max-mb allows" in result.stderr


def test_a_recording_has_no_scene_and_points_of_objects_if_it_knows_them(run, tmp_path):
    manifest, _ = shown_in(write_page(run / "front", tmp_path / "a.html").path)
    assert manifest["scene"] is None
    assert manifest["object_points"] is not None
    for number in range(2):
        POINTS.tofile(tmp_path / f"{number}.bin")
    manifest, _ = shown_in(write_page(tmp_path, tmp_path / "b.html").path)
    assert manifest["scene"] is manifest["object_points"] is None


def test_unequal_numbers_are_paired_from_the_first_and_told(run, tmp_path):
    POINTS.tofile(tmp_path / "0.bin")
    manifest, _ = beside(run, tmp_path / "0.bin", tmp_path / "a.html")
    assert [len(frame["scans"]) for frame in manifest["frames"]] == [2, 2, 1]
    (note,) = manifest["notes"]
    assert note.startswith("pairs scans (2) with the clouds of 0.bin (1) in their order")
    assert note.endswith("the last scans have nothing beside them")


def test_a_pairing_is_given_by_the_frames_of_both(run, tmp_path):
    for number in range(5):
        POINTS[: number % 4 + 1].tofile(tmp_path / f"{number}.bin")
    given = ["--sensor", "front", "--frames", "1:3", "--beside", tmp_path, "--beside-frames", "2:4"]
    result = view(run, *given, "--out", tmp_path / "a.html")
    assert (result.exit_code, result.stderr) == (0, "")
    manifest, _ = shown_in(tmp_path / "a.html")
    pairs = [(frame["number"], frame["scans"][1]["points"]) for frame in manifest["frames"]]
    assert pairs == [(1, 3), (2, 4)]


def test_another_run_beside_keeps_the_names_of_its_materials(run, tmp_path):
    manifest, chunks = beside(run, run / "left", tmp_path / "a.html")
    second = chunks[manifest["frames"][0]["scans"][1]["chunk"]]
    points = read_pcd(run / "left" / "000000.pcd")
    assert len(second["material_id"]["codes"]) == len(points)
    assert not any(name.isdecimal() for name in second["material_id"]["names"])


def test_a_recording_beside_another_has_their_names_as_sides(tmp_path):
    for name in ("a.bin", "b.bin"):
        POINTS.tofile(tmp_path / name)
    result = view(tmp_path / "a.bin", "--beside", tmp_path / "b.bin")
    assert result.exit_code == 0, result.output
    assert shown_in(tmp_path / "a.html")[0]["sides"] == ["a.bin", "b.bin"]


def test_errors_beside_are_one_line(run, tmp_path):
    POINTS.tofile(tmp_path / "0.bin")
    cloud = tmp_path / "0.bin"
    for arguments, words in {
        (run, "--beside", cloud): "the run has the sensors front, left; choose the one",
        (run, "--sensor", "left", "--beside", tmp_path / "absent"): "absent: no such file",
        (run, "--beside-frames", "0:1"): "--beside-frames: needs --beside RECORDING",
        (
            run,
            "--beside",
            cloud,
            "--beside-frames",
            "4:5",
        ): "0.bin: has no frames in the chosen range",
        (run, "--beside", cloud, "--beside-frames", "x"): "--beside-frames: got 'x'",
        (run, "--sensor", "left", "--beside", cloud, "--out", cloud): "is an input",
    }.items():
        result = view(*arguments)
        assert result.exit_code == 2, arguments
        assert words in " ".join(result.stderr.split())
        assert len(result.stderr.splitlines()) == 1


@pytest.mark.long
def test_an_ouster_recording_is_shown_frame_by_frame(real_data, tmp_path):
    pytest.importorskip("ouster.sdk")
    scans = real_data / "scans/ouster"
    given = ["--metadata", scans / "OS-1-128_v2.3.0_1024x10.json", "--out", tmp_path / "a.html"]
    result = view(scans / "OS-1-128_v2.3.0_1024x10_lb_n3.pcap", *given)
    assert result.exit_code == 0, result.output
    manifest, chunks = shown_in(tmp_path / "a.html")
    assert len(manifest["frames"]) == 3
    assert {"ring", "column", "intensity", "time_ns"} <= chunks[0].keys()
