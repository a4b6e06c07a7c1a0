# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of the demo in a browser, with WebGL in software: what is seen is what was scanned."""

import html
import re
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from lidar_app.cli.main import app
from lidar_app.show.page import cloud_page, write_page
from lidar_app.show.page.page import PAGE_NAME, shown_of, write_shown
from lidar_app.show.page.recorded import read_recording
from lidar_scenery.palette import material_colour
from osi_lidar.output.stored import input_messages, open_run
from tests.builders.runs import make_run
from tests.lidar_app.show.page.browsing import Viewer
from tests.lidar_app.show.page.test_page import made_hostile

pytestmark = pytest.mark.slow
EMBER = ("5f4fc4", "9440b0", "c0429a", "e4566a", "f7844e", "fbb84a", "fdeb8c")
MOST_MB = 20.0
NUMBERS = {"x": 0.004, "y": 0.004, "z": 0.004, "range": 0.004, "reflectivity": 0.001,
           "intensity": 0.1, "normal x": 0.01, "ring": 0, "column": 0, "time": 0}  # fmt: skip
FIELDS = {"normal x": "normal_x", "time": "time_ns"}


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "demo"
    result = CliRunner().invoke(app, ["demo", "--out", str(folder)])
    assert result.exit_code == 0, result.output
    assert PAGE_NAME in "".join(result.stdout.splitlines()[-3:])
    return open_run(folder)


@pytest.fixture
def viewer(browser, demo):
    opened = Viewer(browser, demo.folder / PAGE_NAME)
    yield opened
    assert opened.complaints == []
    assert opened.requests == [(demo.folder / PAGE_NAME).as_uri()]
    opened.page.close()


def in_theme(viewer, theme):
    """Let the page be light or dark; at first it is as the browser prefers."""
    if viewer.page.locator("html").get_attribute("data-theme") != theme:
        viewer.press("t")


def contrast(colour, other):
    """Return the contrast of two colours, as WCAG 2 defines it."""
    lights = []
    for each in (colour, other):
        step = np.asarray(each, float) / 255.0
        light = np.where(step <= 0.04045, step / 12.92, ((step + 0.055) / 1.055) ** 2.4)
        lights.append(float(light @ [0.2126, 0.7152, 0.0722]) + 0.05)
    return max(lights) / min(lights)


@pytest.mark.parametrize(("theme", "least"), [("dark", 2.5), ("light", 1.5)])
def test_no_reflectivity_vanishes_on_the_page(viewer, theme, least):
    """The darkest points of a dark page had a contrast of 1.5."""
    in_theme(viewer, theme)
    viewer.press("d", "b", "g", "e")
    ramp = viewer.page.locator("#legend .ramp").evaluate(
        "each => getComputedStyle(each).background"
    )
    page = viewer.page.evaluate("getComputedStyle(document.body).backgroundColor")
    surface = [int(each) for each in re.findall(r"\d+", page)[:3]]
    stops = [[int(x) for x in each] for each in re.findall(r"rgb\((\d+), (\d+), (\d+)\)", ramp)]
    assert len(stops) > 4
    assert min(contrast(stop, surface) for stop in stops) > least
    scene = viewer.picture()[60:700, :990].reshape(-1, 3)
    colours, counts = np.unique(scene, axis=0, return_counts=True)
    shown = colours[counts > 200]
    points = [each for each in shown if np.ptp(each) > 60]  # what is coloured
    assert points
    assert min(contrast(each, surface) for each in points) > least


def in_page_order(scan):
    """Return the points of a scan ring by ring, as the page has them."""
    points = scan.points()
    return points[np.lexsort((points["column"], points["ring"]))]


def test_the_demos_page_is_small_and_tells_when_its_first_frame_is_drawn(
    viewer, browser, demo, record_property
):
    """With its scene. The time is recorded, not held to a limit: the machine may be busy."""
    path = demo.folder / PAGE_NAME
    assert path.stat().st_size <= MOST_MB * 1e6
    again = Viewer(browser, path)  # the first one may wait for the disk
    times_ms = [each.status()["firstFrame"] for each in (viewer, again)]
    again.page.close()
    record_property("first_frame_ms", min(times_ms))
    assert min(times_ms) > 0


@pytest.mark.parametrize("frame", [0, 17, 59])
def test_a_frame_shows_all_points_of_its_cloud(viewer, demo, frame):
    (row,) = [row for row in demo.rows if row.frame == frame]
    status = viewer.go_to(frame)
    assert (status["frame"], status["points"]) == (frame, row.points)
    text = viewer.page.locator("#frame-text").inner_text()
    assert int(re.sub(r"\D", "", text.split("·")[-1])) == row.points


