# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What is public is what the inventory says, and nothing of it goes without a word."""

import json
from copy import deepcopy
from pathlib import Path

import pytest

from tests.scenarios.scripts import script

REPOSITORY = Path(__file__).resolve().parents[2]
checker = script(REPOSITORY / "tools" / "inventory.py")
PAGE = (REPOSITORY / checker.PAGE).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def found():
    return checker.inventory()


def test_the_inventory_is_that_of_the_code(found):
    assert (REPOSITORY / checker.INVENTORY).read_text(encoding="utf-8") == checker.text(found)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("names", "osi_lidar.scan_trace"),
        ("commands", "osi-lidar replay --out/-o"),
        ("keys", "Mounting: x_m"),
        ("columns", "cloud: range"),
        ("FMU variables", "OSMPSensorViewIn"),
        ("OSI fields written", ".detection[].position"),
        ("exit codes", "unusable"),
    ],
)
def test_what_is_removed_is_found(found, kind, name):
    less = deepcopy(found)
    del less[kind][name]
    (line,) = checker.unannounced(checker.lost(found, less), PAGE)
    assert line == f"{kind}: {name} is gone; state it in {checker.PAGE}"


def test_what_is_changed_is_found(found):
    other = deepcopy(found)
    other["keys"]["config: seed"] = "integer, default 7"
    (line,) = checker.unannounced(checker.lost(found, other), PAGE)
    assert line.startswith("keys: config: seed was (integer, default ")


def test_what_the_page_states_is_announced(found):
    less = deepcopy(found)
    del less["commands"]["osi-lidar replay --out/-o"]
    page = f"{PAGE}| `commands: osi-lidar replay --out/-o` | 0.9 | `--to` |\n"
    assert not checker.unannounced(checker.lost(found, less), page)


def test_an_addition_needs_no_announcement(found):
    more = json.loads(json.dumps(found))
    more["keys"]["config: news"] = "boolean, default false"
    assert not checker.lost(found, more)


def test_a_key_may_take_more_values_but_not_less(found):
    more = deepcopy(found)
    for name, value in (("Beam: profile", '"flat"'), ("Sensor: preset", '"A1"')):
        more["keys"][name] = found["keys"][name].replace("[", f"[{value}, ", 1)
    assert not checker.lost(found, more)
    assert checker.lost(more, found) == {
        "keys: Beam: profile": 'takes no longer: "flat"',
        "keys: Sensor: preset": 'takes no longer: "A1"',
    }


@pytest.mark.parametrize("promise", ['["uniform"], default "uniform"', '["gaussian"], required'])
def test_another_default_is_a_change(found, promise):
    other = deepcopy(found)
    other["keys"]["Beam: profile"] = promise
    (change,) = checker.lost(found, other).values()
    assert change.startswith("was ([")
