# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Labelled objects of a recording: reading their table, making actors, writing files."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lidar_base.files.own_files import check_claim
from lidar_base.files.whole_files import check_apart
from lidar_gap.compare.labels import read_labels
from lidar_gap.twin.actors.bodies import BodySettings, bodies_of
from lidar_gap.twin.actors.files import (
    Actor,
    actor_files,
    actor_folder,
    frame_times_ns,
    write_actors,
)
from lidar_gap.twin.actors.tracks import in_any_box, tracks_of
from lidar_gap.twin.files import body_names
from osi_lidar.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self

    from lidar_gap.records import ScanCloud
    from lidar_gap.twin.actors.tracks import ActorTrack
    from lidar_gap.twin.reflectivity.albedo import SignalLaw

# smallest reflectivity of bodies, and the step to which they are rounded
_LEAST, _STEP = 0.005, 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A recording's clouds, and the labelled objects in them.

    Attributes
    ----------
    table : Path
        The table of boxes.
    clouds : sequence of ScanCloud
        All clouds of the recording.
    tracks : sequence of ActorTrack
        The labelled objects.
    used : bool (n_cloud,)
        Whether bodies are made from each cloud.
    time_s : float64 (n_cloud,) or None
        Times of the clouds; None if not known. [s]
    """

    table: Path
    clouds: Sequence[ScanCloud]
    tracks: Sequence[ActorTrack]
    used: NDArray[np.bool_]
    time_s: NDArray[np.float64] | None = None

    @classmethod
    def read(
        cls,
        table: Path,
        clouds: Sequence[ScanCloud],
        used: NDArray[np.bool_],
        time_s: NDArray[np.float64] | None = None,
    ) -> Self:
        """Read labelled objects from a table of boxes; the parameters become the attributes.

        Parameters
        ----------
        table : Path
            The table of boxes, with an id for each object.
        clouds : sequence of ScanCloud
            All clouds of the recording.
        used : bool (n_cloud,)
            Whether bodies are made from each cloud.
        time_s : float64 (n_cloud,), optional
            Times of the clouds; None if not known. [s]

        Raises
        ------
        InputError
            If the table cannot be used.
        """
        tracks = tracks_of(table, read_labels(table), [cloud.name for cloud in clouds])
        return cls(table=table, clouds=clouds, tracks=tracks, used=used, time_s=time_s)

    def check(self, path: Path) -> None:
        """Check that the files of actors can be written beside the mesh ``path`` of the place.

        Raises
        ------
        OutputError
            If a file exists that no earlier run has written, a file is the table of boxes, or the
            folder is a link.
        """
        files, folder = actor_files(path, len(self.tracks)), actor_folder(path)
        if folder.is_symlink():
            raise OutputError(f"{folder}: is a link, expected a folder")
        check_apart(files, [self.table])
        check_claim(*files)

    def aside(self) -> list[NDArray[np.bool_]]:
        """Return which points lie in a labelled box: a list with bool (n_point,) for each cloud."""
        return [in_any_box(cloud, self.tracks, row) for row, cloud in enumerate(self.clouds)]

    def actors(self, law: SignalLaw, white: float) -> list[Actor]:
        """Return one actor for each track, with a body if enough points were recorded.

        Parameters
        ----------
        law : SignalLaw
            How the sensor's signal depends on range and incidence.
        white : float
            Albedo of a white target, in the same unit as `ActorBody.albedo`. The reflectivity of a
            body is its albedo divided by this value, but at least 0.005. [unit of the signal x m^2]
        """
        bodies = bodies_of(self.tracks, self.clouds, self.used, BodySettings(law=law))
        found = []
        for number, (track, body) in enumerate(zip(self.tracks, bodies, strict=True), 1):
            value, name = math.nan, "surface"
            if body is not None and math.isfinite(body.albedo):
                value = _STEP * round(max(body.albedo / white, _LEAST) / _STEP)
                name = body_names([value])[0]
            found.append(Actor(track, body, number, name, value))
        return found

    def write(
        self, path: Path, actors: Sequence[Actor], world_from_sensor: NDArray[np.float64]
    ) -> Path:
        """Write the actors beside the mesh of the place, and return the path of the trace.

        Parameters
        ----------
        path : Path
            Path of the place's mesh, from which the names of the files follow.
        actors : sequence of Actor
            The actors, as from `actors`.
        world_from_sensor : float64 (n_cloud, 4, 4)
            Pose of the sensor in the world for each cloud. [m]

        Raises
        ------
        OutputError, TraceError
            If a file cannot be written.
        """
        times_ns = frame_times_ns([cloud.name for cloud in self.clouds], self.time_s)
        return write_actors(path, actors, world_from_sensor, times_ns)
