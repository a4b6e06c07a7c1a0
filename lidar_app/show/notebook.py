# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Clouds in notebooks: the viewer as an HTML element.

`Cloud._repr_html_` finds `cloud_html` by the entry point ``osi_lidar.cloud_html``.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from lidar_app.show.page import cloud_page
from lidar_base.tables import table

if TYPE_CHECKING:
    from osi_lidar.clouds.cloud import Cloud

HEIGHT_PX = 560
"""Height of the viewer in a notebook. [px]"""


def cloud_html(cloud: Cloud) -> str:
    """Return an HTML element with a viewer of a cloud; for an empty cloud, with a line of text."""
    if not len(cloud):
        return table(repr(cloud), (), ()).html()
    title = "Cloud" if cloud.sensor is None else cloud.sensor
    page = escape(cloud_page(cloud.points, cloud.materials, title=title))
    style = f"width:100%;height:{HEIGHT_PX}px;border:0"
    # sandbox: the page may run scripts and save screenshots, but cannot access the notebook
    return (
        f"<p>{escape(repr(cloud))}</p>"
        f'<iframe sandbox="allow-scripts allow-downloads" style="{style}" srcdoc="{page}"></iframe>'
    )
