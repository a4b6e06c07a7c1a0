# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of any content, and beginnings of other formats, as users mix them up."""

import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
PCD = (
    "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\nHEIGHT 1\n"
    "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 3\nDATA ascii\n"
)


def written(path: Path, content: str | bytes) -> Path:
    """Write a file, and the folders that it is in; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@contextmanager
def files_at_most(n_bytes):
    """Let no file of this process grow beyond so many bytes, and no module be cached.

    Python 3.11 keeps the beginning of a compiled module that it could not write, and fails with it
    ever after.
    """
    resource = pytest.importorskip("resource")
    before, kept = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        sys.dont_write_bytecode = kept
