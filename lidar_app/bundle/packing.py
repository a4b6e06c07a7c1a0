# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Write a bundle: the files that a run reads, with their relative paths to each other."""

from __future__ import annotations

import logging
import os
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lidar_app.bundle.author import author_run, reads_of
from lidar_app.bundle.following import follow, inputs_of_run
from lidar_app.bundle.manifest import (
    CONFIG,
    MANIFEST,
    Manifest,
    Member,
    check_inner,
)
from lidar_app.bundle.scenario import TraceReading, manifest_in
from lidar_app.bundle.scratch import scratch_folder
from lidar_base.errors import BoundError
from lidar_base.files.archives import write_archive
from lidar_base.files.bounds import MOST_BUNDLE_BYTES, MOST_FILES, check_at_most
from lidar_base.files.own_files import sha256_of
from lidar_base.files.shown_paths import shown_text, unpacked_archives
from lidar_base.files.whole_files import cause_of, check_apart
from osi_lidar.config import load_config
from osi_lidar.errors import InputError, OutputError
from osi_lidar.run.made_with import making_in
from osi_lidar.run.packing import Layout, Packing, real_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lidar_app.bundle.following import FilesOfRun
    from lidar_app.bundle.manifest import AuthorRun
    from lidar_app.bundle.scenario import BundleScenario
    from osi_bridge import DamagedTrace
    from osi_lidar.output.stored import StoredRun


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenBundle:
    """Result of `write_bundle`.

    Attributes
    ----------
    manifest : Manifest
        Content of the bundle.
    n_bytes : int
        Size of the bundle file. [bytes]
    damage : DamagedTrace or None
        The error at the message where the trace is damaged; None: undamaged.
    n_dropped : int
        Number of hashes of the author's point clouds that were dropped. They are dropped if the
        scenario comes from an unpacked bundle and was changed, as they no longer apply.
    """

    manifest: Manifest
    n_bytes: int
    damage: DamagedTrace | None
    n_dropped: int = 0

    def __str__(self) -> str:
        author = self.manifest.run
        clouds = "" if author is None else f", hashes of {len(author.clouds)} clouds"
        return f"{len(self.manifest.members)} files, {self.n_bytes / 1e6:.2f} MB{clouds}"


def write_bundle(scenario: BundleScenario, target: Path) -> WrittenBundle:
    """Write a bundle to the file `target`; the same scenario gives the same bytes.

    The scenario may come from the folder of an unpacked bundle. Unchanged files then keep the
    author's paths (`Member.origin`) from the manifest of that bundle. If nothing has changed, the
    hashes of the author's run are kept, too.

    Raises
    ------
    InputError, ConfigurationError, OsiError, RayCoreError, MaterialError
        A file cannot be used or cannot be packed.
    OutputError
        The bundle cannot be written, or `target` is one of the files to pack.
    """
    check_apart([target], unpacked_archives())
    files = follow(scenario.config, scenario.source)
    with scratch_folder() as folder:
        packing = _packed(scenario, files)
        try:
            packing.layout.copy(folder)
            packing.write_config(folder / CONFIG)
        except OSError as error:
            raise OutputError(f"{folder.parent}: cannot be written: {cause_of(error)}") from error
        trace = packing.layout.place(real_folder(scenario.source.path))
        _check_same(scenario, files, folder, folder / trace)
        manifest = _manifest(scenario, files, packing.layout, folder, trace)
        (folder / MANIFEST).write_bytes(manifest.text())
        check_apart([target], [*packing.layout.files, scenario.folder / scenario.name])
        names = [MANIFEST, *(each.name for each in manifest.members)]
        try:
            write_archive({name: folder / name for name in names}, target)
        except OSError as error:
            raise OutputError(f"{target}: cannot be written: {cause_of(error)}") from error
    return WrittenBundle(
        manifest=manifest,
        n_bytes=target.stat().st_size,
        damage=files.damage,
        n_dropped=_n_dropped(scenario, manifest),
    )


