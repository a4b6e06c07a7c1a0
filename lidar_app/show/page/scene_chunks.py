# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The scene of a run as chunks of its page, rounded to keep a size limit."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lidar_app.show.page.mesh_chunk import FINEST_STEP_M, mesh_chunk
from lidar_app.show.page.run_scene import used_materials

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lidar_app.show.page.run_scene import PlacedPart, RunScene

STEPS_M = (FINEST_STEP_M, 0.01, 0.03, 0.1, 0.3)
"""Steps to which positions are rounded; the first step that keeps the size limit is used. [m]"""


@dataclass(kw_only=True)
class SceneChunks:
    """The meshes of a page's scene, encoded.

    Attributes
    ----------
    chunks : dict of str to str
        A chunk for each part of `RunScene.parts` by key, in base64.
    still : list of tuple of PlacedPart
        Each different state of the static scene (environment, roads, ground), as placed parts;
        frames refer to a state by its index.
    materials : tuple of str
        Names of the infrared materials.
    step_m : float
        Step to which positions are rounded. [m]
    """

    chunks: dict[str, str] = field(default_factory=dict)
    still: list[tuple[PlacedPart, ...]] = field(default_factory=list)
    materials: tuple[str, ...] = ()
    step_m: float = FINEST_STEP_M

    @property
    def n_byte(self) -> int:
        """Approximate size of the scene in the page [bytes]."""
        entries = sum(map(len, map(str, self.still)))
        return entries + sum(map(len, self.chunks.values())) + 60 * len(self.chunks)

    def manifest(self, places: Mapping[str, int]) -> dict[str, object]:
        """Return the entry of the scene in the page's manifest, as plain values for JSON.

        `places` maps the key of each chunk in `chunks` to its index in the page's list of chunks.
        """
        return {"parts": [places[key] for key in self.chunks], "still": self.still}


def scene_chunks(
    scene: RunScene, still: Sequence[tuple[PlacedPart, ...]], most_bytes: float
) -> SceneChunks | None:
    """Encode a scene, with positions rounded to the finest of `STEPS_M` that keeps a size limit.

    Return None if the scene is too large even with the coarsest step.

    Parameters
    ----------
    scene : RunScene
        The scene, after it has followed all messages.
    still : sequence of tuple of PlacedPart
        See `SceneChunks.still`.
    most_bytes : float
        Greatest size of the chunks. [bytes]
    """
    for step_m in STEPS_M:
        made = SceneChunks(still=[*still], materials=used_materials(scene.parts), step_m=step_m)
        for number, part in enumerate(scene.parts):
            data = base64.b64encode(mesh_chunk(part, step_m)).decode("ascii")
            made.chunks[f"part {number}"] = data
            if made.n_byte > most_bytes:
                break
        else:
            return made if made.n_byte <= most_bytes else None
    return None
