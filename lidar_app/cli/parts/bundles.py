# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bundles in place of TRACE and --config: every command takes them, and reads the files inside."""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from lidar_app.bundle import bundle_above, is_bundle
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lidar_app.bundle.opening import OpenBundle

_TRACE, _CONFIG, _CLOUD = "trace", "config", "cloud"
"""Parameters of commands that may be bundles, or may not."""
_RUNS = ("source", "cloud", "run", "runs", "run_dir")
"""Parameters that may be folders of runs."""
_REPORT = "run.json"
_READS = {"message_type": "message_type", "host": "host_id", "source": "source"}
"""Options for messages, and the keys of a manifest that they default to."""
_of_trace: ContextVar[OpenBundle | None] = ContextVar("bundle", default=None)


@contextmanager
def unbundled(given: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Yield the values of a command with files of bundles in place of the bundles.

    A bundle as TRACE gives the trace, the configuration where none is given, and how messages are
    read where no option says so; one as --config gives the configuration. The bundle that a run
    was made from is unpacked, too, if it is still there: the run names meshes and a trace in it.

    Parameters
    ----------
    given : mapping of str to object
        Values by the names of parameters.

    Raises
    ------
    InputError
        A bundle cannot be used.
    """
    values = dict(given)
    if file := _bundle_in(values, _CLOUD):
        raise InputError(f"{file}: is a bundle, which has no clouds: `osi-lidar replay` makes them")
    with ExitStack() as stack:
        opened: dict[Path, OpenBundle] = {}
        for name in (_TRACE, _CONFIG):
            file = _bundle_in(values, name)
            if file is None:
                continue
            if file not in opened:
                from lidar_app.bundle.opening import open_bundle

                opened[file] = stack.enter_context(open_bundle(file))
            bundle = opened[file]
            values[name] = bundle.trace if name == _TRACE else bundle.config
            if name == _TRACE:
                _fill(values, bundle)
                token = _of_trace.set(bundle)
                stack.callback(_of_trace.reset, token)
        _open_bundles_of_runs(values, stack)
        yield values


def bundle_of_trace() -> OpenBundle | None:
    """Return the bundle that the command's TRACE was taken from, None if it was none."""
    return _of_trace.get()


@contextmanager
def replayed(file: Path, frames: slice) -> Iterator[Path]:
    """Replay a bundle into a folder that is there for as long as a block runs.

    Raises
    ------
    OsiLidarError, OsiError, RayCoreError
        The bundle, or what it holds, cannot be used.
    """
    from lidar_app.bundle.opening import open_bundle
    from lidar_app.bundle.scenario import TraceReading
    from lidar_app.bundle.scratch import scratch_folder
    from lidar_app.cli.parts.console import progress
    from osi_lidar.config import load_config
    from osi_lidar.run.replay import replay

    with open_bundle(file) as bundle, scratch_folder() as folder:
        source = TraceReading().else_of(bundle.manifest.reads).of(bundle.trace, frames)
        with progress() as bar:
            bar.add_task("replay", total=None)
            replay(source, load_config(bundle.config), folder)
        yield folder


def _bundle_in(values: Mapping[str, object], name: str) -> Path | None:
    """Return the bundle that a parameter names, None if it names none."""
    value = values.get(name)
    return value if isinstance(value, Path) and is_bundle(value) else None


def _fill(values: dict[str, object], bundle: OpenBundle) -> None:
    """Give the options that a command has and nobody has set the values of a bundle."""
    if values.get(_CONFIG, "") is None:
        values[_CONFIG] = bundle.config
    for option, key in _READS.items():
        if values.get(option, "") is None and key in bundle.manifest.reads:
            values[option] = bundle.manifest.reads[key]


def _open_bundles_of_runs(values: Mapping[str, object], stack: ExitStack) -> None:
    """Unpack the bundles that runs among the values were made from.

    If one cannot be unpacked, its run is shown without what it names.
    """
    for name in _RUNS:
        value = values.get(name)
        for each in value if isinstance(value, list) else (value,):
            if not isinstance(each, (str, Path)):
                continue
            file = _bundle_of(Path(each))
            if file is not None:
                from lidar_app.bundle.opening import open_bundle

                with suppress(InputError):
                    stack.enter_context(open_bundle(file))


def _bundle_of(run: Path) -> Path | None:
    """Return the bundle that a run was made from, None if it is gone or holds another trace."""
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError, InputError):
        if not (run / _REPORT).is_file():
            return None
        given = json.loads((run / _REPORT).read_bytes())["input"]
        file = bundle_above(Path(given["file"]))
        if file is None or not file.is_file():
            return None
        from lidar_app.bundle.opening import read_manifest

        manifest, _ = read_manifest(file)
        traces = [each.sha256 for each in manifest.members if each.name == manifest.trace]
        return file if traces == [given["sha256"]] else None
    return None
