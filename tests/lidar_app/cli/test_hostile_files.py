# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files and names that would hang a command, or that it must not write over."""

import os
import stat

import pytest

from lidar_app.show.material_hits import count_hits
from lidar_base.files.whole_files import replacing
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.errors import InputError, OutputError
from tests.builders.files import PCD
from tests.builders.meshes import CUBE
from tests.builders.worlds import SENSOR
from tests.commands import assert_one_line, run
from tests.material_mapping.databases.database_files import write_spectrum

LONG_NAME = "manmade.road.pavingasphalt.solid.all.0095uuuasp.jhu.becknic"

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")


def scanned(folder, material="car_paint_red"):
    """Scan a cube into the folder `out`; return it."""
    (folder / "cube.obj").write_text(f"usemtl Paint\n{CUBE}")
    (folder / "m.yaml").write_text(f"materials: {{Paint: {material}}}")
    (folder / "c.yaml").write_text(
        SENSOR.replace("name: s,", "name: s, mounting: {x_m: -5, z_m: 0},")
        + "scene: {environment: [{mesh: cube.obj}]}\nmaterials: {mapping: m.yaml}\n"
    )
    result = run("scan", "--config", folder / "c.yaml", "--out", folder / "out")
    assert result.exit_code == 0, result.output
    return folder / "out"


@needs_pipes
def test_no_file_takes_the_place_of_a_pipe_or_a_device(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with (
        pytest.raises(OutputError, match=r"pipe: cannot be written: is a device or a pipe"),
        replacing(pipe) as temporary,
    ):
        temporary.write_text("x")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize(
    ("name", "words"), [("", "Is a directory"), ("x" * 5000, "File name too long")]
)
def test_a_name_that_no_file_can_have_is_told(tmp_path, name, words):
    with (
        pytest.raises(OutputError, match=f"cannot be written: {words}"),
        replacing(tmp_path / name),
    ):
        pass


@pytest.mark.parametrize(
    ("name", "words"), [("", "ending in .png"), (f"{'x' * 5000}.png", "File name too long")]
)
def test_a_plot_without_a_name_that_will_do_is_one_line(tmp_path, monkeypatch, name, words):
    monkeypatch.chdir(tmp_path)
    assert_one_line(run("materials", "show", "grass", "--plot", name), 2, words)


def test_a_plot_never_takes_the_place_of_a_configuration(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(SENSOR)
    result = run("materials", "show", "grass", "--config", path, "--plot", path)
    assert_one_line(result, 2, path, "expected the name of a picture, ending in .png")
    assert path.read_text() == SENSOR


def test_a_name_with_colons_is_shown_as_it_is(tmp_path):
    path = tmp_path / "a:x:b.yaml"
    assert_one_line(run("check", "--config", path), 2, "a:x:b.yaml: no such file")


def test_a_table_of_materials_in_place_of_a_name_is_told_in_plain_words(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(SENSOR + "scene: {objects: [{match: {id: 1}, materials: [grass]}]}\n")
    words = "scene.objects[0].materials: expected keys and values, got ['grass']"
    assert_one_line(run("check", "--config", path), 2, words)


def test_a_long_name_of_a_spectrum_leaves_room_for_the_other_columns(tmp_path):
    write_spectrum(tmp_path / "spectra" / f"{LONG_NAME}.spectrum.txt", {0.8: 10.0, 1.0: 12.0})
    (tmp_path / "cube.obj").write_text(f"usemtl Paint\n{CUBE}")
    (tmp_path / "m.yaml").write_text(f"materials: {{Paint: {LONG_NAME}}}")
    (tmp_path / "c.yaml").write_text(
        SENSOR + "scene: {environment: [{mesh: cube.obj}]}\n"
        "materials: {databases: [spectra], mapping: m.yaml}\n"
    )
    result = run("check", "--config", tmp_path / "c.yaml")
    assert result.exit_code == 0, result.output
    assert "rule materials.Paint" in result.stdout


@needs_pipes
@pytest.mark.parametrize("name", ["run.json", "frames.csv", "s/000000.pcd"])
def test_a_pipe_in_a_run_s_folder_is_not_waited_for(tmp_path, name):
    folder = scanned(tmp_path)
    (folder / name).unlink()
    os.mkfifo(folder / name)
    result = run("materials", "hits", folder)
    assert_one_line(result, 2, folder / name, "is a device or a pipe, expected a file")


@pytest.mark.parametrize("name", ["../c.pcd", "/c.pcd"])
def test_a_cloud_outside_of_the_run_s_folder_is_not_read(tmp_path, name):
    folder = scanned(tmp_path)
    table = folder / "frames.csv"
    table.write_text(table.read_text().replace("s/000000.pcd", name))
    with pytest.raises(InputError, match=r"frames\.csv: line 2: got .*c\.pcd', expected a file of"):
        count_hits(folder)


def test_a_header_that_promises_endless_values_is_damaged(tmp_path):
    path = tmp_path / "c.pcd"
    path.write_text(PCD.replace("COUNT 1 1 1", "COUNT 999999999 1 1"))
    with pytest.raises(InputError, match=r"c\.pcd: is not a PCD file, or is damaged"):
        read_pcd(path)
