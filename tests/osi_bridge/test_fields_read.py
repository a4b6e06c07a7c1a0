# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The table of the fields that are read: it is what readers do, and what the documentation says."""

import re
from pathlib import Path

import pytest
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import FrameDecoder, bones_of, ground_truth, object_details, wheel_motions
from osi_bridge.description.fields_read import READ, UNNEEDED, alternatives, in_braces
from osi_bridge.description.unused_field_search import UnusedFieldSearch
from tests.osi_bridge.helpers import field_of

_DOCS = Path(__file__).parents[2] / "docs" / "reference" / "osi-fields.md"
_TRUTH = "SensorView.global_ground_truth"
_COLORS = ("rgb", "rgbir", "grey", "hsv", "cmyk")


def _all(rows):
    return [path for row in rows for path in alternatives(row)]


def _leaves(path, field):
    """Yield the paths of the values in a field."""
    if field.message_type is None:
        yield path
        return
    for part in field.message_type.fields:
        yield from _leaves(f"{path}.{part.name}", part)


class _Watched:
    """A message that notes which of its values are asked for, by their paths."""

    def __init__(self, message, path, asked):
        self._own = message, path, asked

    def __getattr__(self, name):
        message, path, asked = self._own
        value, field = getattr(message, name), message.DESCRIPTOR.fields_by_name.get(name)
        if field is None:
            return value
        at = f"{path}{name}"
        if field.message_type is None:
            asked.add(at)
            return value
        before = "" if at == _TRUTH else f"{at}."
        if field.is_repeated:
            return [_Watched(each, before, asked) for each in value]
        return _Watched(value, before, asked)


def _fill(message):
    """Set all fields, lists of messages with one entry, to values that are possible."""
    for field in message.DESCRIPTOR.fields:
        if field.message_type is not None:
            part = getattr(message, field.name)
            _fill(part.add() if field.is_repeated else part)
        elif field.enum_type is not None and not field.is_repeated:
            setattr(message, field.name, field.enum_type.values[-1].number)
        elif not field.is_repeated:
            setattr(message, field.name, "x" if field.cpp_type == field.CPPTYPE_STRING else 1)


def _views():
    """Yield messages in which everything is set, but for one of what stands in for another."""
    for color in _COLORS:
        view = SensorView()
        truth = view.global_ground_truth
        _fill(truth)
        for name in ("version", "timestamp", "host_vehicle_id", "sensor_id", "mounting_position"):
            _fill(getattr(view, name))
        for thing in (truth.moving_object[0], truth.stationary_object[0]):
            for other in {*_COLORS, "luv"} - {color}:
                thing.color_description.ClearField(other)
        yield view
    truth.environmental_conditions.sun.ClearField("intensity")
    view.ClearField("timestamp")
    view.ClearField("version")
    yield view


def test_exactly_the_fields_of_the_table_are_read(monkeypatch):
    asked = set()
    monkeypatch.setattr(UnusedFieldSearch, "search", lambda *_: None)
    for view in _views():
        for n, name in enumerate(("moving_object", "stationary_object", "traffic_sign")):
            getattr(view.global_ground_truth, name)[0].id.value = n + 10
        watched = _Watched(view, "SensorView.", asked)
        monkeypatch.setattr(ground_truth, "_parse", lambda *_, seen=watched: seen)
        frame = FrameDecoder("SensorView").decode(b"", 0)
        assert len(frame.objects) == 4
        for row in range(4):
            object_details(frame, row)
        frame.stated_velocity_m_s(0)
        wheel_motions(frame, 0)
        bones_of(frame, 0)
    table = {
        leaf for path in _all(READ) for leaf in _leaves(path, field_of(path)) if path != _TRUTH
    }
    assert asked == table


def test_every_field_stands_once_and_exists():
    paths = [*_all(READ), *(path for group in UNNEEDED for path in _all(group.fields))]
    assert sorted(set(paths)) == sorted(paths)
    for path in paths:
        field_of(path)
        assert not any(path.startswith(f"{other}.") for other in paths if other != _TRUTH), path


def test_documentation_lists_the_fields_of_the_table():
    section = _DOCS.read_text().partition("## Read")[2].partition("## Written")[0]
    rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| ")]
    start = next(n for n, row in enumerate(rows) if row[0] == "| left out")
    read = [path for row in rows[:start] for path in re.findall(r"`([^`]+)`", row[0])]
    assert sorted(_all(read)) == sorted(_all(READ))
    told = [tuple(cell.strip("| ") for cell in row) for row in rows[start + 1 :]]
    of_table = [
        (group.what, group.reason, ", ".join(f"`{path}`" for path in group.fields))
        for group in UNNEEDED
    ]
    assert told == of_table


@pytest.mark.parametrize(
    ("paths", "words"),
    [
        (["occupant"], "occupant"),
        (["lane.id", "lane.type", "occupant"], "lane.{id, type}, occupant"),
        (["proj_string", "occupant"], "{proj_string, occupant}"),
    ],
)
def test_fields_of_one_message_stand_together(paths, words):
    assert in_braces(paths) == words


def test_braces_may_stand_in_braces():
    assert [*alternatives("a.{b, c.{d,e}}.f")] == ["a.b.f", "a.c.d.f", "a.c.e.f"]
