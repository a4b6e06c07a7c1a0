# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bundles as TRACE or --config of any command: the files inside are used instead."""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from lidar_app.bundle import bundle_above, is_bundle
from lidar_app.cli.parts.parameters import address_in
from lidar_base.files.small_files import is_folder
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lidar_app.bundle.opening import OpenBundle

_TRACE, _CONFIG = "trace", "config"
"""Parameters of commands whose value may be a bundle."""
_CLOUDS = ("cloud", "clouds", "real", "sim", "run", "run_dir")
"""Parameters for clouds and runs, whose value may not be a bundle."""
_RUNS = ("source", "cloud", "run", "runs", "run_dir")
"""Parameters whose value may be the folder of a run."""
_SEVERAL = "runs"
"""Parameter whose value may also be folders that hold runs, as a batch writes them."""
_REPORT = "run.json"
_EARLIER = ("earlier", "earlier_trace")
"""Further parameters for a trace, as in version 0.2."""
_CLUSTER, _FOLDER = "scheduler", "out_folder"
"""Parameters for a cluster, and for an output folder that all its machines can reach."""
_READS = {"message_type": "message_type", "host": "host_id", "source": "source"}
"""Options for reading messages, and the key of the manifest with the default of each."""
_of_trace: ContextVar[OpenBundle | None] = ContextVar("bundle", default=None)


@contextmanager
def unbundled(given: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Unpack the bundles among the parameter values of a command; yield values without bundles.

    The unpacked files exist until the block ends. A bundle as TRACE gives the trace. It also gives
    the configuration and the options for reading messages, unless the user has stated them. A
    bundle as --config gives the configuration. If a value is a run that was made from a bundle, and
    the bundle still exists, it is unpacked, too, because run.json names files in it. For a cluster,
    a bundle is unpacked beside the output folder, which all machines can reach.

    Parameters
    ----------
    given : mapping of str to object
        Values by the name of the parameter, as the user has given them.

    Raises
    ------
    InputError
        A bundle cannot be used.
    """
    values = dict(given)
    _check_clouds(values)
    with ExitStack() as stack:
        opened: dict[Path, OpenBundle] = {}
        home = _shared_folder(values)
        for name in (_TRACE, _CONFIG, *_EARLIER):
            file = _bundle_in(values, name)
            if file is None:
                continue
            if file not in opened:
                from lidar_app.bundle.opening import open_bundle

                is_used = given.get(_CONFIG) in (None, file)  # its configuration
                opened[file] = stack.enter_context(open_bundle(file, home, warns=is_used))
            _take(values, name, opened[file])
            if name == _TRACE:
                token = _of_trace.set(opened[file])
                stack.callback(_of_trace.reset, token)
        _open_bundles_of_runs(values, stack)
        yield values


def _check_clouds(values: Mapping[str, object]) -> None:
    """Check that no parameter for clouds is a bundle."""
    for file in filter(None, (_bundle_in(values, name) for name in _CLOUDS)):
        raise InputError(
            f"{file}: is a bundle, expected clouds; `osi-lidar replay` makes clouds from it"
        )


def _shared_folder(values: Mapping[str, object]) -> Path | None:
    """Return a folder that all machines of a cluster can reach; None without a cluster."""
    if values.get(_CLUSTER) is None:
        return None
    out = values.get(_FOLDER)
    above = (out if isinstance(out, Path) else Path("out")).absolute().parents
    return next((each for each in above if is_folder(each)), None)


def bundle_of_trace() -> OpenBundle | None:
    """Return the unpacked bundle that this command got as TRACE; None if TRACE is no bundle."""
    return _of_trace.get()


@contextmanager
def replayed(file: Path, frames: slice) -> Iterator[Path]:
    """Replay some frames of a bundle's trace, and yield the run's folder, removed on exit.

    Raises
    ------
    OsiLidarError, OsiError, RayCoreError
        The bundle or a file in it cannot be used.
    """
    from lidar_app.bundle.opening import open_bundle
    from lidar_app.bundle.scenario import TraceReading
    from lidar_app.bundle.scratch import scratch_folder
    from lidar_app.cli.parts.console import progress
    from osi_lidar.config import load_config
    from osi_lidar.run.replay import replay

    with open_bundle(file) as bundle, scratch_folder() as home:
        folder = home / file.stem  # its name is the title of the page
        source = TraceReading().else_of(bundle.manifest.reads).of(bundle.trace, frames)
        with progress() as bar:
            bar.add_task("replay", total=None)
            replay(source, load_config(bundle.config), folder)
        yield folder


def _bundle_in(values: Mapping[str, object], name: str) -> Path | None:
    """Return the bundle that a parameter names, None if it is no bundle on this machine."""
    value = values.get(name)
    is_here = isinstance(value, Path) and address_in(value) is None
    return value if isinstance(value, Path) and is_here and is_bundle(value) else None


def _take(values: dict[str, object], name: str, bundle: OpenBundle) -> None:
    """Replace a bundle by its file; also set the parameters that it gives, if not stated."""
    if name == _CONFIG:
        values[name] = bundle.config
        return
    values[name] = bundle.trace
    if name == _TRACE and values.get(_CONFIG, "") is None:
        values[_CONFIG] = bundle.config
    for option, key in _READS.items():
        if values.get(option, "") is None and key in bundle.manifest.reads:
            values[option] = bundle.manifest.reads[key]


def _open_bundles_of_runs(values: Mapping[str, object], stack: ExitStack) -> None:
    """Unpack the bundles from which runs among the values were made, each bundle once.

    If a bundle cannot be unpacked, its run is shown without the files in the bundle.
    """
    for file in dict.fromkeys(filter(None, map(_bundle_of, _runs_among(values)))):
        from lidar_app.bundle.opening import open_bundle

        with suppress(InputError):
            stack.enter_context(open_bundle(file))


def _runs_among(values: Mapping[str, object]) -> Iterator[Path]:
    """Yield folders among the values that may be runs, and runs below folders of `runs`."""
    for name in _RUNS:
        value = values.get(name)
        for each in value if isinstance(value, list) else (value,):
            if not isinstance(each, (str, Path)):
                continue
            yield Path(each)
            if name == _SEVERAL:
                from lidar_app.datasets.sources import runs_below

                with suppress(OSError, ValueError):
                    yield from runs_below(Path(each))


def _bundle_of(run: Path) -> Path | None:
    """Return the bundle of a run; None without one, or if it is gone or has another trace."""
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
