# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Each script of the gallery runs, draws, is short, and stands on the page of the gallery."""

import ast
import re
import runpy
import tempfile
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
SCRIPTS = {path.stem: path for path in sorted((DOCS / "gallery").glob("*.py"))}
LONG = {
    "blind_zone", "clouds_in_a_loop", "compare_two_sensors", "fog_by_visibility", "lissajous",
    "points_on_a_car", "radial_velocity", "rain_beside_clear", "read_a_run", "wet_road",
}  # fmt: skip
"""Scripts of 0.7 to 2.3 s of a processor; the others take half a second at most."""
FEWEST_SCRIPTS, MOST_LINES, MOST_WORDS = 20, 40, 70
ROW = re.compile(r"^\| \[(.+)\]\(gallery/(\w+)\.py\) \|", re.MULTILINE)


def parts(path):
    """Return title and words of a script, and its lines of code."""
    text = path.read_text(encoding="utf-8")
    docstring = ast.parse(text).body[0]
    title, underline, _, *words = docstring.value.value.strip().splitlines()
    assert underline == "=" * len(title)
    below = text.splitlines()[docstring.end_lineno :]
    return title, " ".join(words), [line for line in below if line.strip(" #")]


def test_there_are_enough():
    assert len(SCRIPTS) >= FEWEST_SCRIPTS


def test_the_page_lists_each_by_its_title():
    rows = ROW.findall((DOCS / "gallery.md").read_text(encoding="utf-8"))
    assert len(rows) == len(SCRIPTS)
    assert {name: title for title, name in rows} == {
        name: parts(path)[0] for name, path in SCRIPTS.items()
    }


def test_the_site_shows_the_picture_of_each():
    conf = runpy.run_path(str(DOCS / "conf.py"))
    page = conf["thumbnails"]((DOCS / "gallery.md").read_text(encoding="utf-8"))
    assert not ROW.search(page)
    shown = re.findall(r"^   gallery/(\w+)\.py$", page, re.MULTILINE)
    assert sorted(shown) == list(SCRIPTS)


def test_pictures_lead_to_their_files_and_thumbnails_stay_in_their_cards():
    class Image(dict):
        tagname = "image"

    class Page:
        images = (Image(uri="/images/a.png"), Image(uri="/scripts/images/thumb/a_thumb.png"))

        def findall(self):
            return iter(self.images)

    runpy.run_path(str(DOCS / "conf.py"))["fit_to_screens"](None, Page())
    assert [image.get("width") for image in Page.images] == ["100%", None]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_short(name):
    title, words, code = parts(SCRIPTS[name])
    assert len(title) <= 45
    assert 10 <= len(words.split()) <= MOST_WORDS
    assert len(code) < MOST_LINES
    assert code[-1] == "plt.show()"


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name in LONG)) for name in SCRIPTS]
)
def test_a_script_draws(name, tmp_path, monkeypatch):
    """Run it as it is; each of its axes has something drawn in it, within its limits."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    runpy.run_path(str(SCRIPTS[name]), run_name="__main__")
    (number,) = pyplot.get_fignums()
    figure = pyplot.figure(number)
    figure.canvas.draw()
    for axes in figure.axes:
        assert axes.get_xlabel() or axes.get_ylabel() or axes.get_title()
        assert axes.has_data()
        low, high = axes.dataLim.min, axes.dataLim.max
        assert np.all(np.isfinite([low, high]))
        (left, right), (bottom, top) = sorted(axes.get_xlim()), sorted(axes.get_ylim())
        assert low[0] <= right
        assert left <= high[0]
        assert low[1] <= top
        assert bottom <= high[1]
    pyplot.close("all")
