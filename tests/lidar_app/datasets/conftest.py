# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Drives, and a data set of them in each layout."""

import pytest

from tests.builders.data_sets import make_drives
from tests.commands import run


@pytest.fixture(scope="session")
def drives(tmp_path_factory):
    """Return a folder with five runs of two sensors."""
    return make_drives(tmp_path_factory.mktemp("drives"))


@pytest.fixture(scope="session")
def data_set(drives, tmp_path_factory):
    """Return a function that returns the folder of the data set in a layout."""
    made = {}

    def of(form):
        if form not in made:
            made[form] = tmp_path_factory.mktemp(form) / "set"
            write(drives, made[form], form)
        return made[form]

    return of


def write(runs, out, form, *options):
    """Write a data set of three traces to train, one to val and one to test, in this process."""
    command = ("dataset", runs, "--format", form, "--split", ".6/.2/.2", "--out", out)
    result = run(*command, *(() if "--workers" in options else ("--workers", 1)), *options)
    assert result.exit_code == 0, result.output
    return result
