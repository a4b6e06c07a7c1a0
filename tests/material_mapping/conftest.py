# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What tests of material_mapping share."""

from functools import partial

import pytest

from tests.material_mapping.databases.openmaterial.helpers import write_json


@pytest.fixture
def write(tmp_path):
    """Return `write_json` for the test's own folder."""
    return partial(write_json, tmp_path)
