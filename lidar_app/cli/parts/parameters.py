# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of commands: arguments, options, and groups of options that are dataclasses.

An optional parameter has its description in place of the default: ``pictures: int = option("N",
"Frames to draw.", default=3)``. A required one has it in the annotation: ``Annotated[Path,
argument("DIR", "Run.")]``. A parameter whose type is a dataclass is a group: its fields are options
of the command. A parameter of type ``Literal`` takes only these words, and completes them in a
shell.
"""

from __future__ import annotations

import re
from copy import copy
from dataclasses import MISSING, Field, field, fields, is_dataclass
from inspect import Parameter, Signature, isclass, signature
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Literal,
    NamedTuple,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

import typer

from lidar_app.cli.parts.completion import one_of
from lidar_app.cli.parts.console import EXIT_UNUSABLE, fail
from lidar_base.near_match import near_match
from lidar_gap.pictures import NOT_A_PICTURE
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typer.models import ArgumentInfo, OptionInfo

    from lidar_app.cli.parts.completion import Completion

INPUT, OUTPUT, SENSOR, SCENE, CLUSTER = "Input", "Output", "Sensor", "Scene", "Cluster"
"""Groups of options in the help."""
OUT = (OUTPUT, "--out", "-o")
"""Group and names of the option for the file or folder that a command writes."""
Value = TypeVar("Value")
_ADDRESS = re.compile("^([A-Za-z][A-Za-z0-9+.-]+):/+")
"""Beginning of an address that was made a path, which drops a slash; C:/ is a path."""


def argument(metavar: str, text: str, complete: Completion | None = None) -> Value | None:
    """Return the description of a positional argument, as default or annotation of a parameter.

    Parameters
    ----------
    metavar, text : str
        Word for the argument in the help, and text of the help; an empty text hides the argument.
    complete : callable, optional
        Function that completes the value in a shell, see `completion`.
    """
    info = typer.Argument(metavar=metavar, help=text, autocompletion=complete, hidden=not text)
    return field(default=None, metadata={"info": info})


@overload
def option(
    metavar: str,
    text: str,
    panel: str | None = None,
    *names: str,
    default: Value,
    complete: Completion | None = None,
    limits: tuple[float | None, float | None] = (None, None),
) -> Value: ...
@overload
def option(
    metavar: str,
    text: str,
    panel: str | None = None,
    *names: str,
    complete: Completion | None = None,
    limits: tuple[float | None, float | None] = (None, None),
) -> Value | None: ...
def option(
    metavar: str,
    text: str,
    panel: str | None = None,
    *names: str,
    default: Value | None = None,
    complete: Completion | None = None,
    limits: tuple[float | None, float | None] = (None, None),
) -> Value | None:
    """Return the description of an option, as default or annotation of a command's parameter.

    Parameters
    ----------
    metavar, text : str
        Word for the value in the help, and text of the help; an empty text hides the option. If
        the word is ``FILE.png``, a value without this suffix ends the command with an error.
    panel : str, optional
        Group of options in the help.
    *names : str
        Names on the command line, such as ``--out`` and ``-o``; default: the parameter's name.
    default : object, optional
        Value if the option is not given.
    complete : callable, optional
        Function that completes the value in a shell, see `completion`.
    limits : tuple of float
        Least and greatest value, both permitted; None: no limit.
    """
    info = typer.Option(
        ...,
        *names,
        metavar=metavar,
        help=text,
        rich_help_panel=panel,
        autocompletion=complete,
        min=limits[0],
        max=limits[1],
        hidden=not text,
        callback=_picture_name if metavar == "FILE.png" else None,
    )
    return field(default=default, metadata={"info": info})


def _picture_name(path: Path | None) -> Path | None:
    """Check the suffix of a picture to write, before the long work starts."""
    if path is not None and path.suffix.lower() != ".png":
        fail(f"{path}: {NOT_A_PICTURE}", EXIT_UNUSABLE)
    return path


def switch(text: str, panel: str | None = None, *names: str, default: bool = False) -> bool:
    """Return the default to write for a command's parameter that is a switch (on or off).

    The result is really a dataclass field with the description of the switch for `Parameters`; it
    is declared as bool, the type of the parameter. A switch that is off by default has no ``--no-``
    form. One that is on by default has it, unless ``names`` are given: then state both forms, as in
    ``"--scene/--no-scene"``.

    Parameters
    ----------
    text : str
        Text of the help.
    panel : str, optional
        Group of options in the help.
    *names : str
        Names on the command line; default: the parameter's name.
    default : bool
        Value if the switch is not given.
    """
    return option("", text, panel, *names, default=default)


def address_in(path: Path) -> str | None:
    """Return the URL, such as s3://bucket/x.osi, that was parsed as a path; None for a path."""
    found = _ADDRESS.match(str(path))
    if found is None or path.exists():
        return None
    return f"{found[1]}://{str(path)[found.end() :]}"


