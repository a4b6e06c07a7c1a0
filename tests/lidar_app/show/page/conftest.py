# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A browser for the tests of the page, with WebGL in software."""

import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SOFTWARE_GL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox")


@contextmanager
def chromium(*arguments):
    """Give a browser that was started with these arguments, too; skip where there is none."""
    playwright = pytest.importorskip("playwright.sync_api")
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    with playwright.sync_playwright() as driver:
        if found is None and not Path(driver.chromium.executable_path).exists():
            pytest.skip("no Chromium: apt-get install chromium, or playwright install chromium")
        started = driver.chromium.launch(executable_path=found, args=[*SOFTWARE_GL, *arguments])
        yield started
        started.close()


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture
def browser_of_a_victim():
    """Give a browser in which the name of a stranger leads to this machine."""
    with chromium("--host-resolver-rules=MAP attacker.test 127.0.0.1") as started:
        yield started