def test_a_click_shows_the_columns_of_the_point_and_its_pixel_has_its_colour(viewer, demo):
    scan = [scan for scan in demo.scans if scan.row.frame == 20][0]  # noqa: RUF015  reads better
    points = in_page_order(scan)
    viewer.go_to(20)
    in_theme(viewer, "dark")
    viewer.press("d", "b", "g", "e", "i")  # flat colours, no lines, a larger scene
    limits = viewer.status()["limits"]
    picture = viewer.picture()
    found = 0
    for index in np.random.default_rng(1).permutation(len(points))[:400].tolist():
        at = viewer.page.evaluate("index => osiLidar.pixelOf(index)", index)
        if not (10 < at["x"] < 990 and 60 < at["y"] < 740):
            continue
        viewer.page.mouse.click(at["x"], at["y"])
        if viewer.status()["picked"] != index:
            continue  # another point is in front of it
        point = points[index]
        check_columns(viewer.table(), point, demo.materials)
        check_place(viewer.table(), point, scan.row)
        share = (point["reflectivity"] - limits["low"]) / (limits["high"] - limits["low"])
        seen = picture[int(at["y"]), int(at["x"])]
        assert np.abs(seen - ember(share)).max() <= 6, (index, at)
        found += 1
        if found == 5:
            return
    pytest.fail(f"only {found} of 400 points are in front")


def check_columns(table, point, materials):
    """Check what the side panel says, to within the steps."""
    for name, step in NUMBERS.items():
        expected = float(point[FIELDS.get(name, name)])
        assert float(table[name]) == pytest.approx(expected, abs=step + 1e-6), name
    name, number = table["material"].split(" · ")
    assert (name, int(number)) == (materials[point["material_id"]], point["material_id"])
    no_object = point["object_id"] == np.iinfo(np.uint32).max
    assert table["object"].split()[-1] == ("none" if no_object else str(point["object_id"]))


def check_place(table, point, row):
    """Check the place in the world: the sensor's pose when it measured the point."""
    share = np.clip(point["time_ns"] / (row.end_ns - row.begin_ns), 0, 1)
    at = row.begin_pose[:3] * (1 - share) + row.end_pose[:3] * share  # the street is straight
    assert row.end_pose[3] == pytest.approx(1.0)
    world = [float(table[f"world {axis}"]) for axis in "xyz"]
    np.testing.assert_allclose(world, at + [point[axis] for axis in "xyz"], atol=0.006)


def ember(share):
    """Return the colour of a share, from the stops."""
    stops = np.array([[int(each[at : at + 2], 16) for at in (0, 2, 4)] for each in EMBER])
    place = np.clip(share, 0, 1) * (len(stops) - 1)
    return [np.interp(place, np.arange(len(stops)), stops[:, channel]) for channel in range(3)]


def test_the_frames_play_and_stop(viewer):
    viewer.page.keyboard.press(" ")
    end_s = time.monotonic() + 20.0
    while viewer.status()["frame"] < 3:  # the page's policy allows no wait_for_function
        assert time.monotonic() < end_s
    viewer.page.keyboard.press(" ")
    viewer.page.wait_for_timeout(300)
    at = viewer.status()
    assert not at["playing"]
    viewer.page.wait_for_timeout(500)
    assert viewer.status()["frame"] == at["frame"]


def test_frames_accumulate_each_cloud_once(browser, demo, tmp_path):
    path = write_page(demo.folder, tmp_path / "a.html", frames=slice(0, 16)).path
    viewer = Viewer(browser, path)
    clouds = {row.file: row.points for row in demo.rows if row.frame < 16}
    status = viewer.press("a")
    assert (status["layers"], status["points"]) == (len(clouds), sum(clouds.values()))
    assert viewer.press("a")["layers"] == 1
    assert viewer.complaints == []
    viewer.page.close()


def test_what_moves_does_not_smear_where_frames_accumulate(browser, demo, tmp_path):
    path = write_page(demo.folder, tmp_path / "a.html", frames=slice(8, 14)).path
    viewer = Viewer(browser, path)
    assert viewer.status()["frame"] == 9  # all stand still up to here
    assert viewer.press("a")["left_out"] == expected_left_out(demo, range(8, 14), shown=9)
    assert viewer.press("ArrowRight")["left_out"] == expected_left_out(demo, range(8, 14), shown=10)
    assert viewer.press("a")["left_out"] == 0
    assert viewer.complaints == []
    viewer.page.close()


def expected_left_out(demo, frames, shown):
    """Return the number of points on what moves, of the clouds of other frames."""
    of_frame = {each.frame.index: each.frame.objects for each in input_messages(demo)}
    first, last = of_frame[frames[0]], of_frame[frames[-1]]
    way_m = np.linalg.norm(last.position_m - first.position_m, axis=1)
    movers = first.object_id[way_m > 0.05]
    assert len(movers) >= 2
    scans = {each.row.file: each for each in demo.scans if each.row.frame in frames}
    (own,) = {each.row.file for each in demo.scans if each.row.frame == shown}
    others = [scan.points()["object_id"] for file, scan in scans.items() if file != own]
    return sum(int(np.isin(each, movers).sum()) for each in others)


