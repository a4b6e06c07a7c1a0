# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""README, pages and every FMU say of the model what one file says."""

import re
from pathlib import Path

import pytest

from fmu_src.exporter import claims
from fmu_src.exporter.pages import _ICONS
from tests.scenarios.scripts import script

REPOSITORY = Path(__file__).resolve().parents[2]
renderer = script(REPOSITORY / "tools" / "render_claims.py")
PAGES = {path: path.read_text(encoding="utf-8") for path in renderer.pages()}
PARTS = {
    (path.relative_to(REPOSITORY).as_posix(), found["name"])
    for path, page in PAGES.items()
    for found in renderer.PART.finditer(page)
}
NAMES = {*claims.statements(), "not modelled", "where the model ends"}
NEEDED = {
    ("README.md", "compared"),
    ("README.md", "reality"),
    ("README.md", "limits"),
    ("README.md", "determinism"),
    ("README.md", "weather_points"),
    ("README.md", "platforms"),
    ("README.md", "fmi"),
    ("README.md", "not modelled"),
    ("docs/reference/features.md", "not modelled"),
    ("docs/reference/features.md", "fmi"),
    ("docs/evidence/accuracy.md", "determinism"),
    ("docs/evidence/accuracy.md", "weather_points"),
    ("docs/evidence/accuracy.md", "where the model ends"),
    ("docs/evidence/validation.md", "limits"),
    ("docs/evidence/validation.md", "compared"),
    ("docs/evidence/validation.md", "hall"),
    ("docs/evidence/validation.md", "without_targets"),
}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(REPOSITORY).as_posix())
def test_pages_say_what_the_file_says(path):
    assert renderer.renewed(PAGES[path], path) == PAGES[path]


def test_every_mark_is_closed():
    for path, page in PAGES.items():
        n_begun = len(re.findall(r"<!-- claims: ", page))
        assert n_begun == page.count("<!-- claims end -->") == len(renderer.PART.findall(page)), (
            path
        )


def test_statements_are_on_the_pages_that_need_them():
    assert PARTS >= NEEDED
    assert {name for _, name in PARTS} == NAMES


def test_figures_are_those_of_verdicts_and_limits():
    assert claims.figures() == renderer.counted()


def test_the_table_of_the_readme_has_the_figures_of_validation():
    section = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    section = section.partition("\n## Beside real sensors\n")[2].partition("\n## ")[0]
    found = [
        [cell.strip() for cell in row.split("|")[2:4]]
        for row in section.splitlines()
        if "mm |" in row or "% |" in row
    ]
    n = claims.figures()
    assert found == [
        [f"{n['hall_mm']} mm", f"{n['hall_real_mm']} mm"],
        [f"{n['hall_iou_percent']} %", f"{n['hall_real_iou_percent']} %"],
        [f"{n['street_unit_mm']} mm", "not compared"],
        [f"{n['street_preset_mm']} mm", "not compared"],
    ]
    assert f"| {1 + n['hall_more_percent'] / 100} | 1.00 |" in section


def test_the_versions_of_fmi_are_those_that_are_built():
    assert re.findall(r"\d\.\d", claims.statement("fmi")) == [f"{each}.0" for each in _ICONS]


def test_links_lead_to_the_same_file_and_line_breaks_stay(tmp_path):
    (tmp_path / "docs" / "evidence").mkdir(parents=True)
    page = "<!-- claims: where the model ends -->\n<!-- claims end -->\n"
    below = renderer.renewed(page, tmp_path / "docs" / "evidence" / "a.md", tmp_path)
    above = renderer.renewed(page, tmp_path / "README.md", tmp_path)
    assert "](../explanation/errors.md)" in below
    assert "](docs/explanation/errors.md)" in above
    words = claims.statement("determinism")
    broken = (
        f"So: <!-- claims: determinism -->{words.replace(', ', ',' + chr(10))}<!-- claims end -->"
    )
    assert renderer.renewed(broken, tmp_path / "README.md", tmp_path) == broken
    other = "So: <!-- claims: determinism -->always<!-- claims end --> and more"
    assert words in renderer.renewed(other, tmp_path / "README.md", tmp_path)


@pytest.mark.parametrize("check", [True, False])
def test_the_tool_reports_or_mends_a_page_that_differs(tmp_path, capsys, check):
    for name in (renderer.VERDICTS, renderer.LIMITS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((REPOSITORY / name).read_bytes())
    readme = tmp_path / "README.md"
    readme.write_text("It is <!-- claims: fmi -->FMI 1.0<!-- claims end -->.\n")
    with pytest.raises(SystemExit) as ended:
        renderer.main(["--check"] if check else [], tmp_path)
    assert ended.value.code == int(check)
    told = capsys.readouterr().out
    assert ("README.md: differs" in told) == check
    assert ("FMI 1.0" in readme.read_text()) == check


def test_the_tool_reports_a_figure_that_its_source_does_not_have(tmp_path, capsys):
    for name in (renderer.VERDICTS, renderer.LIMITS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((REPOSITORY / name).read_bytes())
    (tmp_path / "README.md").write_text("No part.\n")
    limits = tmp_path / renderer.LIMITS
    limits.write_text(
        limits.read_text(encoding="utf-8").replace("| 16.5 mm | yes |", "| 16.5 mm | no |")
    )
    with pytest.raises(SystemExit) as ended:
        renderer.main(["--check"], tmp_path)
    assert ended.value.code == 1
    told = capsys.readouterr().out
    n = claims.figures()
    assert f"claims.yaml: met: got {n['met']}, expected {n['met'] - 1}" in told
    assert f"claims.yaml: missed: got {n['missed']}, expected {n['missed'] + 1}" in told
