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
    """How much the commands of this process say.

    Attributes
    ----------
    quiet : bool
        Whether commands show only errors and requested output, such as tables.
    """

    def __init__(self) -> None:
        self.quiet = False

    def set(self, *, quiet: bool, verbose: bool) -> None:
        """Reset to the usual messages, then apply the options before the command."""
        self.quiet = False
        _log_from(logging.NOTSET)
        self.add(quiet=quiet, verbose=verbose)

    def add(self, *, quiet: bool, verbose: bool) -> None:
        """Apply the options after the command, too; quiet stays on, and wins over verbose."""
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
