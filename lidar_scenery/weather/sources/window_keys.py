# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The windows of sensors as keys of a YAML file; `windows` makes them."""

from pathlib import Path
from typing import Annotated

from pydantic import Discriminator, Field, Tag

from lidar_base.sections import Section, SomePath

Share = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=1)]
WindowFilm = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=5)]


def _transmission_tag(value: object) -> str:
    return "image" if isinstance(value, str | Path) else "share"


class WindowSection(Section):
    """The windows of physical sensors; ideal ones have none."""

    transmission: Annotated[
        Annotated[Share, Tag("share")] | Annotated[SomePath, Tag("image")],
        Discriminator(_transmission_tag),
    ] = Field(
        default=1.0,
        description="Share of the light that passes one way, or a grey image of it by direction "
        "([window](../explanation/weather.md#window)): white is clear, black blocks. A film of "
        "dirt leaves 0.9 to "
        "0.5, an estimate.",
    )
    drops: Share = Field(
        default=0.0,
        description="Share of the beams that meet a drop of water on the window and lose half of "
        "their energy, an estimate. The drops are the same in all scans.",
    )
    film_mm: WindowFilm = Field(
        default=0.0,
        description="Closed film of water on the outside of the window. It absorbs light, most at "
        "1550 nm, and replaces the outer face of the pane (refractive index 1.5, an assumption).",
    )
    sensors: tuple[str, ...] | None = Field(
        default=None,
        min_length=1,
        description="Names of the sensors that have this window. Default: all.",
    )
