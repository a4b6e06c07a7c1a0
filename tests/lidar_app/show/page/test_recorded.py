# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pages of recordings and of clouds of other programs, alone and beside a run."""

import numpy as np
import pytest
from typer.testing import CliRunner

from lidar_app.cli.main import app
from lidar_app.show.page import write_page
from lidar_gap.reading import FORMATS
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
    assert (manifest["title"], manifest["notes"]) == (name, [])
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


def test_a_recording_has_no_scene_and_points_of_objects_if_it_knows_them(run, tmp_path):
    manifest, _ = shown_in(write_page(run / "front", tmp_path / "a.html").path)
    assert manifest["scene"] is None
    assert manifest["object_points"] is not None
    for number in range(2):
        POINTS.tofile(tmp_path / f"{number}.bin")
    manifest, _ = shown_in(write_page(tmp_path, tmp_path / "b.html").path)
    assert manifest["scene"] is manifest["object_points"] is None


def test_an_ouster_recording_is_shown_frame_by_frame(real_data, tmp_path):
    pytest.importorskip("ouster.sdk")
    scans = real_data / "scans/ouster"
    given = ["--metadata", scans / "OS-1-128_v2.3.0_1024x10.json", "--out", tmp_path / "a.html"]
    result = view(scans / "OS-1-128_v2.3.0_1024x10_lb_n3.pcap", *given)
    assert result.exit_code == 0, result.output
    manifest, chunks = shown_in(tmp_path / "a.html")
    assert len(manifest["frames"]) == 3
    assert {"ring", "column", "intensity", "time_ns"} <= chunks[0].keys()
