# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A wheel made again from the files of an installed distribution.

An installed osi-lidar has no source from which pip could build its wheel. What a wheel holds is
listed in RECORD, and the files lie where the installation put them (Binary distribution format of
the Python packaging specifications).
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from fmu_src.errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.metadata import Distribution, PackagePath

_OF_THE_INSTALLATION = {"INSTALLER", "RECORD", "REQUESTED", "direct_url.json"}
"""Metadata files that are not copied: an installer adds them, or they are written anew."""
_TIME = (1980, 1, 1, 0, 0, 0)
"""Time stamp of all files in the wheel: fixed, so that the same content gives the same wheel."""


def rebuilt_wheel(found: Distribution, folder: Path) -> Path:
    """Write the wheel of an installed distribution, and return its path.

    Scripts are left out: pip creates them again from the entry points.

    Parameters
    ----------
    found : Distribution
        A distribution of pure Python with data files, such as osi-lidar.
    folder : Path
        Folder of the wheel.

    Raises
    ------
    BuildError
        The installation has no list of its files, or lacks one of them.
    """
    name, version = found.metadata["Name"].replace("-", "_"), found.version
    path = folder / f"{name}-{version}-{_tag(found)}.whl"
    record = io.StringIO(newline="")
    lines = csv.writer(record, lineterminator="\n")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file in _files(found):
            try:
                content = Path(str(file.locate())).read_bytes()
            except OSError as error:
                raise BuildError(
                    f"{file.locate()}: {error.strerror}; install {name} {version} again"
                ) from error
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
            lines.writerow((file.as_posix(), f"sha256={digest.rstrip('=')}", len(content)))
            _write(wheel, file.as_posix(), content)
        own = f"{name}-{version}.dist-info/RECORD"
        lines.writerow((own, "", ""))
        _write(wheel, own, record.getvalue().encode())
    return path


def _files(found: Distribution) -> Iterator[PackagePath]:
    """Yield the files that came from the wheel, sorted."""
    if found.files is None:
        name = found.metadata["Name"]
        raise BuildError(f"{name} is installed without a list of its files: install it with pip")
    for file in sorted(found.files):
        is_script = file.is_absolute() or ".." in file.parts
        of_metadata = file.parts[0].endswith(".dist-info")
        is_added = of_metadata and file.name in _OF_THE_INSTALLATION
        if not is_script and not is_added and file.suffix != ".pyc":
            yield file


def _tag(found: Distribution) -> str:
    """Return the wheel's tag: the Python version and platform that it is for."""
    for line in (found.read_text("WHEEL") or "").splitlines():
        key, _, value = line.partition(":")
        if key == "Tag":
            return value.strip()
    return "py3-none-any"


def _write(wheel: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, _TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    wheel.writestr(entry, content)
