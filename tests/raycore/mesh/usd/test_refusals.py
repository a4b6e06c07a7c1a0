# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OpenUSD files that are broken, incomplete or out of bounds end in one line, and say no more."""

import sys

import pytest

from raycore.errors import MeshError
from raycore.mesh.companions import companion_files
from raycore.mesh.loading import load_mesh
from raycore.mesh.usd import process
from tests.builders.extras import needs
from tests.builders.files import written
from tests.builders.refusals import one_line
from tests.builders.usd import square, stage, write_crate, write_stage

NEEDED = needs("pxr")


def test_without_usd_core_one_line_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "find_spec", lambda _: None)
    path = write_stage(tmp_path / "a.usda", square())
    with one_line(
        MeshError, "needs usd-core, which is not installed: pip install 'osi-lidar[usd]'"
    ):
        load_mesh(path)
    assert companion_files(path) == {}


def referring(*how):
    return f'def Xform "A" (\n{" ".join(how)}\n) {{\n}}\n{square()}'


BROKEN = {
    "no USD": ("nothing of the kind", "cannot be read as OpenUSD: "),
    "cut": (stage(square())[:150], "cannot be read as OpenUSD: "),
    "no geometry": (stage('def Xform "A" {\n}\n'), "has no faces, expected at least one triangle"),
    "a missing reference": (
        stage(referring("prepend references = @./absent.usda@")),
        "absent.usda, named at /A, which does not exist",
    ),
    "a missing payload": (
        stage(referring("prepend payload = @./absent.usda@")),
        "absent.usda, named at /A, which does not exist",
    ),
    "a missing sublayer": (
        stage(square(), more="    subLayers = [@./absent.usda@]"),
        "absent.usda, which does not exist",
    ),
    "a missing prim": (
        stage(referring("prepend references = </Absent>")),
        "a.usda, named at /A, which is not there",
    ),
    "a missing default prim": (
        stage(referring("prepend references = @./a.usda@")),
        "needs a default prim in ",
    ),
    "a reference to itself": (
        stage(
            'def Xform "A" {\n def Xform "B" (\n prepend references = </A>\n ) {\n }\n}\n'
            + square()
        ),
        "includes itself",
    ),
    "a sublayer of itself": (
        stage(square(), more="    subLayers = [@./a.usda@]"),
        "a layer includes itself",
    ),
    "an expression": (
        stage(square(), more='    subLayers = [@`"${A}.usda"`@]'),
        "which is not supported; expected the path of a file",
    ),
    "value clips": (
        stage(square(head='clips = {\n dictionary default = {\n string primPath = "/S"\n }\n }')),
        "prim /Square has value clips, which are not supported",
    ),
    "a wrong number of corners": (
        stage(square().replace("[4]", "[5]")),
        "prim /Square: faceVertexCounts add up to 5, expected 4",
    ),
    "a corner that does not exist": (
        stage(square().replace("1, 2, 3]", "1, 2, 4]")),
        "prim /Square: faceVertexIndices[3] is 4, expected 0 to 3",
    ),
    "points that are no points": (
        stage(square().replace("point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]",
                               'string points = "many"')),
        "cannot be read as OpenUSD: prim /Square: ",
    ),
    "infinity": (stage(square().replace("(1, 1, 0)", "(inf, 1, 0)")), "expected finite numbers"),
    "a unit of nothing": (stage(square(), unit=0), "metersPerUnit is 0.0, expected a positive"),
    "another axis": (stage(square(), up="X"), "upAxis is 'X', expected Y or Z"),
}  # fmt: skip