@pytest.mark.parametrize("size", [(390, 800), (320, 568), (800, 360)])
def test_a_phone_reaches_the_speed_and_all_of_the_timeline(viewer, size):
    viewer.page.set_viewport_size({"width": size[0], "height": size[1]})
    for name in ("back", "play", "next", "frame", "speed"):
        box = viewer.page.locator(f"#{name}").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0], name
        assert box["y"] + box["height"] <= size[1], name
    viewer.page.select_option("#speed", "4")
    assert viewer.page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_boxes_are_those_of_the_objects_and_can_be_hidden(viewer, demo):
    (message,) = [each for each in input_messages(demo) if each.frame.index == 30]
    status = viewer.go_to(30)
    ids = [int(each.split()[-1]) for each in status["boxes"]]
    assert ids == message.frame.objects.object_id.tolist()
    assert "delivery van 3" in status["boxes"]
    shown = viewer.picture()
    assert viewer.press("b")["boxes"] == []
    assert (viewer.picture() != shown).any(axis=2).sum() > 1000


def test_the_scene_is_drawn_below_the_points_and_can_be_hidden(viewer, demo):
    """Points are in front of the surfaces that they are on: their colours stay on the screen."""
    viewer.press("d", "b", "g", "n")  # flat colours, no lines, no names
    with_scene, status = viewer.picture(), viewer.status()
    objects = next(input_messages(demo)).frame.objects
    assert status["meshes"] == 1 + len(objects) - 1  # the environment; the host is not seen
    assert viewer.press("e")["meshes"] == 0
    without = viewer.picture()
    coloured = np.ptp(without[60:640, :990], axis=2) > 80
    same = (np.abs(with_scene - without)[60:640, :990] <= 3).all(axis=2)
    assert coloured.sum() > 50_000
    assert same[coloured].mean() > 0.7  # others are behind a roof or a wall
    assert same.mean() < 0.75


def test_paths_are_drawn_over_the_frames(viewer, demo):
    before = viewer.picture()
    status = viewer.press("l")
    moves = sum(1 for each in status["boxes"] if each.split()[-1] in {"1", "2", "4"})
    assert status["paths"] == moves * (len({row.frame for row in demo.rows}) - 1)
    assert (viewer.picture() != before).any(axis=2).sum() > 200
    assert viewer.press("l")["paths"] == 0


def test_a_chosen_object_has_a_plot_of_its_points_that_seeks(viewer, demo):
    scan = next(each for each in demo.scans if each.row.frame == 30)
    viewer.go_to(30)
    points = in_page_order(scan)
    for index in np.flatnonzero(points["object_id"] == 2)[::5].tolist():
        at = viewer.page.evaluate("index => osiLidar.pixelOf(index)", index)
        viewer.page.mouse.click(at["x"], at["y"])
        status = viewer.status()
        if status["chosen"] == "2":
            break
    by_file = {each.path: int((each.points()["object_id"] == 2).sum()) for each in demo.scans}
    assert status["plot"] == [by_file[each.path] for each in demo.scans]
    assert viewer.page.locator("#plot-name").inner_text().lower() == "car 2"
    box = viewer.page.locator("#plot").bounding_box()
    viewer.page.mouse.click(box["x"] + box["width"] - 3, box["y"] + 10)
    status = viewer.status()
    assert (status["frame"], status["chosen"]) == (59, "2")
    viewer.press("Escape")
    assert not viewer.page.locator("#plot-section").is_visible()


def test_the_range_image_and_the_scene_mark_the_same_point(viewer, demo):
    points = in_page_order(next(demo.scans))
    viewer.page.locator("#image-canvas").click(position={"x": 500, "y": 60})
    index = viewer.status()["picked"]
    row = 60 / 112 * 128  # of a strip that is 112 pixels high
    assert abs(points["ring"][index] - row) <= 2
    assert viewer.page.locator("#image-mark").is_visible()


