# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Maps of few bytes that stand for many points end in one line, before these are made."""

import pytest

from lidar_base.errors import ConfigurationError
from lidar_scenery.roads.opendrive import allowance, read_map
from tests.builders.bombs import memory_bound
from tests.lidar_scenery.roads.opendrive.small_maps import lane, road, section, written

TWO = section(lane(0, ""), lane(-1))
ROW = '<repeat s="0" length="100" distance="{}" tStart="0" tEnd="0" heightStart="1" heightEnd="1"/>'
SHORT = ROW.format(0.5)
POLE = '<object id="{}" type="pole" s="0" t="0" zOffset="0" height="1" radius="0.1">{}</object>'
ARC = '<geometry s="0" x="0" y="0" hdg="0" length="1e5"><arc curvature="0.1"/></geometry>'
SO_FAR = "(points that roads and objects take|objects and copies of them) so far"
TILTED = '<lateralProfile><shape s="0" t="0" a="0" b="0.1" c="0" d="0"/></lateralProfile>'
WALL = POLE.format(1, ROW.format(0) * 2000)


def poles(*insides):
    things = "".join(POLE.format(number, inside) for number, inside in enumerate(insides))
    return road(TWO, more=f"<objects>{things}</objects>")


@pytest.mark.long
@pytest.mark.parametrize(
    "roads",
    [
        [poles(ROW.format(0.011) * 3000)],
        [poles(*[""] * 20_000)],
        [road(TWO, ARC, length=1e5)] * 60,
        [road(TWO, ARC, length=1e5, more=f"<objects>{WALL}</objects>")],
    ],
    ids=["copies", "objects", "stations", "rows without gaps"],
)
def test_a_map_takes_points_and_objects_in_proportion_to_its_bytes(tmp_path, roads):
    path = written(tmp_path, *roads)
    problem = f"{SO_FAR}: got [0-9]+, expected at most [0-9]+$"
    with memory_bound(300), pytest.raises(ConfigurationError, match=problem) as caught:
        read_map(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_lanes_of_one_number_count_each_for_itself(tmp_path):
    alike = section(lane(0, ""), *[lane(-1)] * 1200)
    path = written(tmp_path, road(alike, ARC.replace("1e5", "100"), more=TILTED))
    problem = "the lane section at s = 0 m takes over 1000000 points$"
    with memory_bound(300), pytest.raises(ConfigurationError, match=problem):
        read_map(path)


def test_objects_of_several_roads_count_together(tmp_path, monkeypatch):
    monkeypatch.setattr(allowance, "FREE_OBJECTS", 300)
    several = [road(TWO, name=k, more=f"<objects>{POLE.format(k, SHORT)}</objects>") for k in "ab"]
    with pytest.raises(ConfigurationError, match=f"{SO_FAR}: got 4"):
        read_map(written(tmp_path, *several))
    assert dict(read_map(written(tmp_path, several[0])).counts)["objects"] == 1


def test_a_map_of_many_bytes_may_have_many_objects(tmp_path):
    parts = read_map(written(tmp_path, poles(*[""] * 1000)))
    assert dict(parts.counts)["objects"] == 1000


@pytest.mark.long
def test_elements_of_a_road_are_bounded(tmp_path):
    rises = '<elevation s="0" a="0" b="0" c="0" d="0"/>' * 110_000
    path = written(tmp_path, road(TWO, more=f"<elevationProfile>{rises}</elevationProfile>"))
    problem = "line 1: elements that are kept so far: got 100001, expected at most 100000$"
    with pytest.raises(ConfigurationError, match=problem):
        read_map(path)


@pytest.mark.long
def test_elements_of_a_map_are_never_held_together(tmp_path):
    """Sixty times 200 kB, of which one road at a time takes 5 MiB, and all together 18 MiB."""
    rise = f'<elevation s="0" a="0" b="0" c="0" d="0" note="{"x" * 2000}"/>'
    profile = f"<elevationProfile>{rise * 100}</elevationProfile>"
    path = written(tmp_path, *[road(TWO, name=k, more=profile) for k in range(60)])
    with memory_bound(10):
        assert dict(read_map(path).counts)["roads"] == 60
