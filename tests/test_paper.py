# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The paper has the form that JOSS asks for, and says what the pages say."""

import json
import re
from pathlib import Path

from osi_lidar.sensors.presets import preset_names

REPOSITORY = Path(__file__).resolve().parents[1]
_, _, PAPER = (REPOSITORY / "paper" / "paper.md").read_text(encoding="utf-8").split("---", 2)
BIBLIOGRAPHY = (REPOSITORY / "paper" / "paper.bib").read_text(encoding="utf-8")
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def test_it_is_short_and_has_the_sections_that_joss_asks_for():
    assert len(PAPER.split()) <= 1000
    headings = re.findall(r"^# (.+)$", PAPER, re.MULTILINE)
    assert {"Summary", "Statement of need", "State of the field", "References"} <= set(headings)


def test_what_it_cites_is_in_the_bibliography_and_the_other_way_round():
    cited = set(re.findall(r"@(\w+)", PAPER.split("---", 1)[-1]))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", BIBLIOGRAPHY, re.MULTILINE))


def test_its_figures_are_those_of_the_readme():
    words = " ".join(README.split())
    rows = re.search(r"Of (\d+) rows of \d+ sensors .*? (\d+) are within .*?\((\d+) of", words)
    assert f"Of {rows[1]} rows" in " ".join(PAPER.split())
    assert f"{rows[2]} are within this yardstick" in " ".join(PAPER.split())
    assert f"{rows[3]} of the {rows[2]} were tuned" in " ".join(PAPER.split())
    assert f"{len(list(preset_names()))} sensors are built in" in " ".join(PAPER.split())


def test_metadata_for_zenodo_names_licence_and_source():
    found = json.loads((REPOSITORY / ".zenodo.json").read_text(encoding="utf-8"))
    assert found["license"] == "Apache-2.0"
    assert found["related_identifiers"][0]["identifier"] == "10.3390/s24061846"