@pytest.mark.parametrize(
    "key", ["c", "t", "p", "i", "1", "2", "3", "4", "e", "l", "f", "m", "o", "?"]
)
def test_every_key_works_without_complaint(viewer, key):
    viewer.press(key, "Escape")


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_materials_have_their_own_colours_on_the_screen(viewer, theme):
    """The legend has them, and so have the points, which cover each other but in part."""
    in_theme(viewer, theme)
    viewer.press("d", "b", "g", "e")  # flat colours, no lines
    viewer.page.select_option("#colour-by", "material_id")
    viewer.status()
    seen = {tuple(pixel) for pixel in viewer.picture().reshape(-1, 3).astype(int).tolist()}
    shown_as = {}
    for each in viewer.page.locator("#legend li").all():
        name, style = each.locator("span").inner_text(), each.locator("i").get_attribute("style")
        shown_as[name] = tuple(int(number) for number in re.findall(r"\d+", style)[:3])
    for name, shown in shown_as.items():
        own = material_colour(name)
        stated = tuple(int(own[at : at + 2], 16) for at in (1, 3, 5))
        light = np.dot(stated, [0.2126, 0.7152, 0.0722]) / 255
        if theme == "light" and light > 0.78:
            stated = tuple(round(value * 0.78 / light) for value in stated)
        assert np.abs(np.subtract(shown, stated)).max() <= 1, name
    assert {"asphalt_worn", "grass", "brick"} <= shown_as.keys()
    assert {shown_as["asphalt_worn"], shown_as["grass"]} <= seen


def test_hostile_names_are_shown_as_they_are(browser, tmp_path):
    run = make_run(tmp_path)
    hostile = made_hostile(run)
    viewer = Viewer(browser, write_page(run).path)
    assert hostile in viewer.page.locator("#notes").inner_text()
    viewer.page.select_option("#colour-by", "material_id")
    viewer.status()
    assert hostile in viewer.page.locator("#legend").inner_text()
    assert viewer.page.locator("img").count() == 0
    assert viewer.complaints == []
    viewer.page.close()


def test_two_sensors_are_switched_on_and_off(browser, tmp_path):
    run = make_run(tmp_path)
    viewer = Viewer(browser, write_page(run).path)
    points = {row.sensor: row.points for row in open_run(run).rows if row.frame == 0}
    assert viewer.status()["points"] == sum(points.values())
    viewer.page.locator("#sensors button").first.click()
    assert viewer.status()["points"] == points["left"]
    viewer.page.locator("#sensors button").last.click()
    assert viewer.status()["points"] == 0
    assert viewer.complaints == []
    viewer.page.close()


def test_the_page_switches_between_simulated_and_recorded(browser, tmp_path):
    run = make_run(tmp_path)
    np.float32([[5, 0, 0, 90], [6, 1, 0, 200]]).tofile(tmp_path / "0.bin")
    shown = shown_of(run, sensors=["front"], beside=read_recording(tmp_path / "0.bin"))
    viewer = Viewer(browser, write_shown(shown).path)
    simulated = next(row.points for row in open_run(run).rows if row.sensor == "front")
    at_first = viewer.status()
    assert (at_first["side"], at_first["points"]) == ("simulated", simulated)
    assert at_first["meshes"] > 0
    recorded, both = viewer.press("r"), viewer.press("r")
    assert (recorded["side"], recorded["points"]) == ("recorded", 2)
    assert (recorded["meshes"], recorded["boxes"]) == (at_first["meshes"], at_first["boxes"])
    assert (both["side"], both["points"], both["colourBy"]) == ("both", simulated + 2, "sensor")
    assert viewer.press("r")["colourBy"] == at_first["colourBy"]
    viewer.page.select_option("#colour-by", "intensity")
    viewer.page.locator("#sensors button").nth(1).click()
    assert viewer.status()["limits"]["high"] > 100  # in the unit of the recording
    assert viewer.complaints == []
    viewer.page.close()


@pytest.mark.parametrize("n", [0, 1, 1000])
def test_a_cloud_is_shown_inside_another_page(browser, tmp_path, n):
    """As notebooks do; its places are those of a map, far from 0."""
    rng = np.random.default_rng(0)
    points = np.zeros(n, [(axis, "<f8") for axis in "xyz"])
    for axis, start_m in zip("xyz", (691_000.0, 5_334_000.0, 500.0), strict=True):
        points[axis] = start_m + rng.uniform(0, 5, n)
    page = tmp_path / "a.html"
    inner = html.escape(cloud_page(points), quote=True)
    page.write_text(f'<iframe width=900 height=500 srcdoc="{inner}"></iframe>')
    outer = browser.new_page()
    outer.goto(page.as_uri())
    frame = outer.frames[1]
    frame.wait_for_function("window.osiLidar")
    frame.evaluate("osiLidar.ready")
    assert frame.evaluate("osiLidar.status().points") == n
    if n:
        at = frame.evaluate("osiLidar.pixelOf(0)")
        frame.locator("#scene").click(position={"x": at["x"], "y": at["y"] - 44})
        frame.wait_for_function("osiLidar.status().picked !== null")
        index = frame.evaluate("osiLidar.status().picked")
        shown = float(frame.locator("#point td").first.inner_text())
        assert shown == pytest.approx(points["x"][index], abs=0.001)
    outer.close()
