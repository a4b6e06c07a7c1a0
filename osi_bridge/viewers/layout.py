# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A layout for Lichtblick and Foxglove; without a layout, both programs hide all topics.

Both read the same keys, defined by Lichtblick's panels ``3D`` and ``Image`` (``RendererConfig`` in
``packages/suite-base/src/panels/ThreeDeeRender/IRenderer.ts``, commit 66adecb).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from osi_bridge.viewers.frames import REAR_AXLE_FRAME
from osi_bridge.viewers.topics import EDGES, OBJECTS, image_topic, osi_topic, points_topic

if TYPE_CHECKING:
    from collections.abc import Sequence

_FAR_CM = 6000  # range of the last colour of a range image
_CLOUD = {
    "visible": True,
    "pointSize": 2,
    "colorMode": "rgba-fields",
    "colorField": "intensity",  # used if a user chooses the mode colormap
    "colorMap": "turbo",
    "minValue": 0,
    "maxValue": 100,
}
_CAMERA = {
    "perspective": True,
    "distance": 40,
    "phi": 60,
    "thetaOffset": 90,
    "targetOffset": [5, 0, 0],
    "target": [0, 0, 0],
    "targetOrientation": [0, 0, 0, 1],
    "fovy": 45,
    "near": 0.5,
    "far": 5000,
}


def layout(sensors: Sequence[str], follow: str = REAR_AXLE_FRAME) -> dict[str, Any]:
    """Return a layout, as the content of its JSON file, with clouds, objects and range images.

    Parameters
    ----------
    sensors : sequence of str
        Names of the sensors, one or more.
    follow : str
        The frame that the camera follows.
    """
    panels: dict[str, Any] = {
        "3D!scene": {
            "cameraState": _CAMERA,
            "followMode": "follow-pose",
            "followTf": follow,
            "scene": {"transforms": {"axisScale": 0.5, "showLabel": False}},
            "transforms": {},
            "topics": _topics(sensors),
            "layers": {"grid": _grid(follow)},
            "imageMode": {},
        }
    }
    images = [f"Image!{name}" for name in sensors]
    for panel, name in zip(images, sensors, strict=True):
        panels[panel] = {"imageMode": _range_image(name)}
    return {
        "configById": panels,
        "globalVariables": {},
        "userNodes": {},
        "playbackConfig": {"speed": 1},
        "layout": {
            "direction": "column",
            "first": "3D!scene",
            "second": _stacked(images),
            "splitPercentage": 75,
        },
    }


def _topics(sensors: Sequence[str]) -> dict[str, object]:
    """Return the settings of all topics; topics with the same content as the boxes are hidden."""
    hidden = (EDGES, osi_topic("SensorView", "In"), osi_topic("GroundTruth", "In"))
    return {
        **{points_topic(name): _CLOUD for name in sensors},
        OBJECTS: {"visible": True, "showOutlines": True},
        **{topic: {"visible": False} for topic in hidden},
    }


def _grid(frame: str) -> dict[str, Any]:
    return {
        "layerId": "foxglove.Grid",
        "instanceId": "grid",
        "label": "Grid",
        "visible": True,
        "frameLocked": True,
        "frameId": frame,
        "size": 100,
        "divisions": 10,
        "lineWidth": 1,
        "color": "#55606a",
        "position": [0, 0, 0],
        "rotation": [0, 0, 0],
    }


def _range_image(sensor: str) -> dict[str, Any]:
    return {
        "imageTopic": image_topic(sensor),
        "colorMode": "colormap",
        "colorMap": "turbo",
        "minValue": 0,
        "maxValue": _FAR_CM,
    }


def _stacked(panels: Sequence[str]) -> Any:  # noqa: ANN401  a panel or a tree of them
    """Return a layout node with panels one above the other."""
    first, *others = panels
    if not others:
        return first
    return {
        "direction": "column",
        "first": first,
        "second": _stacked(others),
        "splitPercentage": 100 / len(panels),
    }
