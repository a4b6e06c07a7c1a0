# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The notebooks run from their first cell to the last, and are stored without what they show."""

import ast
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from osi_lidar import load_config, scan_trace
from osi_lidar.run.example_scene import street
from tests.builders.extras import needs

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "tutorials"
NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("*.ipynb"))
WITH_REAL = "ideal-physical-real"
MOST_LINES = 25
"""A cell is short."""


def content(name):
    return json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))


def cells(name, kind):
    return ["".join(c["source"]) for c in content(name)["cells"] if c["cell_type"] == kind]


def show(value):
    """Do with the value of a cell's last line what a notebook does."""
    as_html = getattr(value, "_repr_html_", None)
    return repr(value) if as_html is None else as_html()


def run(name, changes=()):
    """Run the cells of a notebook without a kernel; return its names and what its cells show.

    Changes are pairs of words in its cells, and of those that take their place.
    """
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    names, shown = {"__name__": "__main__"}, []
    code = "\0".join(cells(name, "code"))
    for words, others in changes:
        assert words in code
        code = code.replace(words, others)
    for number, cell in enumerate(code.split("\0")):
        where = f"{name}, code cell {number}"
        tree = ast.parse(cell, where)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, where, "exec"), names)  # noqa: S102  the notebook is ours
        if last is not None:
            value = eval(compile(ast.Expression(last.value), where, "eval"), names)  # noqa: S307
            shown.append(show(value))
        for figure in map(pyplot.figure, pyplot.get_fignums()):
            figure.canvas.draw()
        pyplot.close("all")
    return names, shown


def test_there_are_eight():
    assert NOTEBOOKS == [
        "first-cloud",
        "fmu-in-a-master",
        "ideal-physical-real",
        "material-and-range",
        "own-world",
        "scan-pattern",
        "weather",
        "your-trace",
    ]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_stored_without_what_it_shows(name):
    notebook = content(name)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    for cell in notebook["cells"]:
        assert not cell["metadata"]
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
        assert len(cell["source"]) <= MOST_LINES
    numbers = [cell["id"] for cell in notebook["cells"]]
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_links_of_a_notebook_lead_somewhere(name):
    links = re.findall(r"\]\(([^)]+)\)", "\n".join(cells(name, "markdown")))
    assert links
    assert all((FOLDER / link).is_file() for link in links if not link.startswith("http"))


def test_first_cloud(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, shown = run("first-cloud")
    assert "<iframe" in shown[0]
    assert len(names["pedestrian"]) > 20
    assert len(names["physical"].points) > 3 * len(names["points"])


def test_own_world(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names, _ = run("own-world")
    wall, material = names["wall"], names["material"]
    assert set(material) == {"brick", "glossy_poster"}
    height_m = wall["z"] + names["cloud"].world_from_sensor[2, 3]
    assert np.array_equal(material == "glossy_poster", height_m > names["MIDDLE"])
    # towards the beam that meets it perpendicularly, 90 %
    assert wall["reflectivity"][material == "glossy_poster"].max() == pytest.approx(0.9, abs=0.02)
    fallbacks = names["clouds"].model.fallbacks
    assert [(each.kind, each.name) for each in fallbacks] == [("object", "TYPE_CAR")]
    assert "TYPE_CAR -> medium_car" in capsys.readouterr().out


@needs("fmpy")
def test_fmu_in_a_master(tmp_path, monkeypatch):
    """The FMU gives the detections of the model: those within 40 m."""
    monkeypatch.chdir(tmp_path)
    names, _ = run("fmu-in-a-master")
    scene = street()
    config = load_config(scene.config, changes={("sensors", 0, "max_range_m"): 40.0})
    (cloud,) = scan_trace(scene.trace, config=config, frames=range(2, 3))
    assert np.allclose(names["range_m"], cloud.points["range"])
    assert len(names["answers"]) == 3


def test_your_trace(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    names, shown = run("your-trace")
    assert "<iframe" in shown[2]  # the first cloud
    assert not names["clouds"].model.fallbacks
    assert (names["folder"] / "cloud.pcd").is_file()
    assert not list(tmp_path.iterdir())


def test_material_and_range(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, _ = run("material-and-range")
    beyond = names["range_m"] - names["limit_m"]
    # targets are 1.5 m apart; the ideal sensor sees all up to its limit, and none behind
    assert np.array_equal(names["ideal"] > 0, beyond <= 0)
    assert names["physical"][beyond < -20].min() == 1.0
    assert names["physical"][beyond > 30].max() < 0.1


def test_scan_pattern(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, _ = run("scan-pattern")
    covered, rosette, slower = names["covered"], names["config"].sensors[2], names["other"]
    assert covered(rosette, 3)[2] == pytest.approx(covered(rosette, 1)[0], rel=0.05)
    assert covered(slower, 3)[2] > 1.2 * covered(slower, 1)[0]


def test_weather(tmp_path, monkeypatch):
    """In fewer frames and weathers: 66 physical scans of a whole OS1-128 take long."""
    monkeypatch.chdir(tmp_path)
    frames = ("range(0, 60, 12)", "range(0, 60, 30)"), ("range(3)", "range(1)")
    weathers = ("[10, 15, 25, 50, 100]", "[10, 25, 50, 100]"), ("[5, 20, 80]", "[5, 80]")
    names, _ = run("weather", [*frames, *weathers])
    share, visibility_m = names["share"], names["visibility_m"]
    assert share[visibility_m.index(10)].min() == 0.0
    assert share[visibility_m.index(10)].max() < 0.6  # some of what is near is seen
    assert share[visibility_m.index(100)].min() > 0.95
    # exp(-2 alpha r), within what the noise of some 60 echoes leaves of their median
    assert names["reported"] == pytest.approx(names["left_over"].tolist(), rel=0.1)


def test_ideal_beside_physical(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run(WITH_REAL)
    told = capsys.readouterr().out
    assert "no real cloud at vlp16.pcd" in told
    assert "ideal: 0.0 mm" in told


def test_ideal_beside_physical_beside_real(real_data, tmp_path, monkeypatch, capsys):
    found = sorted((real_data / "scans" / "nebula" / "vlp16").glob("*.pcd"))
    if not found:
        pytest.skip("no cloud of a VLP-16 there")
    shutil.copy(found[0], tmp_path / "vlp16.pcd")
    monkeypatch.chdir(tmp_path)
    names, _ = run(WITH_REAL)
    assert set(names["images"]) == {"ideal", "physical", "real"}
    # docs/how-to/compare.md: 8.6 to 16.6 mm, by brightness, in another laboratory
    (noise_mm,) = re.findall(r"^real: (.*) mm", capsys.readouterr().out, re.MULTILINE)
    assert 5.0 < float(noise_mm) < 20.0


@pytest.mark.slow  # starts a kernel for each
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=needs("fmpy")) if name == "fmu-in-a-master" else name
        for name in NOTEBOOKS
    ],
)
def test_a_notebook_runs_in_a_kernel(name, tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    client = nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", ())]
    assert not [out for out in outputs if out.get("name") == "stderr"]
    assert [out for out in outputs if "image/png" in out.get("data", {})]
