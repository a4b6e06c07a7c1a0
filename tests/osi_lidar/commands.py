# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands as a user gives them, and small files to give to them."""

import json
import struct

from typer.testing import CliRunner

from osi_lidar.cli.main import app
from tests.osi_lidar.worlds import Thing, host, message

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
SENSOR = (
    "sensors: [{name: s, pattern: {kind: angles, horizontal_deg: [0, 5], vertical_deg: [0, -5]}}]\n"
)
CUBE = "".join(f"v {x} {y} {z}\n" for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)) + (
    "f 1 2 4 3\nf 5 6 8 7\nf 1 2 6 5\nf 3 4 8 7\nf 1 3 7 5\nf 2 4 8 6\n"
)
PCD = (
    "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\nHEIGHT 1\n"
    "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 3\nDATA ascii\n"
)


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


def framed(messages):
    return b"".join(struct.pack("<I", len(data)) + data for data in messages)


def moving(n_frame=5):
    """Return messages in which a car drives ahead of the host."""
    return [
        message([host(), Thing(2, (15 + 0.1 * index, 0.0, 0.75))], time_s=0.1 * index)
        for index in range(n_frame)
    ]


def replay(path, config, *options):
    """Replay into the folder "out" beside the configuration."""
    return run("replay", path, "--config", config, *options, "--out", config.parent / "out")


def report(config):
    return json.loads((config.parent / "out" / "run.json").read_text())
