# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What the documentation shows works, and what it lists is there.

The blocks of a page run in their order in a folder that holds the street as ``scenarios/street``,
its meshes as ``models``, parts of its trace as ``drive.osi`` and in ``drives``, and a map
``town.xodr``: python blocks as they are, the commands of sh blocks; yaml blocks whose first line
names a file are written to it.
"""

import csv
import inspect
import itertools
import json
import re
import runpy
import shlex
import shutil
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.main import get_command
from typer.testing import CliRunner

import osi_lidar
from lidar_app.cli.main import app
from lidar_scenery.shapes.catalogue import SHAPES
from osi_bridge import open_trace, write_trace
from osi_lidar.clouds.cloud import point_type
from tests.builders.extras import needs
from tests.builders.runs import short_street
from tests.commands import OF_EVERY_COMMAND
from tests.lidar_scenery.roads.opendrive.small_maps import lane, road, section, written

REPOSITORY = Path(__file__).resolve().parents[1]
STREET = REPOSITORY / "scenarios" / "street"
PAGES = [
    path.relative_to(REPOSITORY).as_posix()
    for path in [*sorted(REPOSITORY.glob("*.md")), *sorted((REPOSITORY / "docs").rglob("*.md"))]
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
COMMAND = re.compile(r"^ {4}(osi-lidar [^#\n]*)", re.MULTILINE)  # in an indented block
RECIPES, REPLAY, BATCH, OUTPUTS = (
    "docs/how-to/recipes.md",
    "docs/how-to/replay.md",
    "docs/how-to/batch.md",
    "docs/reference/outputs.md",
)
WITH_LATE_FRAMES = (RECIPES, "docs/how-to/python.md")  # whose examples take some from 30 on


def text(page: str) -> str:
    return (REPOSITORY / page).read_text(encoding="utf-8")


def pages_with(*languages: str) -> list[str]:
    return [page for page in PAGES if any(f"\n```{name}\n" in text(page) for name in languages)]


@pytest.fixture
def workshop(tmp_path, monkeypatch):
    """Go to a folder with what the examples start from; the demo of the pages is a short one."""
    shutil.copytree(STREET, tmp_path / "scenarios" / "street")
    write_drive(tmp_path / "drive.osi", 10, 30)  # those in which most moves
    (tmp_path / "drives").mkdir()
    for begin in (10, 13):
        write_drive(tmp_path / "drives" / f"{begin}.osi", begin, begin + 3)
    (tmp_path / "models").mkdir()
    for mesh in STREET.glob("*.obj"):
        shutil.copy(mesh, tmp_path / "models")
    street = road(section(lane(1), lane(0, kind="none"), lane(-1)))
    written(tmp_path, street).rename(tmp_path / "town.xodr")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("lidar_app.cli.view.open_browser", lambda _: None)
    drawn = {name: SHAPES[name] for name in ("medium_car", "pedestrian", "tree")}
    monkeypatch.setattr("lidar_app.show.meshes.shapes.SHAPES", drawn)  # a picture of all takes long
    short = short_street(tmp_path)
    monkeypatch.setattr("osi_lidar.run.example_scene.street", lambda: short)
    return tmp_path


def write_drive(path: Path, begin: int, end: int) -> None:
    """Write a part of the trace of the street."""
    (trace,) = STREET.glob("*_sv_*.osi")
    messages = itertools.islice(open_trace(trace), begin, end)
    write_trace(path, [raw.data for raw in messages], message_type="SensorView")


def run_page(page: str) -> None:
    """Run the blocks of a page in their order."""
    names = {"__name__": page}
    for language, block in BLOCK.findall(text(page)):
        if language == "python":
            exec(compile(block, page, "exec"), names)  # noqa: S102  the page is ours
        elif language == "yaml" and (named := re.match(r"# (\S+\.yaml)\n", block)):
            Path(named[1]).write_text(block, encoding="utf-8")
        elif language == "sh":
            for line in block.splitlines():
                program, *arguments = shlex.split(line, comments=True)
                assert program == "osi-lidar"
                result = CliRunner().invoke(app, arguments)
                assert result.exit_code == 0, f"{line}\n{result.output}"


@pytest.mark.parametrize("page", pages_with("python", "sh"))
def test_examples_of_a_page_run(page, workshop):
    if page in WITH_LATE_FRAMES:
        write_drive(workshop / "drive.osi", 0, 33)
    run_page(page)
    if page == OUTPUTS:
        check_outputs(workshop / "run")
    if page == REPLAY:
        still = json.loads((workshop / "still" / "run.json").read_text(encoding="utf-8"))
        assert still["input"] is None
    if page == BATCH:
        index = pq.read_table(workshop / "rainy" / "index.parquet").to_pylist()
        wet, dry = {"weather.rain_mm_h": 10}, {"weather.messages": False}
        assert [json.loads(row["changes"]) for row in index] == [wet, dry]
        assert {row["status"] for row in index} == {"done"}


def check_outputs(run: Path) -> None:
    """Hold what the page of outputs says against those that its commands have made."""
    report = json.loads((run / "run.json").read_text(encoding="utf-8"))
    assert listed("Keys of run.json") == set(report)
    with (run / "frames.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert listed("Columns of frames.csv") == set(rows[0])
    assert {row["sensor"] for row in rows} == {"roof", "front"}
    assert report["frames_read"] == 20  # --frames 0:20
    further = {"radial_velocity", "near_ir"}
    assert listed("Fields of a cloud") == {*point_type(timed=True).names, *further}


def listed(heading: str) -> set[str]:
    """Return the names in the first column of the table below a heading of the page of outputs."""
    section = text(OUTPUTS).split(f"## {heading}\n")[1].split("\n#")[0]
    first_cells = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
    return {name for cell in first_cells for name in re.findall(r"`([^`]+)`", cell)}


def test_options_of_replay_are_all_listed():
    cells = re.findall(r"^\| (`--[^|]*) \|", text(REPLAY), re.MULTILINE)
    rows = [name for cell in cells for name in re.findall(r"`(--[a-z0-9-]+)", cell)]
    options = [
        param for param in get_command(app).commands["replay"].params if param.opts[0][0] == "-"
    ]
    known = {opt for option in options for opt in option.opts if opt.startswith("--")}
    assert set(rows) == known - OF_EVERY_COMMAND


@pytest.mark.parametrize("page", PAGES)
def test_commands_that_a_page_shows_exist(page):
    for line in COMMAND.findall(text(page)):
        _, *words = shlex.split(line)
        command = get_command(app)
        assert words[0] in command.commands, line
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]
        known = {opt for param in command.params for opt in param.opts}
        assert {word for word in words if word.startswith("-")} <= known, line


@pytest.mark.parametrize("page", PAGES)
def test_links_of_a_page_lead_somewhere(page):
    for target, anchor in LINK.findall(text(page)):
        if target.startswith(("http:", "https:")):
            continue
        path = (REPOSITORY / page).parent / target if target else REPOSITORY / page
        assert path.exists(), target
        if anchor:
            headings = HEADING.findall(path.read_text(encoding="utf-8"))
            assert anchor in {slug(heading) for heading in headings}, f"{target}#{anchor}"


def slug(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", [page for page in PAGES if page.endswith("index.md")])
def test_every_page_of_a_folder_is_in_its_index(page):
    named = {target for target, _ in LINK.findall(text(page))}
    folder = (REPOSITORY / page).parent
    pages = {path.name for kind in ("*.md", "*.ipynb") for path in folder.glob(kind)}
    assert pages - {"index.md"} <= named
    rows = re.findall(r"^\| \[[^\]]+\]\(([^)]+)\)", text(page), re.MULTILINE)
    assert len(rows) == len(set(rows))
    conf = runpy.run_path(str(REPOSITORY / "docs" / "conf.py"))
    toctree = conf["navigation"](conf["cards"](text(page))).splitlines()[3:-1]
    assert {Path(name).stem for name in pages - {"index.md"}} <= set(toctree)


def test_every_folder_of_pages_has_an_index_or_a_page_of_its_name_which_names_them():
    conf = runpy.run_path(str(REPOSITORY / "docs" / "conf.py"))
    folders = {(REPOSITORY / page).parent for page in PAGES} - {REPOSITORY}
    for folder in (each for each in folders if not (each / "index.md").is_file()):
        index = folder.with_suffix(".md").read_text(encoding="utf-8")
        toctree = conf["navigation"](conf["listed_sensors"](index)).splitlines()
        pages = {f"{folder.name}/{path.stem}" for path in folder.glob("*.md")}
        assert set(toctree[3:-1]) == pages


def test_every_old_address_leads_to_a_page():
    with (REPOSITORY / "docs" / "moved.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len({row["old"] for row in rows}) == len(rows)
    kinds = (".md", ".ipynb")
    for row in rows:
        old, new = (REPOSITORY / "docs" / row[name] for name in ("old", "new"))
        assert not any(old.with_suffix(kind).exists() for kind in kinds), row
        assert any(new.with_suffix(kind).is_file() for kind in kinds), row


def test_the_content_of_every_old_heading_has_a_place():
    """What stood below a heading when all pages lay in one folder."""
    with (REPOSITORY / "docs" / "headings.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 500
    for row in rows:
        if row["new_page"]:
            page = REPOSITORY / "docs" / f"{row['new_page']}.md"
            headings = HEADING.findall(page.read_text(encoding="utf-8"))
            assert not row["new_heading"] or row["new_heading"] in headings, row
        else:
            assert row["note"], row  # why it fell


@pytest.mark.slow
@needs("open3d")
def test_the_twin_of_the_recipes_is_built_and_compared(workshop):
    """The clouds of a drive through the street stand in for those of a real sensor."""
    poses = "".join(f"{x_m},-1.75,1.9,1,0,0,0\n" for x_m in (-20, -19, -18))
    (workshop / "poses.csv").write_text(f"x,y,z,qw,qx,qy,qz\n{poses}", encoding="utf-8")
    scanned = ["scan", "-c", "scenarios/street/config.yaml", "--poses", "poses.csv", "--out", "run"]
    assert CliRunner().invoke(app, scanned).exit_code == 0
    (workshop / "run" / "roof").rename(workshop / "recorded")
    section = text(RECIPES).split("\n## A twin of a recorded place\n")[1].split("\n## ")[0]
    for line in COMMAND.findall(section):
        result = CliRunner().invoke(app, shlex.split(line)[1:])
        assert result.exit_code == 0, f"{line}\n{result.output}"
    compared = json.loads((workshop / "report" / "report.json").read_text(encoding="utf-8"))
    assert compared["sim_against_real"]["total"]["median_m"] < 0.02


def test_recipes_are_short():
    _, *recipes = text(RECIPES).split("\n## ")
    assert len(recipes) == 5
    for recipe in recipes:
        shown = [line for line in recipe.splitlines() if line and not line.startswith("```")]
        assert len(shown) <= 26, shown[0]  # a heading, and 25 lines


def test_get_started_takes_five_minutes_to_read():
    assert len(text("docs/tutorials/get-started.md").split()) < 900


def test_readme_is_short_and_begins_with_what_to_type():
    lines = text("README.md").splitlines()
    assert len(lines) <= 110
    first_screen = "\n".join(lines[:25])
    assert "make demo" in first_screen
    assert "make test" in first_screen
    assert "docs/images/street.webp" in first_screen


def test_the_gallery_shows_every_picture_and_says_what_made_it():
    rows = re.findall(
        r"^\| !\[[^\]]+\]\(images/([\w./-]+)\) \|.*\| (.+) \|$",
        text("docs/gallery.md"),
        re.MULTILINE,
    )
    images = REPOSITORY / "docs" / "images"
    shown = [name for name, _ in rows]
    assert all((images / name).is_file() for name in shown)
    # one picture of a folder stands for all, which one script makes
    assert sorted(name.partition("/")[0] for name in shown) == sorted(
        path.name for path in images.iterdir()
    )
    assert all("`" in made for _, made in rows)  # a script or a command


def test_pictures_are_small():
    pictures = [path for path in (REPOSITORY / "docs" / "images").rglob("*") if path.is_file()]
    for picture in pictures:
        moving = picture.suffix == ".webp"
        most = 3_000_000 if moving else 500_000
        assert picture.stat().st_size < most, picture.name


@pytest.mark.usefixtures("workshop")
def test_example_follows_every_object(monkeypatch, capsys):
    config = "scenarios/street/config.yaml"
    monkeypatch.setattr(sys, "argv", ["points_on_objects.py", "drive.osi", config])
    runpy.run_path(str(REPOSITORY / "examples" / "points_on_objects.py"), run_name="__main__")
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert len({row["time_s"] for row in rows}) == 20
    assert {row["sensor"] for row in rows} == {"roof"}
    seen = {int(row["object_id"]) for row in rows}
    assert 2 in seen  # the other car
    assert 1 not in seen  # the host does not see itself
    assert all(int(row["points"]) > 0 and float(row["nearest_m"]) > 0.8 for row in rows)


def test_scan_patterns_are_drawn_from_their_page(workshop, monkeypatch):
    run_page("docs/explanation/patterns.md")
    monkeypatch.setattr(sys, "argv", ["draw_patterns.py", "patterns.yaml", "patterns.png"])
    runpy.run_path(str(REPOSITORY / "examples" / "draw_patterns.py"), run_name="__main__")
    assert (workshop / "patterns.png").stat().st_size > 50_000


@pytest.mark.parametrize("script", ["draw_compare.py", "draw_edge.py", "draw_echoes.py"])
def test_pictures_of_pages_are_drawn(tmp_path, monkeypatch, script):
    picture = tmp_path / "picture.png"
    monkeypatch.setattr(sys, "argv", [script, str(picture)])
    runpy.run_path(str(REPOSITORY / "examples" / script), run_name="__main__")
    assert picture.stat().st_size > 20_000


def test_the_reference_shows_constructors_that_a_user_calls():
    shown = runpy.run_path(str(REPOSITORY / "docs" / "conf.py"))["constructor"]

    def arguments(name):
        signature = str(inspect.signature(getattr(osi_lidar, name)))
        return shown(None, "class", name, getattr(osi_lidar, name), None, signature, None)[0]

    assert arguments("Cloud") == ""
    assert "config" in arguments("LidarModel")
