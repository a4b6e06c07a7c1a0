# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a data set tells of its scenes: a table to filter by, the card, and nuScenes' words."""

import csv
import json
import re
from pathlib import Path

import pytest

from lidar_app.datasets.scene_facts import SceneFacts
from lidar_app.exports.export_run import MANIFEST
from lidar_app.show.info.data_set import data_set_info
from lidar_app.show.info.record import Info
from lidar_app.show.info.tables import info_tables
from osi_bridge import write_trace
from tests.builders.batches import CONFIG, in_one_process
from tests.builders.data_sets import drive
from tests.builders.files import written
from tests.builders.messages import SensorView
from tests.builders.weather import FILLS_THE_AIR
from tests.commands import run
from tests.lidar_app.datasets.conftest import write
from tests.lidar_app.datasets.test_data_set import contents

DOCS = Path(__file__).resolve().parents[3] / "docs"


def at_night(data):
    """Return a message of a scene that street lamps light."""
    view = SensorView.FromString(data)
    light = view.global_ground_truth.environmental_conditions
    light.ambient_illumination = light.AMBIENT_ILLUMINATION_LEVEL2
    return view.SerializeToString()


@pytest.fixture(scope="module")
def batch(tmp_path_factory):
    """Return the folder of a batch: a dry run, one in rain and one in fog and snow at night."""
    folder = tmp_path_factory.mktemp("weather")
    write_trace(folder / "day.osi", drive(0, 6), message_type="SensorView")
    write_trace(folder / "night.osi", map(at_night, drive(0, 6)), message_type="SensorView")
    written(folder / "lidar.yaml", CONFIG)
    table = written(
        folder / "jobs.csv",
        "trace,out,seed,weather.rain_mm_h,weather.fog.visibility_m,weather.window.drops\n"
        "day.osi,dry,1,,,\n"
        "day.osi,wet,2,10.0,,\n"
        "night.osi,dark,3,,120.0,0.1\n",
    )
    command = ("batch", table, "--config", folder / "lidar.yaml", "--workers", 1, "--truth")
    with pytest.MonkeyPatch.context() as patch:
        in_one_process(patch)
        result = run(*command, "--out", folder / "out", "--scratch", folder / "scratch")
    assert result.exit_code == 0, result.output
    return folder / "out"


def scenes(folder):
    """Return the rows of the table of scenes by the name of the run."""
    with (folder / "scenes.csv").open(newline="") as file:
        return {row["scene"]: row for row in csv.DictReader(file)}


def test_the_table_tells_which_scene_is_rain_fog_and_night(batch, tmp_path):
    write(batch, tmp_path / "set", "openpcdet")
    rows = scenes(tmp_path / "set")
    assert [rows[name]["rain_mm_h"] for name in ("dry", "wet", "dark")] == ["", "10", ""]
    assert [rows[name]["visibility_m"] for name in ("dry", "wet", "dark")] == ["", "", "120"]
    assert [rows[name]["light"] for name in ("dry", "dark")] == ["", "night"]
    assert rows["dark"]["window"] == "drops 0.1"
    assert [rows[name]["seed"] for name in ("dry", "wet", "dark")] == ["1", "2", "3"]
    assert rows["wet"]["changes"] == "weather.rain_mm_h=10.0"
    assert rows["dark"]["changes"] == "weather.fog.visibility_m=120.0; weather.window.drops=0.1"
    assert (rows["wet"]["sensors"], rows["wet"]["models"]) == ("front", "own")
    assert rows["dry"]["host_mean_m_s"] == rows["dry"]["host_max_m_s"] == "2.0"
    assert (rows["dry"]["trace"], rows["dark"]["trace"]) == ("day.osi", "night.osi")
    assert all(int(row["scans"]) == 6 for row in rows.values())


@pytest.mark.parametrize("name", FILLS_THE_AIR)
def test_what_fills_the_air_is_told_of_a_scene_by_its_name_and_a_word(name):
    told = SceneFacts(*[""] * len(SceneFacts._fields))._replace(**{name: "7"})
    assert told.weather == f"{name} 7"
    assert len(told.tags) == 1


def test_a_page_has_each_column_of_the_table():
    pages = [page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md")]
    (page,) = [page for page in pages if "\n| `scene`, `split`" in page]
    table = page[page.index("| `scene`, `split`") :].partition("\n\n")[0]
    columns = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    told = re.findall(r"`(\w+)`", " ".join(columns))
    assert sorted(told) == sorted([*SceneFacts._fields, "split", "scans", "points", "boxes"])


def test_the_card_tells_it_too(batch, tmp_path):
    write(batch, tmp_path / "set", "kitti")
    card = (tmp_path / "set" / "README.md").read_text()
    (line,) = [each for each in card.split("\n") if each.startswith("| wet | 2 |")]
    assert "rain" in line
    assert "| 2.0 |" in line


def test_nuscenes_has_its_own_words_in_descriptions_and_the_weather_in_logs(batch, tmp_path):
    write(batch, tmp_path / "set", "nuscenes")
    told = {}
    for version in ("v1.0-trainval", "v1.0-test"):
        place = tmp_path / "set" / version
        if not place.is_dir():
            continue
        logs = {each["token"]: each for each in json.loads((place / "log.json").read_text())}
        for scene in json.loads((place / "scene.json").read_text()):
            log = logs[scene["log_token"]]
            told[log["logfile"]] = scene["description"], log
    assert told["wet"][0].startswith("Rain, rain_mm_h 10, host 2.0 m/s, seed 2; wet; OSI's world")
    assert told["dark"][0].startswith("Fog, Night, visibility_m 120, window drops 0.1, ")
    for word in ("Rain", "Night", "Fog"):
        assert word not in told["dry"][0]
    assert told["wet"][1]["weather"] == "rain_mm_h 10"
    assert told["dark"][1]["light"] == "night"


def test_the_table_is_the_same_in_each_layout_and_at_each_call(batch, tmp_path):
    write(batch, tmp_path / "a" / "set", "openpcdet")
    write(batch, tmp_path / "b" / "set", "openpcdet")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert "scenes.csv" in contents(tmp_path / "a" / "set")


def test_info_tells_what_a_data_set_is(batch, tmp_path):
    write(batch, tmp_path / "set", "nuscenes")
    result = run("info", tmp_path / "set", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.output)
    assert (told["kind"], told["layout"]) == ("Data set", "nuscenes")
    assert told["scenes"] == 3
    assert {row["scene"] for row in told["scenes_of_it"]} == {"dry", "wet", "dark"}


@pytest.mark.parametrize("name", FILLS_THE_AIR)
def test_info_tells_what_fills_the_air_of_a_scene(tmp_path, name):
    written(tmp_path / MANIFEST, '{"splits": {}}')
    written(tmp_path / "scenes.csv", f"scene,{name}\nwet,7\n")
    (told,) = data_set_info(tmp_path).lists["scenes_of_it"]
    assert told[name] == "7"


def test_the_longest_unit_that_a_key_ends_with_is_its_unit():
    rows = [{"host_mean_m_s": "5.0", "rain_mm_h": "2", "duration_s": 1.0}]
    info = Info(path=Path("set"), kind="Data set", facts={}, lists={"scenes": rows})
    *_, table = info_tables(info)
    assert table.headings == ("Host mean, m/s", "Rain, mm/h", "Duration, s")
