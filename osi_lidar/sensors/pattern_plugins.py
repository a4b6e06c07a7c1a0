# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scan patterns from Python files and other packages.

A custom pattern is a function of a Python file, or one that an installed package registers as an
entry point::

    [project.entry-points."osi_lidar.patterns"]
    my_curve = "my_package:my_curve"

It is called for every scan with the time at which the scan begins and its duration, both in
seconds, and with the ``options`` of the configuration as keywords. It returns three arrays, one
entry for each pulse: times after the start of the scan [s], azimuths and elevations [rad].
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, TypeAlias

from lidar_base.errors import SmallFileError
from lidar_base.files.small_files import read_small_file
from lidar_base.near_match import near_match
from osi_lidar.errors import ConfigurationError
from raycore.errors import PatternError
from raycore.pattern.source import from_times

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import ArrayLike

    from raycore.pattern.scan_pattern import ScanPattern

    PatternFunction: TypeAlias = Callable[..., tuple[ArrayLike, ArrayLike, ArrayLike]]

ENTRY_POINTS = "osi_lidar.patterns"
_MOST_BYTES = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginSource:
    """A source of beams that calls a function for each scan.

    Attributes
    ----------
    name : str
        Name of the pattern in error messages.
    function : callable
        Function with the signature that the module describes.
    period_s : float
        Duration of one scan. [s]
    options : mapping
        Keyword arguments of the function.
    """

    name: str
    function: PatternFunction
    period_s: float
    options: Mapping[str, object] = field(default_factory=dict)

    def at(self, start_s: float) -> ScanPattern:
        """Return the beams of the scan that begins at ``start_s``, a time in seconds.

        Raises
        ------
        PatternError
            If the function raises, or does not return what it should.
        """
        try:
            given = self.function(start_s, self.period_s, **self.options)
            if isinstance(given, Iterator):  # a generator has not run yet
                given = tuple(given)
        except (Exception, SystemExit) as error:  # a plug-in may raise anything
            code = getattr(self.function, "__code__", None)
            words = _words(error, getattr(code, "co_filename", None))
            raise self._error(f"raised {words}", start_s) from error
        try:
            time_s, azimuth_rad, elevation_rad = given
        except (TypeError, ValueError):
            got = type(given).__name__
            raise self._error(
                f"returned a {got}, expected three arrays: times, azimuths, elevations", start_s
            ) from None
        try:
            return from_times(
                time_s=time_s,
                azimuth_rad=azimuth_rad,
                elevation_rad=elevation_rad,
                period_s=self.period_s,
            )
        except PatternError as error:
            raise self._error(str(error), start_s) from None

    def _error(self, problem: str, start_s: float) -> PatternError:
        return PatternError(f"pattern {self.name!r}, scan at {start_s:.9g} s: {problem}")


def load_plugin(name: str) -> PatternFunction:
    """Return the function of an entry point.

    Raises
    ------
    ConfigurationError
        If there is no entry point of this name, or it cannot be loaded or is not a function.
    """
    points = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    if name not in points:
        known = f"installed: {', '.join(sorted(points))}" if points else "none is installed"
        raise ConfigurationError(
            f"no package has an entry point {name!r} in {ENTRY_POINTS}{near_match(name, points)} "
            f"({known})"
        )
    where = f"pattern {name!r} of {points[name].value}"
    try:
        loaded: object = points[name].load()
    except (Exception, SystemExit) as error:  # a plug-in may raise anything
        raise ConfigurationError(f"{where}: cannot be loaded: {_words(error)}") from error
    if not callable(loaded):
        raise ConfigurationError(f"{where}: is a {type(loaded).__name__}, expected a function")
    return loaded


def load_function(file: Path, name: str) -> PatternFunction:
    """Run a Python file and return one of its functions.

    The file is read anew at each call, so that a pattern can be changed while a model runs.

    Raises
    ------
    ConfigurationError
        If the file cannot be read or run, or does not define a function of this name.
    """
    module = ModuleType(str(file))
    module.__file__ = str(file)
    try:
        code = compile(read_small_file(file, _MOST_BYTES), str(file), "exec", dont_inherit=True)
        sys.modules[module.__name__] = module  # dataclasses look there
        exec(code, module.__dict__)  # noqa: S102  a file of the user's own
    except SmallFileError as error:
        raise ConfigurationError(f"{file}: {error}") from None
    except (Exception, SystemExit) as error:  # it may raise anything
        raise ConfigurationError(f"{file}: cannot be run: {_words(error, str(file))}") from error
    own = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    }
    found: object = vars(module).get(name)
    if name.startswith("__") or found is None:
        functions = ", ".join(own) or "none"
        raise ConfigurationError(
            f"{file}: has no function {name!r}{near_match(name, own)} (its functions: {functions})"
        )
    if not callable(found):
        raise ConfigurationError(
            f"{file}: {name!r} is a {type(found).__name__}, expected a function"
        )
    return found


def _words(error: BaseException, file: str | None = None) -> str:
    """Return type and message of an exception in one line, with its line number in ``file``."""
    words = " ".join(f"{type(error).__name__}: {error}".split())
    steps = traceback.extract_tb(error.__traceback__)
    lines = [step.lineno for step in steps if step.filename == file]
    return f"{words} (line {lines[-1]})" if lines else words
