# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The viewer works as an element of a notebook: enclosed, without the network."""

import re
import shutil

import pytest

from tests.builders.clouds import wall_clouds

pytestmark = pytest.mark.slow
SOFTWARE = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
"""WebGL without a graphics card."""
MOST_MS = 30_000


@pytest.fixture
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as engines:
        browser = engines.chromium.launch(executable_path=chromium, args=SOFTWARE)
        yield browser
        browser.close()


def test_a_cell_shows_its_cloud(browser, tmp_path):
    (cloud,) = wall_clouds(tmp_path)
    cell = tmp_path / "cell.html"
    text = f"<!doctype html><title>cell</title>{cloud._repr_html_()}"
    cell.write_text(text, encoding="utf-8")
    page, requests, problems = browser.new_page(), [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: problems.append(error))  # noqa: PLW0108  no builtin there
    page.goto(cell.as_uri())
    shown = page.frame_locator("iframe").get_by_text(re.compile(r"^[\d\s]+points$")).first
    shown.wait_for(timeout=MOST_MS)
    assert int(re.sub(r"\D", "", shown.inner_text())) == len(cloud)
    assert requests == [cell.as_uri()]
    assert not problems
