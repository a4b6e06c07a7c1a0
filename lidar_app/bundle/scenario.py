# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The content of a bundle before packing: a configuration and a trace, given or from a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from lidar_app.bundle import bundle_above
from lidar_app.bundle.author import input_of, reads_of
from lidar_app.bundle.manifest import CONFIG, MANIFEST, Manifest, parse_manifest
from lidar_base.errors import SmallFileError
from lidar_base.files.bounds import MOST_TEXT_BYTES
from lidar_base.files.small_files import read_small_file
from lidar_base.sections import first_line, first_problem
from osi_lidar.config import Config, check_files, load_config
from osi_lidar.errors import InputError
from osi_lidar.output.run_folder import REPORT_NAME
from osi_lidar.output.stored import open_run
from osi_lidar.run.frame_source import FrameSource

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from osi_lidar.output.stored import StoredRun


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleScenario:
    """Configuration, trace and run that go into a bundle.

    Attributes
    ----------
    config : Config
        The configuration.
    folder : Path
        Folder of the configuration; `Member.origin` of each packed file is relative to it.
    name : str
        Name of the file in `folder` that states the configuration; ``run.json`` for a run.
    source : FrameSource
        All frames of the trace.
    run : StoredRun or None
        The author's run of this configuration and trace; None if there is none.
    """

    config: Config
    folder: Path
    name: str
    source: FrameSource
    run: StoredRun | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceReading:
    """Options for reading the messages of a trace; an option that is not stated is None.

    Attributes
    ----------
    message_type : str or None
        "SensorView" or "GroundTruth".
    host_id : int or None
        OSI id of the host vehicle.
    source : str or None
        Topic of an MCAP file.
    """

    message_type: str | None = None
    host_id: int | None = None
    source: str | None = None

    def else_of(self, reads: Mapping[str, object]) -> TraceReading:
        """Return a copy in which each option that is None has the value from `reads`, if any.

        Parameters
        ----------
        reads : mapping of str to object
            Values of "message_type", "host_id" and "source", such as `Manifest.reads`. A value of
            the wrong type is ignored.
        """
        message_type, host_id, source = map(reads.get, ("message_type", "host_id", "source"))
        if self.message_type is not None or not isinstance(message_type, str):
            message_type = self.message_type
        if self.host_id is not None or not isinstance(host_id, int):
            host_id = self.host_id
        if self.source is not None or not isinstance(source, str):
            source = self.source
        return TraceReading(message_type=message_type, host_id=host_id, source=source)

    def of(self, trace: Path, frames: slice = slice(None)) -> FrameSource:
        """Return the frames of a trace, read with these options; by default all frames."""
        return FrameSource(
            trace,
            message_type=self.message_type,
            host_id=self.host_id,
            frames=frames,
            source=self.source,
        )


def scenario_of(
    place: Path, trace: Path | None, reading: TraceReading, *, run: Path | None = None
) -> BundleScenario:
    """Return the configuration, trace and run to put into a bundle.

    Parameters
    ----------
    place : Path
        A configuration, the folder of a run, or the folder that a bundle was unpacked into.
    trace : Path or None
        The trace; None: the trace of the run or of the unpacked bundle.
    reading : TraceReading
        Options for reading the messages of the trace. If `place` is a run, options that are None
        are as in the run. If the trace is the one of an unpacked bundle, they are as in the bundle.
    run : Path, optional
        Folder of the author's run, if `place` is no run; default: no run.

    Raises
    ------
    InputError, ConfigurationError, TraceError
        A file is absent or cannot be used.
    """
    if place.is_dir() and (place / REPORT_NAME).is_file():
        if run is not None:
            raise InputError(f"got the run {place} and --run {run}, expected only one run")
        return _of_run(open_run(place), trace, reading)
    file = _config_at(place)
    config = load_config(file)
    manifest = manifest_in(file.parent)
    if trace is None and manifest is not None:
        trace = file.parent / manifest.trace
        reading = reading.else_of(manifest.reads)
    if trace is None:
        raise InputError("TRACE: got nothing, expected an OSI trace")
    return BundleScenario(
        config=config,
        folder=file.parent,
        name=file.name,
        source=reading.of(trace),
        run=None if run is None else open_run(run),
    )


def _config_at(place: Path) -> Path:
    """Return the file of a configuration: the path itself, or a file in an unpacked bundle."""
    if not place.is_dir():
        return place
    if not (place / CONFIG).is_file():
        raise InputError(
            f"{place}: contains neither {REPORT_NAME} nor {CONFIG}, expected a configuration, the "
            "folder of a run or an unpacked bundle"
        )
    return place / CONFIG


def manifest_in(folder: Path) -> Manifest | None:
    """Return the manifest in the folder of an unpacked bundle; None if missing or invalid."""
    try:
        return parse_manifest(read_small_file(folder / MANIFEST, MOST_TEXT_BYTES))
    except (SmallFileError, InputError):
        return None


def _of_run(run: StoredRun, trace: Path | None, reading: TraceReading) -> BundleScenario:
    trace = trace or run.trace
    if trace is None:
        raise InputError(f"{run.folder}: is a run without a trace, expected the folder of a replay")
    bundle = bundle_above(trace)
    if bundle is not None:
        raise InputError(
            f"{run.folder}: is the run of a bundle; name the bundle, too: osi-lidar bundle "
            f"{bundle} --run {run.folder}"
        )
    return BundleScenario(
        config=_config_of(run),
        folder=run.folder,
        name=REPORT_NAME,
        source=reading.else_of(reads_of(input_of(run))).of(trace),
        run=run,
    )


def _config_of(run: StoredRun) -> Config:
    """Return the configuration of a run, with the changes by its options."""
    data = run.report.get("config")
    file = run.folder / REPORT_NAME
    try:
        config = Config.model_validate(data)
    except ValidationError as error:
        raise InputError(f"{file}: config.{first_problem(error, data)}") from None
    if problems := check_files(config):
        raise InputError(f"{file}: config.{first_line(problems)}")
    return config
