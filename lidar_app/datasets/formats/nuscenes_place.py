# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Place and time of a scene of nuScenes: rows of scene, log and map, and a black map."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from lidar_app.datasets.formats.index import black_image
from lidar_app.datasets.formats.nuscenes_tables import Row, token

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from lidar_app.datasets.scene_facts import SceneFacts

PIXELS_PER_M, MOST_PIXELS = 10, 20_000
"""Resolution of maps, and their largest side; a larger area is cut off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenePlace:
    """Place and time of a scene.

    Attributes
    ----------
    key : str
        Unique key of the scene, from which tokens are made.
    name, source : str
        Names of the scene and of the run.
    facts : SceneFacts
        Weather, light and other facts about the scene.
    samples : list of str
        Tokens of the samples, in the order of time.
    begin_us : int
        Time of the first sample in the data set. [us]
    late_us : int
        Delay of all times in the data set, relative to the run. [us]
    shift_m : float64 (3,)
        Origin of the data set's world, in OSI's world. [m]
    size_m : float64 (2,)
        Size of the map. [m]
    """

    key: str
    name: str
    source: str
    facts: SceneFacts
    samples: list[str]
    begin_us: int
    late_us: int
    shift_m: NDArray[np.float64]
    size_m: NDArray[np.float64]


def place_rows(folder: Path, place: ScenePlace) -> dict[str, list[Row]]:
    """Return a scene's rows of the tables scene, log and map, by the name of the table.

    The black picture of the map, maps/SCENE.png, is written.

    Parameters
    ----------
    folder : Path
        The folder of the data set.
    place : ScenePlace
        The scene.
    """
    log = token(place.key, "log")
    moved = dict(zip("xyt", (*place.shift_m[:2], -1e-6 * place.late_us), strict=True))
    told = ", ".join(f"{name} {number:+g}" for name, number in moved.items())
    words = f"{place.source}; OSI's world: {told}"
    of_scene: Row = {
        "token": token(place.key, "scene"),
        "log_token": log,
        "nbr_samples": len(place.samples),
        "first_sample_token": place.samples[0],
        "last_sample_token": place.samples[-1],
        "name": place.name,
        "description": "; ".join(part for part in (place.facts.words, words) if part),
    }
    day = datetime.fromtimestamp(max(place.begin_us, 0) // 10**6, tz=timezone.utc)
    of_log: Row = {
        "token": log,
        "logfile": place.source,
        "vehicle": "host",
        "date_captured": day.strftime("%Y-%m-%d"),
        "location": place.source,
        "trace": place.facts.trace,
        "weather": place.facts.weather,
        "light": place.facts.light,
        "seed": place.facts.seed,
    }
    return {"scene": [of_scene], "log": [of_log], "map": [_map_row(folder, place, log)]}


def _map_row(folder: Path, place: ScenePlace, log: str) -> Row:
    """Return the row of a map, and write its picture."""
    maps = folder / "maps"
    maps.mkdir(exist_ok=True)
    width, height = (min(int(PIXELS_PER_M * each), MOST_PIXELS) for each in place.size_m)
    file = maps / f"{place.name}.png"
    file.write_bytes(black_image(width, height))
    return {
        "token": token(place.key, "map"),
        "log_tokens": [log],
        "category": "semantic_prior",
        "filename": f"maps/{file.name}",
    }
