# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A page that tests look at in a browser."""

import io

import numpy as np
from matplotlib.image import imread


class Viewer:
    """A page that is open in the browser, and what it complained about and asked for."""

    def __init__(self, browser, path):
        self.page = browser.new_page(viewport={"width": 1280, "height": 800})
        self.complaints, self.requests = [], []
        self.page.on("console", lambda each: self.complaints.append(each.text))
        self.page.on("pageerror", lambda each: self.complaints.append(str(each)))
        self.page.on("request", lambda each: self.requests.append(each.url))
        self.page.goto(path.as_uri())
        self.page.evaluate("osiLidar.ready")

    def status(self):
        self.page.evaluate("osiLidar.settled()")
        return self.page.evaluate("osiLidar.status()")

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
        return self.status()

    def go_to(self, frame):
        self.page.locator("#frame").fill(str(frame))
        return self.status()

    def table(self):
        rows = self.page.locator("#point tr").all()
        return {
            row.locator("th").inner_text(): row.locator("td").first.inner_text() for row in rows
        }

    def picture(self):
        """Return what is on the screen, (height, width, 3) from 0 to 255."""
        return np.rint(255 * imread(io.BytesIO(self.page.screenshot()))[..., :3])
