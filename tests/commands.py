# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands as a user gives them, and what they say."""

import json

from typer.testing import CliRunner

from lidar_app.cli.main import app

OF_EVERY_COMMAND = {"--help", "--quiet", "--verbose"}
"""Options that docs/reference/command-line.md explains for all commands."""


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def assert_one_line(result, code, *words):
    """Assert an exit code, and one line on stderr with these words in it, beside warnings."""
    assert result.exit_code == code, result.output
    assert isinstance(result.exception, SystemExit)  # anything else would be a traceback
    (line,) = result.stderr.strip().split("\n")
    assert line.startswith("osi-lidar: "), line
    for word in words:
        assert str(word) in line, line


def replay(path, config, *options):
    """Replay into the folder "out" beside the configuration."""
    return run("replay", path, "--config", config, *options, "--out", config.parent / "out")


def report(config):
    return json.loads((config.parent / "out" / "run.json").read_text())
