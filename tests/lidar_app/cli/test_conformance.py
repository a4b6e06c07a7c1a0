# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command conformance: reports, exit codes, and mistakes in one line."""

import json

import pytest

from lidar_app.conformance.scenes import SCENES
from tests.commands import assert_one_line, run
from tests.lidar_app.conformance.recorded import CONFIG, SHEET


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "lidar.yaml").write_text(CONFIG)
    (tmp_path / "sheet.yaml").write_text(SHEET)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_subject_without_answers_fails_and_the_report_says_so(folder):
    (folder / "answers").mkdir()
    told = run("conformance", "answers", "--sheet", "sheet.yaml", "--only", "wall", "-o", "report")
    assert told.exit_code == 1
    n = len(SCENES) - 1
    assert f"0 of {n + 1} scenes passed, 1 failed, {n} not run" in told.output
    assert "Cause: no answer: the subject wrote no trace of answers (1 scene)" in told.output
    page = (folder / "report" / "report.html").read_text()
    assert "no answer: the subject wrote no trace of answers" in page
    assert "left out by --only" in page


def test_write_gives_a_trace_for_each_scene_that_is_claimed(folder):
    asked = ("--only", "wall", "--only", "fog", "--only", "damaged_messages")
    told = run("conformance", "--sheet", "sheet.yaml", *asked, "--write", "questions")
    assert told.exit_code == 0
    assert [each.name for each in (folder / "questions").glob("[!.]*")] == ["wall.osi"]


def test_reflections_are_written_and_the_report_says_that_they_were_sent(folder):
    asked = ("--sheet", "sheet.yaml", "--only", "wall")
    run("conformance", *asked, "--write", "plain")
    told = run("conformance", *asked, "--reflections", "--write", "answers")
    assert told.exit_code == 0
    plain, filled = (folder / each / "wall.osi" for each in ("plain", "answers"))
    assert filled.stat().st_size > 100 * plain.stat().st_size
    for words, sent in (((), "none"), (("--reflections",), "lidar_sensor_view of 14400 rays")):
        run("conformance", "plain", *asked, *words, "-o", "report", "--overwrite")
        content = json.loads((folder / "report" / "report.json").read_text())
        assert content["reflections"].startswith(sent)
        page = (folder / "report" / "report.html").read_text()
        assert f"<tr><th>reflections sent</th><td>{sent}" in page


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("lidar.yaml",), "--sheet is missing"),
        (("--sheet", "sheet.yaml"), "SUBJECT is missing"),
        (("none.fmu", "--sheet", "sheet.yaml"), "none.fmu: no such file or folder"),
        (("lidar.yaml", "--sheet", "none.yaml"), "none.yaml: no such file"),
        (("lidar.yaml", "--sheet", "sheet.yaml", "--only", "hall"), "--only: got 'hall'"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_mistake_is_one_line(words, problem):
    assert_one_line(run("conformance", *words), 2, problem)
