# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How much a command says: the options ``--quiet`` and ``--verbose``."""

from __future__ import annotations

import logging
from typing import Annotated

import typer

from osi_lidar.loggers import LOGGERS

QuietOption = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="Show only errors: no progress, no summary, no warnings.",
        rich_help_panel="Messages",
    ),
]
VerboseOption = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        help="Also show what the command reads, uses and assumes.",
        rich_help_panel="Messages",
    ),
]


class Verbosity:
    """How much the commands of this process print, as --quiet and --verbose set it.

    Attributes
    ----------
    quiet : bool
        Whether commands show only errors and requested output, such as tables.
    """

    def __init__(self) -> None:
        self.quiet = False

    def set(self, *, quiet: bool, verbose: bool) -> None:
        """Reset to the default, then apply --quiet and --verbose given before the command."""
        self.quiet = False
        _log_from(logging.NOTSET)
        self.add(quiet=quiet, verbose=verbose)

    def add(self, *, quiet: bool, verbose: bool) -> None:
        """Also apply --quiet and --verbose given after the command.

        Once set, quiet stays set; it takes precedence over verbose.
        """
        self.quiet |= quiet
        if self.quiet:
            _log_from(logging.ERROR)
        elif verbose:
            _log_from(logging.INFO)


def _log_from(level: int) -> None:
    for name in LOGGERS:
        logging.getLogger(name).setLevel(level)


VERBOSITY = Verbosity()
"""Verbosity of this process."""