def _packed(scenario: BundleScenario, files: FilesOfRun) -> Packing:
    """Collect the files of a scenario and their paths in the bundle."""
    config, source = scenario.config, scenario.source
    layout = Layout("a bundle", MOST_BUNDLE_BYTES)
    packing = Packing(config, layout, used=files.meshes)
    packing.add_databases(files.materials)
    trace = real_folder(source.path)
    packing.add_beside(trace, trace.parent, files.meshes)
    for file in sorted(files.maps) if config.scene.map is None else ():
        layout.add(file)
    return packing


def _check_same(scenario: BundleScenario, files: FilesOfRun, folder: Path, trace: Path) -> None:
    """Check that the packed scenario reads the same meshes and maps as the original one."""
    reads = TraceReading().else_of(reads_of(scenario.source.described))
    with _without_warnings():  # they came when the original files were read
        found = follow(load_config(folder / CONFIG), reads.of(trace))
    known, packed = files.digests(), found.digests()
    if known == packed:
        return
    lost = [name for name in known if name and known[name] != packed.get(name)]
    what = f"mesh {lost[0]!r:.120}" if lost else "a mesh or map"
    raise InputError(
        f"{scenario.source.path}: {what} would not be found in the bundle: put the file itself, "
        "not a link, beside the trace or into a folder of scene.search"
    )


@contextmanager
def _without_warnings() -> Iterator[None]:
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def _manifest(
    scenario: BundleScenario, files: FilesOfRun, layout: Layout, folder: Path, trace: str
) -> Manifest:
    """Return the manifest of packed files."""
    origins = {layout.place(file): _relative(file, scenario.folder) for file in layout.files}
    origins[CONFIG] = scenario.name
    earlier = manifest_in(scenario.folder)
    known = {} if earlier is None else {each.name: each for each in earlier.members}
    members = []
    for file in sorted(each for each in folder.rglob("*") if each.is_file()):
        name = file.relative_to(folder).as_posix()
        check_inner(name)
        member = Member(
            name=name,
            size=file.stat().st_size,
            sha256=sha256_of(file),
            origin=origins.get(name),
        )
        was = known.get(name)
        members.append(was if was is not None and was.sha256 == member.sha256 else member)
    try:
        check_at_most(len(members) + 1, MOST_FILES, "files of the bundle")
    except BoundError as error:
        raise InputError(str(error)) from None
    reads = reads_of(scenario.source.described)
    ordered = tuple(sorted(members, key=lambda each: each.name))
    return Manifest(
        trace=trace,
        members=ordered,
        reads=reads,
        run=_run(scenario, files, earlier, ordered, reads),
    )


def _run(
    scenario: BundleScenario,
    files: FilesOfRun,
    earlier: Manifest | None,
    members: tuple[Member, ...],
    reads: dict[str, object],
) -> AuthorRun | None:
    """Return the author's run, else the one of an earlier bundle with the same scenario."""
    if scenario.run is not None:
        return author_run(
            scenario.run,
            config=scenario.config.resolved(),
            sha256=sha256_of(scenario.source.path),
            reads=reads,
            inputs=_inputs(scenario, scenario.run, files),
        )
    if earlier is not None and (earlier.members, earlier.reads) == (members, reads):
        return earlier.run
    return None


def _inputs(
    scenario: BundleScenario, run: StoredRun, files: FilesOfRun
) -> Mapping[str, str | None]:
    """Return the hashes of what the author's run reads now.

    A bundle also packs files that only messages between two scans name. A run does not read these.
    """
    made = making_in(run.report)
    if made is None or made.files == files.inputs:
        return files.inputs
    with _without_warnings():  # they came when all messages were followed
        return inputs_of_run(scenario.config, scenario.source)


def _n_dropped(scenario: BundleScenario, manifest: Manifest) -> int:
    """Return the number of cloud hashes of an earlier bundle that the new manifest lacks."""
    earlier = manifest_in(scenario.folder)
    if manifest.run is not None or earlier is None or earlier.run is None:
        return 0
    return len(earlier.run.clouds)


def _relative(file: Path, folder: Path) -> str:
    """Return a path relative to a folder; paths of unpacked files start with their bundle."""
    shown, start = shown_text(str(file)), shown_text(str(folder.resolve()))
    return Path(os.path.relpath(shown, start)).as_posix()
