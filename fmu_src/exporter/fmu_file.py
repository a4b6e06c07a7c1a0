# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Building an FMU file from source code and a configuration."""

from __future__ import annotations

import hashlib
import shutil
import sys
import tempfile
import uuid
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from pythonfmu import FmuBuilder

from fmu_src.contents import Build, write_build
from fmu_src.errors import BuildError
from fmu_src.exporter import metadata
from fmu_src.exporter.linking import find_link, search_code
from fmu_src.exporter.packing import pack_scenario
from fmu_src.exporter.vendoring import vendor
from fmu_src.parameters import start_values
from osi_lidar.config import default_config
from osi_lidar.scan.build import scan_pattern
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from osi_lidar.config import Config

SOURCE = Path(__file__).resolve().parents[1]
LICENCE = SOURCE.parent / "LICENSE"
FMU_NAME = "OsiLidar.fmu"
_SCRIPT = '''"""The class that pythonfmu looks for; its code is in the package beside this file."""

from {package}.vendored import activate

activate()

{search}from {package}.slave import OsiLidarSlave

SPARE = globals()  # pythonfmu releases a reference that it does not own, see slave.py


class OsiLidar(OsiLidarSlave):
    """The FMU class of this build."""
'''


@dataclass(frozen=True, kw_only=True)
class Built:
    """Result of a build.

    Attributes
    ----------
    path : Path
        The FMU file.
    guid : str
        GUID derived from the content: the same content gives the same GUID.
    files : tuple of Path
        Meshes, tables and wheels packed into the FMU.
    """

    path: Path
    guid: str
    files: tuple[Path, ...]


def build_fmu(
    *,
    config: Path | None = None,
    patterns: Sequence[Path] = (),
    out: Path = Path(),
    link_python: bool = False,
    with_packages: bool = False,
) -> Built:
    """Build OsiLidar.fmu.

    Parameters
    ----------
    config : Path, optional
        Configuration to pack into the FMU, with every file that it names.
    patterns : sequence of Path
        Scan pattern files to pack beside the configuration.
    out : Path
        Folder of the FMU.
    link_python : bool
        Whether the FMU loads this Python's libpython into the process (Linux).
    with_packages : bool
        Whether to pack osi-lidar and all its dependencies, for the Python that builds the FMU.

    Raises
    ------
    OsiLidarError, FmuError
        The configuration cannot be used, or a folder cannot be written to.
    """
    if patterns and config is None:
        raise BuildError(f"{patterns[0]}: a pattern can be packed only beside a configuration")
    link = find_link() if link_python else None
    with tempfile.TemporaryDirectory(prefix="osi_lidar_fmu_") as name:
        resources, making = Path(name, "resources"), Path(name, "making")
        resources.mkdir()
        making.mkdir()
        chosen = default_config()
        files: tuple[Path, ...] = ()
        try:
            if config is not None:
                chosen, files = pack_scenario(config, resources, patterns)
            if with_packages:
                files += tuple(Path(wheel.name) for wheel in vendor(SOURCE.parent, resources))
            guid = _write_code(resources, chosen, search_code() if link else "")
            path = _export(resources, out if link is None else making)
            metadata.add_meta_data(path, chosen, guid)
            if link is not None:
                out.mkdir(parents=True, exist_ok=True)
                link.apply(path, making, out / FMU_NAME)
                path = out / FMU_NAME
        except OSError as error:
            raise BuildError(f"{out / FMU_NAME}: cannot be built: {error}") from error
        return Built(path=path, guid=guid, files=files)


def _write_code(resources: Path, config: Config, search: str) -> str:
    """Write the package, the script and the build information; return the GUID of the content.

    The names of package and script are also derived from the content: a Python process has only one
    module of a given name, so with a fixed name a second FMU would run the code of the first.
    """
    code = sorted(SOURCE.glob("*.py"))
    packed = sorted(path for path in resources.rglob("*") if path.is_file())
    named = [(path.name, path) for path in code]
    named += [(path.relative_to(resources).as_posix(), path) for path in packed]
    named += [(path.name, path) for path in (Path(metadata.__file__), *metadata.REPORTS)]
    digest = _digest(named, search)
    guid, package = str(uuid.UUID(digest[:32])), f"osi_lidar_fmu_{digest[:12]}"
    (resources / package).mkdir()
    for path in code:
        shutil.copyfile(path, resources / package / path.name)
    script = _SCRIPT.format(package=package, search=search)
    (resources / f"{package}_model.py").write_text(script, encoding="utf-8")
    step_s = min(scan_pattern(sensor).period_s for sensor in config.sensors)
    write_build(
        resources,
        Build(guid=guid, version=__version__, step_s=step_s, start=start_values(config)),
    )
    return guid


def _digest(files: list[tuple[str, Path]], search: str) -> str:
    """Return a hash of the files, the versions they are made for, and the search code."""
    digest = hashlib.sha256(f"{__version__} {version('pythonfmu')}{search}".encode())
    for name, path in files:
        content = path.read_bytes()
        digest.update(f"{name} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()


def _export(resources: Path, out: Path) -> Path:
    """Write the FMU with pythonfmu."""
    (script,) = resources.glob("*_model.py")
    out.mkdir(parents=True, exist_ok=True)
    files = {path for path in resources.iterdir() if path != script}
    before = list(sys.path)
    try:
        built = FmuBuilder.build_FMU(script, dest=out / FMU_NAME, project_files=files)
    finally:
        sys.path[:] = before
        package = script.stem.removesuffix("_model")
        for name in [name for name in sys.modules if name.startswith(package)]:
            del sys.modules[name]
    return Path(built)
