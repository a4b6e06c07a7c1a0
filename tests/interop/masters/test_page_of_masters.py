# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of masters has the steps that the tests run, where no master is installed, too."""

import re

import pytest

from tests.interop.masters.clone import BLOCK, CHAIN, MASTERS, read, section, steps
from tests.interop.masters.test_masters import PACKAGES, PROGRAMS

PREPARED = {"OMSimulator": {"Prepare"}, "fmusim": {"Prepare", "Prepare FMI 3.0"}}


def test_every_master_of_the_table_has_a_section_that_a_test_runs():
    listed = re.findall(r"^\| \[(.+?)\]\(#", read(MASTERS), re.MULTILINE)
    tested = {master for master, _, _ in PROGRAMS + PACKAGES}
    assert set(listed) == tested | {"FMPy"}  # whose block runs with those of all pages
    assert "```python\n" in section(MASTERS, "FMPy")


@pytest.mark.parametrize("master", sorted({master for master, _, _ in PROGRAMS + PACKAGES}))
def test_section_of_a_master_has_its_steps(master):
    found = steps(master)
    assert set(found) == PREPARED.get(master, set()) | {"Run"}
    assert all(found.values())
    languages = {"bash" for name, _, _ in PROGRAMS if name == master}
    languages |= {"py" for name, _, _ in PACKAGES if name == master}
    assert {language for language, _ in found["Run"]} == languages
    for language, block in found["Run"]:
        if language == "py":
            compile(block, MASTERS, "exec")


@pytest.mark.parametrize("heading", ["Prepare", "Check"])
def test_page_of_the_chain_has_blocks_of_bash(heading):
    assert {language for language, _ in BLOCK.findall(section(CHAIN, heading))} == {"bash"}
