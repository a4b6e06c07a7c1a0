# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Targets of fuzzing: valid files, the reader of them, and the answers that are accepted."""

import io
import json
import logging
import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path

import numpy as np
import typer
from google.protobuf.message import Message

from lidar_app.cli.main import app
from lidar_app.cli.parts.console import LogLines
from lidar_base.errors import BaseError, OsiLidarError
from material_mapping import MaterialError
from osi_bridge import OsiError
from raycore.errors import RayCoreError
from tests.fuzz.containers import of_name
from tests.fuzz.values import changed_bytes, changed_words, in_other_encoding

TAKEN = ""
"""The answer to a case that is not refused."""
Files = dict[str, bytes]
REFUSALS = (OsiLidarError, OsiError, RayCoreError, MaterialError, BaseError)
"""The product's own errors, whose texts are one line."""
_USAGE_ERROR = typer.BadParameter.__base__ or typer.BadParameter
_TEXTS = (".json", ".yaml", ".csv", ".txt", ".xml", ".xodr", ".xosc", ".obj", ".mtl", ".gltf",
          ".usda")  # fmt: skip


class Refused(Exception):  # noqa: N818  it is none
    """What was asked for was refused in the way that the product promises."""


class Wrong(Exception):  # noqa: N818  of the product, not of the call
    """An answer that the product must not give."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """A kind of input.

    Attributes
    ----------
    name : str
        Its name, and the name of its folder in the corpus.
    seeds : callable
        Takes an empty folder, writes into it, and returns for each seed its files.
    call : callable
        Takes the folder of a case, whose files it has the product read. It returns what holds
        numbers that have to be finite, and raises what the product raises.
    changed : tuple of str
        Patterns of the names of the files that are changed; others are beside them as they are.
    changes : mapping of str to callable
        Changes of files by their patterns, in place of the changes of their suffix.
    share : float
        How much time it gets: others have 1.
    """

    name: str
    seeds: Callable[[Path], Mapping[str, Files]]
    call: Callable[[Path], object]
    changed: tuple[str, ...] = ("*",)
    changes: Mapping[str, Callable[..., bytes]] | None = None
    share: float = 1.0

    def change(self, files: Files, draw) -> Files:
        """Return a case: the files of a seed, one or two of them changed."""
        names = [each for each in files if any(Path(each).match(one) for one in self.changed)]
        case = dict(files)
        for _ in range(draw.choice((1, 1, 1, 2))):
            name = draw.choice(names)
            case[name] = self._changed(name, case[name], draw)
        return case

    def _changed(self, name: str, content: bytes, draw) -> bytes:
        own = next(
            (how for one, how in (self.changes or {}).items() if Path(name).match(one)), None
        )
        is_text = name.endswith(_TEXTS)
        luck = draw.random()
        try:
            if luck < 0.86:
                return (own or of_name(name))(content, draw)
            if luck < 0.94 and is_text:
                return changed_words(content, draw)
            if luck < 0.96 and is_text:
                return in_other_encoding(content, draw)
        except Exception:  # noqa: BLE001  an earlier change has left nothing to understand
            return changed_bytes(content, draw)
        return changed_bytes(content, draw)


def accepted(target: Target, folder: Path) -> str:
    """Have the product read a case; return the refusal, in the way that was promised, or TAKEN.

    Raises
    ------
    BaseException
        Anything else, such as what would be a traceback, or `Wrong`.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RuntimeWarning)
        try:
            check_finite(target.call(folder), "result")
            answer = TAKEN
        except Refused as error:
            answer = f"refused: {error}"
        except REFUSALS as error:
            _check_line(str(error))
            answer = str(error)
    for each in caught:
        if issubclass(each.category, RuntimeWarning):
            raise Wrong(
                f"RuntimeWarning at {Path(each.filename).name}:{each.lineno}: {each.message}"
            )
    return answer


def _check_line(text: str) -> None:
    if "\n" in text or not text.strip():
        raise Wrong(f"a refusal that is not one line: {text!r:.300}")


def command(*arguments: object) -> object:
    """Run a command; return what it printed as JSON, if --json is among the arguments.

    Raises
    ------
    Refused
        It has ended with one line and an exit code from 1 to 3.
    """
    words = [str(each) for each in arguments]
    handler = LogLines()
    root = logging.getLogger()
    stdout, stderr = io.StringIO(), io.StringIO()
    root.addHandler(handler)
    try:
        with redirect_stdout(stdout), redirect_stderr(stderr):
            code = _commands().main(words, standalone_mode=False) or 0
    except _USAGE_ERROR as error:
        _check_line(error.format_message())
        raise Refused(error.format_message()) from None
    finally:
        root.removeHandler(handler)
    lines = stderr.getvalue().splitlines()
    if code not in (0, 1, 2, 3) or (code > 1 and not lines):
        raise Wrong(f"exit code {code}, stderr {stderr.getvalue()!r:.300}")
    if strange := [each for each in lines if not each.startswith("osi-lidar: ")]:
        raise Wrong(f"exit code {code}, a line of stderr is {strange[0]!r:.300}")
    if code > 1:
        raise Refused(lines[-1])
    return json.loads(stdout.getvalue()) if "--json" in words and code == 0 else None


@cache
def _commands():
    """Return the commands; to make them takes a while."""
    return typer.main.get_command(app)


def check_finite(value: object, where: str, depth: int = 0) -> None:
    """Raise Wrong where a number in arrays, records, messages and collections is not finite."""
    if isinstance(value, float | np.floating):
        if not math.isfinite(value):
            raise Wrong(f"{_named(where)} is {value}")
    elif isinstance(value, np.ndarray):
        _check_array(value, where)
    elif isinstance(value, Message):
        for field, each in value.ListFields():
            check_finite(each, f"{where}.{field.name}", depth)
    elif depth < 12:
        for name, each in _parts(value):
            check_finite(each, f"{where}{name}", depth + 1)


def _parts(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        yield from ((f"[{key!r:.40}]", each) for key, each in value.items())
    elif isinstance(value, list | tuple) or type(value).__name__ in (
        "RepeatedScalarContainer", "RepeatedCompositeContainer",
    ):  # fmt: skip
        yield from ((f"[{number}]", each) for number, each in enumerate(value))
    elif is_dataclass(value) and not isinstance(value, type):
        yield from ((f".{each.name}", getattr(value, each.name, None)) for each in fields(value))


def _check_array(array: np.ndarray, where: str) -> None:
    if array.dtype.names:
        for name in array.dtype.names:
            _check_array(array[name], f"{where}[{name!r}]")
    elif array.dtype.kind in "fc" and not np.isfinite(array).all():
        at = np.argwhere(~np.isfinite(np.atleast_1d(array)))[0].tolist()
        raise Wrong(f"{_named(where)} holds {np.atleast_1d(array)[tuple(at)]}")


def _named(where: str) -> str:
    """Return a place without the numbers of its rows, so that findings of one kind are one."""
    return re.sub(r"\[\d+\]", "[..]", where)
