# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/evidence/reality.md and pages of sensors beside the verdicts, these beside descriptions."""

from pathlib import Path

import pytest

from lidar_gap.reality.measuring import ROWS
from lidar_gap.reality.recordings import catalogue
from tests.scenarios.scripts import script

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def page():
    return script(ROOT / "benchmarks" / "real" / "reality_page.py")


N_PARTS = 5


@pytest.mark.parametrize("number", range(N_PARTS))
def test_tables_are_those_of_the_verdicts(page, number):
    text = (ROOT / "docs" / "evidence" / "reality.md").read_text(encoding="utf-8")
    assert len(page.PARTS) == N_PARTS
    assert page.PARTS[number].renewed(text) == text


def test_the_readme_says_how_many_rows_are_within(page):
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert page.in_all() in readme


SENSORS = sorted({each.sensor for each in catalogue()})


@pytest.mark.parametrize("sensor", SENSORS)
def test_the_page_of_a_sensor_says_what_was_tuned_and_what_nobody_knows(page, sensor):
    section = page.section(sensor)
    text = (ROOT / "docs" / "reference" / "sensors" / f"{sensor}.md").read_text(encoding="utf-8")
    assert section in text.split("\n## What recordings say\n")[1].split("\n## ")[0]
    kinds = section.split("\n\n")[0]
    assert [line.split(" | ")[0] for line in kinds.splitlines()[2:]] == [
        f"| {word}" for word in ("tuned", "predicted", "not known")
    ]
    for name in page.KINDS.values():
        assert kinds.count(name) == 1, (kinds, name)


def test_every_recording_is_on_the_page_of_its_sensor_and_every_verdict_too(page):
    overview = page.sensors()
    for each in catalogue():
        section = page.section(each.sensor)
        assert f"| `{each.name}` | {each.title} |" in section
        assert f"@ {each.commit[:12]}, " in section
        judged = page.verdicts()[page.OURS]["recordings"][each.name]["rows"]
        assert section.count(f"| `{each.name}` |\n") + section.endswith(f"| `{each.name}` |") == (
            len(judged)
        )
        assert f"| [{each.sensor}](../reference/sensors/{each.sensor}.md#" in overview


def test_verdicts_are_of_the_recordings_that_are_described(page):
    known = {each.name: each for each in catalogue()}
    for subject in (page.OURS, page.PLAIN):
        found = page.verdicts()[subject]["recordings"]
        # plain rays have no objects to scan
        scanned = {
            name for name, each in known.items() if subject == page.OURS or each.scene != "targets"
        }
        assert found.keys() == scanned
        for name, each in found.items():
            assert (each["sensor"], each["commit"]) == (known[name].sensor, known[name].commit)
            for row, told in each["rows"].items():
                assert told["tuned"] == (ROWS[row].kind in known[name].tuned), (name, row)


def test_our_sensors_are_nearer_where_physics_decides_and_as_near_elsewhere(page):
    """Rows that plain rays tell, too: which of both is beyond what units differ by."""
    ours, plain = (page.verdicts()[subject]["recordings"] for subject in (page.OURS, page.PLAIN))
    beyond = {"ours": 0, "plain": 0}
    for name, each in ours.items():
        for row, told in each["rows"].items():
            other = plain.get(name, {"rows": {}})["rows"].get(row, {})
            if told["kind"] == "beams":
                assert told["verdict"] == other["verdict"], name
            elif told["kind"] in {"noise", "returns", "repeats"} and "difference" in other:
                beyond["ours"] += told["verdict"] == "beyond"
                beyond["plain"] += other["verdict"] == "beyond"
    assert beyond["ours"] < 0.1 * beyond["plain"]
