# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A browser for the tests of the page, with WebGL in software."""

import shutil
from pathlib import Path

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SOFTWARE_GL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox")


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    with playwright.sync_playwright() as driver:
        if found is None and not Path(driver.chromium.executable_path).exists():
            pytest.skip("no Chromium: apt-get install chromium, or playwright install chromium")
        started = driver.chromium.launch(executable_path=found, args=list(SOFTWARE_GL))
        yield started
        started.close()
