# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Find the files that a run of a trace reads, without tracing a ray."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lidar_base.files.own_files import sha256_of
from osi_bridge import DamagedTrace
from osi_lidar.run.made_with import input_digests
from osi_lidar.run.packing import materials_by_database
from osi_lidar.run.replay import frame_to_answer, model_of
from osi_lidar.world.mesh_library import meshes_by_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from osi_lidar.config import Config
    from osi_lidar.run.frame_source import FrameSource


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesOfRun:
    """Files that a run reads in addition to its configuration and its trace.

    Attributes
    ----------
    meshes : frozenset of Path
        Paths of meshes and OpenMATERIAL 3D assets, with symbolic links resolved.
    named : mapping of str to (Path or None)
        By model reference of the trace's messages: the mesh file that the run uses for it; None
        if the run uses a box.
    maps : frozenset of Path
        Paths of OpenDRIVE maps, with symbolic links resolved.
    materials : mapping of str to sequence of str
        Names of the infrared materials in use by database, see `materials_by_database`.
    inputs : mapping of str to (str or None)
        SHA-256 of every file that is read except the trace; keys as in ``run.json``, see
        `made_with`.
    damage : DamagedTrace or None
        The error at the first damaged message of the trace. A run ends there. None: the trace is
        undamaged.
    """

    meshes: frozenset[Path]
    named: Mapping[str, Path | None]
    maps: frozenset[Path]
    materials: Mapping[str, Sequence[str]]
    inputs: Mapping[str, str | None]
    damage: DamagedTrace | None

    def digests(self) -> dict[str, object]:
        """Return the SHA-256 of the mesh file for each model reference, None for a box.

        The additional key "" holds the set of the hashes of all meshes and maps. The files are
        read at the time of the call.
        """
        files = {file: sha256_of(file) for file in (*self.meshes, *self.maps)}
        named = {
            reference: None if file is None else files.get(file.resolve())
            for reference, file in self.named.items()
        }
        return {**named, "": set(files.values())}


def follow(config: Config, source: FrameSource) -> FilesOfRun:
    """Return the files that a run of a configuration with a trace reads, without tracing rays.

    Here, the world is updated by every message of the trace. So, files that only messages between
    two scans name are included, although a run does not read them.

    Parameters
    ----------
    config : Config
        The configuration of the run.
    source : FrameSource
        The trace. A damaged trace is no error: messages are read up to the damage, and
        `FilesOfRun.damage` holds the error.

    Raises
    ------
    OsiLidarError, OsiError, RayCoreError
        A run of the configuration with the trace would fail.
    """
    model = model_of(config, source)
    world = model.world
    damage = None
    try:
        for message in source.messages():
            if message.frame is None:
                model.leave_out_late()
                continue
            model.hear(message.frame)
            world.update(message.frame)
    except DamagedTrace as found:
        damage = found
    loaded = (*meshes_by_file(world.library), *world.library.asset_materials)
    return FilesOfRun(
        meshes=frozenset(each.resolve() for each in loaded),
        named=world.assets.by_reference,
        maps=frozenset(each.resolve() for each in world.roads.maps),
        materials=materials_by_database(model.materials),
        inputs=input_digests(model),
        damage=damage,
    )


def inputs_of_run(config: Config, source: FrameSource) -> dict[str, str | None]:
    """Return the present SHA-256 of each file that a run reads, except the trace.

    No rays are traced. Files that only messages between two scans name are not included, as a run
    does not read them.

    Parameters
    ----------
    config : Config
        The configuration of the run.
    source : FrameSource
        The trace; if it is damaged, only its messages before the damage are read.

    Returns
    -------
    dict of str to (str or None)
        SHA-256 in hexadecimal digits, by the name of the file as in ``run.json``, such as
        "scene.search[0]: cars/van.obj". None: the file cannot be read any more.

    Raises
    ------
    OsiLidarError, OsiError, RayCoreError
        A run of the configuration with the trace would fail.
    """
    model = model_of(config, source)
    with suppress(DamagedTrace):
        for message in source.messages():
            frame = frame_to_answer(message, model, {})
            if frame is not None:
                model.follow(frame, {})
    return input_digests(model)
