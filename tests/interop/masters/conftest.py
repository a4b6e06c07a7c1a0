# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The demo's chain, prepared once for all masters."""

import shutil

import pytest

from tests.interop.masters.clone import BLOCK, CHAIN, Clone, section


@pytest.fixture(scope="session")
def prepared(tmp_path_factory):
    """Return out/chain with the FMUs of player, lidar and recorder, the trace and a system."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler cc, which builds player and recorder")
    clone = Clone(tmp_path_factory.mktemp("prepared"))
    blocks = BLOCK.findall(section(CHAIN, "Prepare"))
    assert blocks
    clone.prepare(blocks)
    return clone.chain


@pytest.fixture
def clone(prepared, tmp_path):
    """Return a clone of its own for a test."""
    clone = Clone(tmp_path)
    shutil.copytree(prepared, clone.chain)
    return clone
