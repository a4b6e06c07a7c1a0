# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Remarks of a model on its input, for the master's log: each one once."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from osi_bridge import Frame
    from osi_lidar.model import LidarModel

NO_CARRIER = "no moving object to carry the sensors: mountings are world poses"


class Remarks:
    """What a run of the command line lists at its end, told as soon as it is known.

    Parameters
    ----------
    model : LidarModel
        The model, before its first step.
    """

    def __init__(self, model: LidarModel) -> None:
        self._model = model
        self._told: set[str] = set()
        self._seen: tuple[object, ...] = ()

    def on_step(self, frame: Frame) -> Iterator[tuple[int, str]]:
        """Yield level and text of what is new after the step that answered a message."""
        world = self._model.world
        ground_z_m, n_meshes = world.ground.z_m, world.scene.counts.meshes_built
        seen = (len(world.fallbacks), n_meshes, ground_z_m, frame.host is None)
        if seen == self._seen:  # a list of all fallbacks in each step takes its time
            return
        self._seen = seen
        found = [(logging.WARNING, str(each)) for each in self._fallbacks(of_sensors=False)]
        if frame.host is None:
            found.append((logging.WARNING, NO_CARRIER))
        if ground_z_m is not None:
            found.append((logging.INFO, f"ground plane at z = {ground_z_m:.2f} m"))
        yield from self._new(found)

    def at_end(self) -> Iterator[tuple[int, str]]:
        """Yield level and text of what only the whole run shows: sensors without a scan."""
        found = [(logging.WARNING, str(each)) for each in self._fallbacks(of_sensors=True)]
        yield from self._new(found)

    def _fallbacks(self, *, of_sensors: bool) -> Iterator[object]:
        for each in self._model.fallbacks:
            if (each.kind == "sensor") == of_sensors:
                yield each

    def _new(self, found: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        for level, text in found:
            if text not in self._told:
                self._told.add(text)
                yield level, text