@NEEDED
@pytest.mark.parametrize(("text", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_ends_in_one_line_and_nothing_is_printed(tmp_path, text, message, capfd):
    path = written(tmp_path / "a.usda", text)
    with one_line(MeshError, message, start=f"mesh file {path}: "):
        load_mesh(path)
    assert capfd.readouterr() == ("", "")


@NEEDED
@pytest.mark.parametrize("part", [0.0, 0.05, 0.4, 0.9, 0.99])
def test_a_truncated_binary_file_ends_in_one_line(tmp_path, part):
    path = write_crate(tmp_path / "a.usdc", stage("".join(square(f"S{k}") for k in range(20))))
    whole = path.read_bytes()
    path.write_bytes(whole[: int(part * len(whole))])
    with one_line(MeshError, start=f"mesh file {path}"):
        load_mesh(path)


@NEEDED
@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usdz", ".usd"])
def test_bytes_of_another_format_end_in_one_line(tmp_path, suffix):
    path = written(tmp_path / f"a{suffix}", bytes(range(256)) * 4)
    with one_line(MeshError, "cannot be read as OpenUSD", start=f"mesh file {path}"):
        load_mesh(path)


@NEEDED
def test_text_that_is_no_utf_8_ends_in_one_line_with_its_place(tmp_path):
    path = written(tmp_path / "a.usda", stage(square()).encode().replace(b"def", b"d\xffef"))
    with one_line(MeshError, "a.usda: cannot be read as OpenUSD: line 7: "):
        load_mesh(path)
    over = write_stage(tmp_path / "b.usda", square(), more="    subLayers = [@a.usda@]\n")
    with one_line(MeshError, "a.usda, which cannot be read as OpenUSD: line 7: "):
        load_mesh(over)


@NEEDED
def test_a_process_that_dies_is_told_in_one_line(tmp_path, monkeypatch):
    path = write_stage(tmp_path / "a.usda", square())
    monkeypatch.setattr(process, "_PROGRAM", "import os; os.abort()")
    with one_line(MeshError, "its reader was ended by SIGABRT; the file is damaged, or needs"):
        load_mesh(path)
    monkeypatch.setattr(process, "_PROGRAM", "raise SystemExit(3)")
    with one_line(MeshError, "its reader ended with exit code 3; the file is damaged, or needs"):
        load_mesh(path)


@NEEDED
def test_a_stage_that_grows_without_bound_is_ended(tmp_path, monkeypatch):
    # Each prim references the one before it twice: 2^40 of them. Memory ends it, or time.
    pytest.importorskip("resource", reason="memory is not bounded here")
    body = f'def Xform "A0" {{\n{square()}\n}}\n'
    for k in range(40):
        twice = "".join(
            f'def Xform "{side}" (\nprepend references = </A{k}>\n) {{\n}}\n' for side in "LR"
        )
        body += f'def Xform "A{k + 1}" {{\n{twice}}}\n'
    path = write_stage(tmp_path / "a.usda", body)
    small = (
        "import lidar_base.files.bounds as b; b.FREE_USD_BYTES = 2**27; b.FREE_USD_SECONDS = 5; "
    )
    monkeypatch.setattr(
        process, "_PROGRAM", process._PROGRAM.replace("from raycore", small + "from raycore")
    )
    with one_line(MeshError, start=f"mesh file {path}: cannot be read as OpenUSD: "):
        load_mesh(path)


@NEEDED
def test_layers_outside_of_the_allowed_folders_are_not_read(tmp_path):
    write_stage(tmp_path / "secret.usda", f'def Xform "S" {{\n{square()}\n}}\n')
    inside = tmp_path / "in"
    path = written(inside / "a.usda", stage(referring("prepend references = @../secret.usda@</S>")))
    assert len(load_mesh(path).faces) == 4
    with one_line(MeshError, "secret.usda, which lies outside the allowed folders"):
        load_mesh(path, roots=[inside])
    (inside / "link.usda").symlink_to(tmp_path / "secret.usda")
    path.write_text(stage(referring("prepend references = @link.usda@</S>")))
    with one_line(MeshError, "link.usda, which lies outside the allowed folders"):
        load_mesh(path, roots=[inside])


@NEEDED
def test_modules_in_the_working_folder_are_not_run(tmp_path, monkeypatch):
    path = written(tmp_path / "a.usda", stage(square()))
    for name in ("json.py", "numpy.py", "pxr.py"):
        written(tmp_path / name, f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each])
    assert len(load_mesh(path).faces) > 0
    assert not (tmp_path / "ran").exists()


@NEEDED
def test_folders_of_the_environment_are_not_searched(tmp_path, monkeypatch):
    write_stage(tmp_path / "far" / "b.usda", f'def Xform "S" {{\n{square()}\n}}\n')
    path = written(tmp_path / "a.usda", stage(referring("prepend references = @b.usda@</S>")))
    monkeypatch.setenv("PXR_AR_DEFAULT_SEARCH_PATH", str(tmp_path / "far"))
    monkeypatch.chdir(tmp_path / "far")
    with one_line(MeshError, "needs b.usda, named at /A, which does not exist"):
        load_mesh(path)