class Parameters:
    """The parameters of a command for typer: groups are split into single options.

    Parameters
    ----------
    command : callable
        The function of the command; all parameters must be annotated.
    """

    def __init__(self, command: Callable[..., object]) -> None:
        own = signature(command, eval_str=True).parameters.values()
        self._options = {each.name: _options(each) for each in own}
        kinds = {each.name: each.annotation for each in own if isclass(each.annotation)}
        self._groups = {name: kind for name, kind in kinds.items() if is_dataclass(kind)}

    def signature(self, **switches: object) -> Signature:
        """Return the signature for typer: one parameter for each option, then further switches.

        `switches` has the annotation of each further switch, by its name; they are off by default.
        """
        own = [each for options in self._options.values() for each in options]
        off = Parameter("off", Parameter.KEYWORD_ONLY, default=False)
        added = [off.replace(name=name, annotation=kind) for name, kind in switches.items()]
        return Signature([*(each.for_typer() for each in own), *added])

    def arguments(self, given: Mapping[str, object]) -> dict[str, object]:
        """Return the arguments for the command's function from the values of single options.

        A parameter that is a group of options gets an instance of its dataclass.

        Parameters
        ----------
        given : mapping of str to object
            Value of each option, by its name in Python.

        Raises
        ------
        InputError
            If a value is not one of the allowed words, or a URL is given for a local path.
        """
        made: dict[str, object] = {}
        for name, options in self._options.items():
            values = {each.name: each.checked(given[each.name]) for each in options}
            made[name] = self._groups[name](**values) if name in self._groups else values[name]
        return made


class _Option(NamedTuple):
    """One option or argument: its name in Python, type, value if not given, and description."""

    name: str
    kind: object
    default: object
    info: ArgumentInfo | OptionInfo

    @classmethod
    def of(cls, name: str, annotation: object, default: object) -> _Option:
        """Make an option from the description in the default, else in the annotation."""
        value = default.default if isinstance(default, Field) else default
        if isinstance(default, Field) and default.metadata:
            return cls(name, annotation, value, **default.metadata)
        kind, described = get_args(annotation)
        return cls(name, kind, value, **described.metadata)

    @property
    def words(self) -> tuple[str, ...]:
        """The allowed words of a ``Literal``; empty for other types."""
        kinds = (self.kind, *get_args(self.kind))
        return tuple(w for each in kinds if get_origin(each) is Literal for w in get_args(each))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the option on the command line."""
        return tuple(self.info.param_decls or ()) or (f"--{self.name.replace('_', '-')}",)

    def checked(self, value: object) -> object:
        """Return a value; raise InputError if it is no allowed word, or an address."""
        shown = address_in(value) if isinstance(value, Path) else None
        if shown is not None:
            raise InputError(
                f"{self.names[0]}: got the address {shown}, expected a path of this machine; batch "
                "reads and writes elsewhere, dataset only reads"
            )
        if self.words and value not in (None, *self.words):
            *others, last = self.words
            expected = f"{', '.join(others)} or {last}{near_match(str(value), self.words)}"
            raise InputError(f"{self.names[0]}: got {value!r}, expected {expected}")
        return value

    def for_typer(self) -> Parameter:
        """Return the option as a parameter with type, names and completion for typer."""
        kind, info = self.kind, copy(self.info)
        if kind is bool and self.default is False:
            info.param_decls = self.names  # else typer adds a --no- form
        if self.words:
            kind = str if self.default is not None else str | None
            info.autocompletion = one_of(*self.words)
        return Parameter(
            self.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if self.default is MISSING else self.default,
            annotation=Annotated[kind, info],
        )


def _options(parameter: Parameter) -> list[_Option]:
    """Return the options of a group, or one option for any other parameter."""
    kind = parameter.annotation
    if not is_dataclass(kind):
        return [_Option.of(parameter.name, kind, parameter.default)]
    hints = get_type_hints(kind, include_extras=True)
    return [_Option.of(each.name, hints[each.name], each) for each in fields(kind)]
