# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""pythonfmu as the wrapper, for FMI 2.0. The module is imported only if a build uses pythonfmu."""

from __future__ import annotations

import shutil
import sys
import tempfile
import textwrap
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from fmu_src.contents import MODEL_NAME
from fmu_src.errors import BuildError
from fmu_src.exporter.linking import search_code
from fmu_src.exporter.tree import BINARIES, RESOURCES, put
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from fmu_src.exporter.linking import LinkingTools

_PYTHONFMU = "pythonfmu"
_STUB = "osi_lidar_stub"
_STUB_CODE = f"""from pythonfmu import Fmi2Slave


class {MODEL_NAME}(Fmi2Slave):
    def do_step(self, current_time, step_size):
        return True
"""
_SCRIPT = '''"""The class that pythonfmu looks for; its code is in the package beside this file."""

from {package}.host_record import missing_packages
from {package}.vendored import activate

try:
    activate()
{search}    from {package}.pythonfmu_slave import OsiLidarSlave
except ImportError as error:
    raise ImportError(missing_packages(error)) from None

SPARE = globals()  # pythonfmu releases a reference that it does not own, see pythonfmu_slave.py


class OsiLidar(OsiLidarSlave):
    """The FMU class of this build."""
'''


class PythonfmuWrapper:
    """The wrapper that uses pythonfmu, for FMI 2.0.

    Parameters
    ----------
    link : LinkingTools or None
        Tools that link the library to this Python.
    one_platform : bool
        Whether the FMU runs only on the platform of the build, because of the wheels inside.

    Raises
    ------
    BuildError
        pythonfmu is not installed.
    """

    name = "pythonfmu"
    unused = ("arrays.py", "fmi_calls.py", "log_emitter.py", "entry.py")

    def __init__(self, *, link: LinkingTools | None, one_platform: bool) -> None:
        try:
            self._distribution = distribution(_PYTHONFMU)
        except PackageNotFoundError as error:
            raise BuildError(
                "wrapper 'pythonfmu': pythonfmu is not installed: pip install 'osi-lidar[fmu]'"
            ) from error
        self._link = link
        self._search = textwrap.indent(search_code(), "    ") if link else ""
        self._one_platform = one_platform or link is not None
        self.tool = f"osi-lidar {__version__}, PythonFMU {self._distribution.version}"
        self.stamp = _SCRIPT + self._search

    def add(self, root: Path) -> None:
        """Add pythonfmu's libraries and code to the files of an FMU.

        ``root`` is the folder with these files; the libraries go to its folder ``binaries``, and
        the code to ``resources``. If the FMU runs only on the platform of the build, only its
        library stays.

        Raises
        ------
        BuildError
            There is no library for the platform of the build, or it cannot be linked.
        """
        with tempfile.TemporaryDirectory(prefix="osi_lidar_pythonfmu_") as folder:
            with zipfile.ZipFile(_stub_fmu(Path(folder))) as fmu:
                for name in fmu.namelist():
                    if name.startswith((f"{BINARIES}/", f"{RESOURCES}/{_PYTHONFMU}/")):
                        put(root, name, fmu.read(name))
            if self._one_platform:
                _keep_one_platform(root / BINARIES)
            if self._link is not None:
                self._link.apply(root, Path(folder))

    def add_start(self, root: Path, package: str) -> None:
        """Add the Python script that pythonfmu's library runs to the FMU's files in ``root``.

        ``package`` is the name of the FMU's Python package.
        """
        script = _SCRIPT.format(package=package, search=self._search)
        put(root, f"{RESOURCES}/{package}_model.py", script)
        put(root, f"{RESOURCES}/slavemodule.txt", f"{package}_model")

    def licences(self) -> dict[str, str]:
        """Return the text of pythonfmu's licence, by file name; BuildError if it is missing."""
        for file in self._distribution.files or ():
            if file.name.startswith("LICENSE"):
                return {"pythonfmu.txt": file.read_text(encoding="utf-8")}
        raise BuildError(
            "wrapper 'pythonfmu': the installed pythonfmu lacks its file LICENSE; install it "
            "again: pip install 'osi-lidar[fmu]'"
        )


def _stub_fmu(folder: Path) -> Path:
    """Return an FMU that pythonfmu built from a class without content."""
    from pythonfmu import FmuBuilder  # noqa: PLC0415  only with this wrapper

    script = folder / f"{_STUB}.py"
    script.write_text(_STUB_CODE, encoding="utf-8")
    before = list(sys.path)
    try:
        return Path(FmuBuilder.build_FMU(script, dest=folder / f"{_STUB}.fmu"))
    finally:
        sys.path[:] = before
        sys.modules.pop(_STUB, None)


def _keep_one_platform(binaries: Path) -> None:
    """Remove the libraries of other platforms."""
    name = {"win32": "win64", "linux": "linux64"}.get(sys.platform)
    if name is None or not (binaries / name).is_dir():
        raise BuildError(
            f"wrapper 'pythonfmu': pythonfmu has no library for {sys.platform}; use --wrapper "
            "native"
        )
    for folder in binaries.iterdir():
        if folder.name != name:
            shutil.rmtree(folder)
