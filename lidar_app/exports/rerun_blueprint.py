# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What Rerun shows of a run's MCAP file when both are opened: a blueprint beside it.

By itself Rerun puts all that is in a file into one 3D view, the range images, too, which no camera
took: it marks the view as wrong. The blueprint gives them views of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.exports.export_run import library
from lidar_base.files.whole_files import replacing
from osi_bridge import GLOBAL_FRAME

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import ModuleType

SUFFIX = ".rbl"
EYE = {"position": (-22.0, 0.0, 12.0), "look_target": (6.0, 0.0, 0.0), "eye_up": (0.0, 0.0, 1.0)}
"""Where a vehicle is looked at from, in the frame of its rear axle [m]."""
SHARE_OF_SCENE, SHARE_OF_IMAGE = 4.0, 1.0
"""How high the views are, relative to each other."""


def blueprint_of(mcap: Path) -> Path:
    """Return the blueprint's file beside an MCAP file."""
    return mcap.with_suffix(SUFFIX)


def needed() -> ModuleType:
    """Return Rerun's module of blueprints; OutputError if the extra ``rerun`` is not installed."""
    return library("rerun.blueprint", "rerun")


def write_blueprint(mcap: Path, sensors: Sequence[str], frame: str) -> Path:
    """Write the blueprint of an MCAP file, and return its path.

    Parameters
    ----------
    mcap : Path
        The file. Rerun takes a blueprint for the recording whose application has its name, and
        names that of an MCAP file by the file: neither may be renamed without the other.
    sensors : sequence of str
        Names of the sensors in it.
    frame : str
        What stands still in the view of the scene, such as the vehicle's rear axle.

    Raises
    ------
    OutputError
        If the extra ``rerun`` is not installed, or the file cannot be written.
    """
    views = needed()
    images = [f"/{name}/range_image" for name in sensors]
    scene = views.Spatial3DView(
        name="Clouds and objects",
        contents=["+ /**", *(f"- {image}" for image in images)],
        spatial_information=views.SpatialInformation(target_frame=frame),
        eye_controls=None if frame == GLOBAL_FRAME else views.EyeControls3D(**EYE),
    )
    below = [
        views.Spatial2DView(name=name, origin=image)
        for name, image in zip(sensors, images, strict=True)
    ]
    shares = [SHARE_OF_SCENE, *(SHARE_OF_IMAGE for _ in below)]
    panels = (views.BlueprintPanel, views.SelectionPanel, views.TimePanel)
    blueprint = views.Blueprint(
        views.Vertical(scene, *below, row_shares=shares),
        *(panel(state="collapsed") for panel in panels),
    )
    path = blueprint_of(mcap)
    with replacing(path) as part:
        blueprint.save(mcap.stem, part)
    return path
