# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A blueprint beside an MCAP file, which sets the views of Rerun.

Without a blueprint, Rerun shows all data in one 3D view, including the range images. As these have
no camera, Rerun marks the view as wrong. The blueprint gives range images their own views.
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
"""Point of view in the frame of the rear axle of the vehicle. [m]"""
SHARE_OF_SCENE, SHARE_OF_IMAGE = 4.0, 1.0
"""Relative heights of the views."""


def blueprint_of(mcap: Path) -> Path:
    """Return the path of the Rerun blueprint that belongs to an MCAP file, in the same folder.

    It is the path `mcap` with the suffix .rbl. The file need not exist.
    """
    return mcap.with_suffix(SUFFIX)


def needed() -> ModuleType:
    """Return Rerun's module of blueprints; raise OutputError if Rerun is not installed."""
    return library("rerun.blueprint", "rerun")


def write_blueprint(mcap: Path, sensors: Sequence[str], frame: str) -> Path:
    """Write the blueprint of an MCAP file, and return its path.

    Parameters
    ----------
    mcap : Path
        The MCAP file. Rerun matches a blueprint with a recording by the name of the application,
        which is the file name for MCAP. So both files must be renamed together.
    sensors : sequence of str
        Names of the sensors in the file.
    frame : str
        Name of the coordinate frame that is fixed in the view, such as the vehicle's rear axle.

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
