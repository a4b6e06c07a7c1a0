# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests that need libraries of an extra."""

from importlib.util import find_spec

import pytest


def needs(*libraries: str) -> pytest.MarkDecorator:
    """Return the mark of tests that are skipped where a library is not installed.

    Unlike `pytest.importorskip` it loads none while tests are collected.
    """
    missing = [library for library in libraries if find_spec(library) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} is not installed")
