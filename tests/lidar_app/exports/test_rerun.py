# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The exported file and its blueprint in Rerun's web viewer, in a browser: all is seen at once."""

import io
import shutil
import socket
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from lidar_app.exports.rerun_blueprint import write_blueprint
from lidar_scenery.classes import LOOKS_LIKE
from lidar_scenery.palette import material_colour
from osi_lidar.output.stored import open_run
from osi_lidar.viewers.mcap import export_mcap
from tests.builders.runs import make_run

pytestmark = pytest.mark.slow
SOFTWARE_GL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox")
PATIENCE_S = 180.0  # shaders are compiled in software
SIGN_OF_ERRORS = (0.7, 0.25, 0.5)
"""Red at least, green and blue at most, of the sign that Rerun puts beside a view's name."""
TITLES = slice(40, 60)
"""Rows of the picture with the names of views."""
LEAST_PIXELS = {"asphalt_worn": 300, "lambertian_50": 30, LOOKS_LIKE[10]: 100}


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@pytest.fixture
def viewer(tmp_path):
    """The address of Rerun's web viewer, with a file of the small run and its blueprint."""
    found = find_spec("rerun_cli") or pytest.skip("rerun-sdk is not installed")
    pytest.importorskip("foxglove_schemas_protobuf")
    written = export_mcap(open_run(make_run(tmp_path)), tmp_path / "run.mcap")
    blueprint = write_blueprint(written.path, written.sensors, written.frame)
    data, web = free_port(), free_port()
    program = Path(found.origin).with_name("rerun")
    options = ["--serve-web", "--bind", "127.0.0.1", "--port", data, "--web-viewer-port", web]
    command = [str(each) for each in (program, *options, written.path, blueprint)]
    with (
        (tmp_path / "log").open("w") as log,
        subprocess.Popen(command, stdout=log, stderr=log) as p,
    ):
        wait_for(web)
        yield f"http://127.0.0.1:{web}/?renderer=webgl&url=rerun%2Bhttp://127.0.0.1:{data}/proxy"
        p.kill()


def wait_for(port):
    """Wait until a server listens."""
    deadline_s = time.monotonic() + PATIENCE_S
    while True:
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert time.monotonic() < deadline_s
        time.sleep(0.2)


def pixels_of(colour, picture):
    """Count the pixels of a colour, which the light of the viewer makes up to 40 % darker."""
    own = np.array([*bytes.fromhex(colour[1:])], float)
    share = picture @ own / (own @ own)
    off = np.abs(picture - share[..., None] * own).max(axis=-1)
    return int(((off < 5) & (share > 0.6) & (share < 1.02)).sum())


def n_of_error(picture):
    """Count the pixels of Rerun's sign of an error among the names of views."""
    red, green, blue = np.moveaxis(picture[TITLES] / 255, -1, 0)
    least, most_green, most_blue = SIGN_OF_ERRORS
    return int(((red > least) & (green < most_green) & (blue < most_blue)).sum())


def test_clouds_colours_and_boxes_are_seen_without_a_click(viewer):
    """The road and the box in the colours of their materials, and the edges of cars in theirs."""
    chromium = shutil.which("chromium") or pytest.skip("chromium is not installed")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=list(SOFTWARE_GL))
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(viewer, wait_until="commit")
        deadline_s, seen = time.monotonic() + PATIENCE_S, {}
        while not all(seen.get(name, 0) >= least for name, least in LEAST_PIXELS.items()):
            assert time.monotonic() < deadline_s, seen
            page.wait_for_timeout(2000)
            shot = page.screenshot(timeout=1e3 * PATIENCE_S)
            picture = np.rint(255 * imread(io.BytesIO(shot))[..., :3])
            seen = {name: pixels_of(material_colour(name), picture) for name in LEAST_PIXELS}
        assert n_of_error(picture) == 0
        browser.close()
