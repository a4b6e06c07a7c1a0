# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OpenSCENARIO files."""

from pathlib import Path


def scenario(
    folder: Path, *, fog_m: float = 1e5, rain_mm_h: float = 0.0, name: str = "rain.xosc"
) -> Path:
    """Write a scenario with this weather, and return its path."""
    weather = (
        f'<Fog visualRange="{fog_m}"/><Precipitation precipitationType="rain" '
        f'precipitationIntensity="{rain_mm_h}"/>'
    )
    path = folder / name
    path.write_text(
        "<OpenSCENARIO><Storyboard><Init><Actions><GlobalAction><EnvironmentAction><Environment "
        f'name="e"><Weather>{weather}</Weather></Environment></EnvironmentAction></GlobalAction>'
        "</Actions></Init></Storyboard></OpenSCENARIO>",
        encoding="utf-8",
    )
    return path
