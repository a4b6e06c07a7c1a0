# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Addresses of files: paths of this machine, and URLs such as ``s3://bucket/drive.osi``."""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path

from lidar_app.bundle import names_bundle
from osi_lidar.errors import InputError

_URL = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+)://")  # two letters at least: C:/ is a path
_TRACE = re.compile(r"\.(osi|txth|mcap)(\.gz|\.xz)?$", re.IGNORECASE)
IN_MEMORY = "memory://"
"""Beginning of addresses in the memory of one process."""


def protocol(address: str) -> str:
    """Return the protocol of a URL in lower case, such as "s3"; an empty string for a path.

    ``address`` is the URL or path.
    """
    found = _URL.match(address)
    return found[1].lower() if found else ""


def absolute(address: str, base: str = "") -> str:
    """Return an address as a URL or an absolute path; raise InputError if it contains a NUL.

    Parameters
    ----------
    address : str
        A URL, or a path. A URL of ``file://`` becomes a path.
    base : str
        Path or URL of the folder that a relative path starts from; default: the working folder.
        If `address` is a URL or an absolute path, `base` has no effect.
    """
    if "\0" in address:
        raise InputError(
            f"got the address {address!r} with a NUL character, expected a path or a URL"
        )
    if protocol(address) == "file":
        address = _URL.sub("", address)
    if protocol(address):
        return address
    if protocol(base) and not address.startswith("/"):
        return joined(base, posixpath.normpath(address))
    return os.path.normpath(Path(base, address).absolute())  # links stay as they are


def joined(folder: str, name: str) -> str:
    """Return the address of the file `name` in a folder: folder, slash, name.

    `folder` is a path or a URL; the result is of the same form. `name` may be a relative path.
    """
    if protocol(folder):
        return f"{folder.rstrip('/')}/{name}" if not folder.endswith("://") else folder + name
    return str(Path(folder, name))


def parent(address: str) -> str:
    """Return the address of the folder that contains the file at `address`, a path or a URL."""
    if protocol(address):
        return address.rpartition("/")[0]
    return str(Path(address).parent)


def base_name(address: str) -> str:
    """Return the name of a file without its folder; ``address`` is the file's path or URL."""
    return address.rpartition("/")[2] if protocol(address) else Path(address).name


def names_trace(address: str) -> bool:
    """Return whether a name has the suffix of an OSI trace or of a bundle, which holds a trace.

    ``address`` is the name, path or URL; the file need not exist.
    """
    return names_bundle(address) or _TRACE.search(address) is not None
