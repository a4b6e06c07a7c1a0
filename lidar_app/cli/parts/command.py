# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands and groups whose help shows arguments in capitals, and switches without a type."""

from __future__ import annotations

import functools
import re
from contextlib import nullcontext
from copy import copy
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperCommand, TyperGroup

from lidar_app.cli.parts.bundles import unbundled
from lidar_app.cli.parts.console import EXIT_DAMAGED, EXIT_INTERRUPTED, EXIT_UNUSABLE, fail
from lidar_app.cli.parts.parameters import OUTPUT, Parameters
from lidar_app.cli.parts.verbosity import VERBOSITY, QuietOption, VerboseOption
from lidar_base.files.own_files import claimed
from osi_lidar.errors import OsiLidarError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from typer._click import HelpFormatter
    from typer._click.core import Context
    from typer._click.core import Parameter as ClickParameter

_BETWEEN_COLONS = re.compile(r":(?=[^\s:]+:)")
ReplaceOption = Annotated[
    bool,
    typer.Option(
        "--overwrite",
        help="Also replace files that this command has not written.",
        rich_help_panel=OUTPUT,
    ),
]
HELP_NAMES = {"help_option_names": ["-h", "--help"]}
"""Names of the option for help; a command inherits them from its group."""


class Command(TyperCommand):
    """A command whose help shows arguments in capitals, and switches without a type."""

    def get_params(self, ctx: Context) -> list[ClickParameter]:
        """Return the command's parameters, including --help, with a word for each value.

        The word of an argument is in capitals; a switch has none. `ctx` is the context of the call,
        as in typer.
        """
        return _named(super().get_params(ctx))

    def format_help(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the help of the command; texts such as ``:100:`` do not become emoji.

        `ctx` is the context of the call, and `formatter` is passed on, both as in typer.
        """
        shown = copy(self)
        for name in ("help", "short_help", "epilog"):
            setattr(shown, name, _without_emoji(getattr(self, name)))
        super(Command, shown).format_help(ctx, formatter)

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        """Return the words of the usage line after the command's name, without hidden parameters.

        `ctx` is the context of the call, as in typer.
        """
        hidden = [each for each in self.get_params(ctx) if getattr(each, "hidden", False)]
        left_out = {piece for each in hidden for piece in each.get_usage_pieces(ctx)}
        pieces = [each for each in super().collect_usage_pieces(ctx) if each not in left_out]
        return [piece.replace("{", "").replace("}", "") for piece in pieces]


class Group(TyperGroup):
    """A group of commands whose help shows switches without a type."""

    def get_params(self, ctx: Context) -> list[ClickParameter]:
        """Return the group's options, including help and completion; switches show no type.

        `ctx` is the context of the call, as in typer.
        """
        return _named(super().get_params(ctx))


class Commands(typer.Typer):
    """A group of commands; `add` makes a function a command of it.

    Parameters
    ----------
    text : str
        Help of the group.
    name : str, optional
        Name of the program in the help; default: the name that the user typed.
    group : type of Group
        Class of the group.
    alone : bool
        Whether the group may be called without a command; if not, such a call shows its help.
    """

    def __init__(
        self, text: str, *, name: str | None = None, group: type[Group] = Group, alone: bool = False
    ) -> None:
        super().__init__(
            name=name,
            help=text,
            cls=group,
            no_args_is_help=not alone,
            context_settings=HELP_NAMES,
            pretty_exceptions_enable=False,
        )

    def add(
        self,
        command: Callable[..., object],
        *examples: str,
        name: str | None = None,
        panel: str | None = None,
        writes: str | None = None,
    ) -> None:
        """Add a command, with example lines for its help.

        Parameters
        ----------
        command : callable
            The function to run. `parameters` explains its signature; its docstring is the help.
        *examples : str
            Command lines.
        name : str, optional
            Name of the command; default: the function's.
        panel : str, optional
            Group of commands in the help.
        writes : str, optional
            Full name of a command that writes files. The command replaces files that it has written
            earlier; other files only with ``--overwrite``, see `lidar_base.files.own_files`.
        """
        heading = "Example:" if len(examples) == 1 else "Examples:"
        epilog = "\n".join([heading, *(f"  {line}" for line in examples)])
        name = name or command.__name__
        added = super().command(name, cls=Command, rich_help_panel=panel, epilog=epilog)
        added(plain_errors(command, writes))

    def keep(self, group: Commands, *names: str) -> None:
        """Accept commands of another group in this group, too, without showing them in the help.

        In version 0.2, users called these commands without the name of their group.

        Parameters
        ----------
        group : Commands
            The other group, to which the commands were added.
        *names : str
            Names of the commands.
        """
        for each in group.registered_commands:
            if each.name in names:
                kept = copy(each)
                kept.hidden = True
                self.registered_commands.append(kept)


def _without_emoji(text: str | None) -> str | None:
    """Return text in which rich finds no emoji code such as ``:100:``.

    An empty tag after a colon breaks each code.
    """
    return None if text is None else _BETWEEN_COLONS.sub(":[not bold][/not bold]", text)


def _named(parameters: list[ClickParameter]) -> list[ClickParameter]:
    """Set the metavars of the help: capitals for arguments, none for switches."""
    for each in parameters:
        if each.param_type_name == "argument":
            each.metavar = each.metavar or each.name.upper()
        elif getattr(each, "is_flag", False):
            each.metavar = ""
    return parameters


def plain_errors(command: Callable[..., object], writes: str | None = None) -> Callable[..., None]:
    """Wrap the function of a command for typer, so that user errors are shown as one line.

    After such an error, the command ends with an exit code. The wrapper has the signature that
    typer reads, with the options -q and -v added.

    Parameters
    ----------
    command : callable
        The function of the command.
    writes : str, optional
        Full name of the command, if it writes files; it then gets the option --overwrite, too.
    """
    parameters = Parameters(command)
    added = {"quiet": QuietOption, "verbose": VerboseOption}
    if writes is not None:
        added["overwrite"] = ReplaceOption

    @functools.wraps(command)
    def wrapped(*, quiet: bool = False, verbose: bool = False, **given: object) -> None:
        claim: AbstractContextManager[None] = nullcontext()
        if writes is not None:
            claim = claimed(writes, overwrite=bool(given.pop("overwrite", False)))
        from material_mapping import MaterialError  # imported here to keep --help fast
        from osi_bridge import DamagedTrace, OsiError
        from raycore.errors import RayCoreError

        VERBOSITY.add(quiet=quiet, verbose=verbose)
        try:
            with claim, unbundled(given) as values:
                command(**parameters.arguments(values))
        except DamagedTrace as error:
            fail(str(error), EXIT_DAMAGED)
        except (OsiLidarError, OsiError, RayCoreError, MaterialError) as error:
            fail(str(error), EXIT_UNUSABLE)
        except KeyboardInterrupt:
            fail("interrupted", EXIT_INTERRUPTED)

    signature = parameters.signature(**added)
    wrapped.__dict__["__signature__"] = signature
    wrapped.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()}
    return wrapped
