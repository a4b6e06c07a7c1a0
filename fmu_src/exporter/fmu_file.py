# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Building FMU files from source code and a configuration."""

from __future__ import annotations

import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fmu_src.contents import MODEL_NAME, Build, write_build
from fmu_src.errors import BuildError
from fmu_src.exporter import description2, description3
from fmu_src.exporter.description import Facts
from fmu_src.exporter.linking import find_link
from fmu_src.exporter.metadata import PLACES, resource_meta_data
from fmu_src.exporter.native_wrapper import NativeWrapper
from fmu_src.exporter.packing import pack_scenario
from fmu_src.exporter.page import Subject
from fmu_src.exporter.pages import add_documentation
from fmu_src.exporter.pythonfmu_wrapper import PythonfmuWrapper
from fmu_src.exporter.tree import RESOURCES, copy, digest_of, files_of, put
from fmu_src.exporter.vendoring import vendor
from fmu_src.parameters import start_values
from lidar_base.caches import trust
from lidar_base.files.archives import write_archive
from lidar_base.files.whole_files import cause_of
from osi_lidar.config import default_config
from osi_lidar.scan.from_config import scan_pattern
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from osi_lidar.config import Config, WeatherSection

_Wrapper = NativeWrapper | PythonfmuWrapper
SOURCE = Path(__file__).resolve().parents[1]
_FMU_NAMES = {2: f"{MODEL_NAME}.fmu", 3: f"{MODEL_NAME}.fmi3.fmu"}
"""File names of the FMUs, by major version of FMI."""
_VERSIONS = {"2": (2,), "3": (3,), "both": (2, 3)}
"""Major versions of FMI for each value of the option ``--fmi``."""
_WRAPPERS = ("native", "pythonfmu")
_DESCRIPTION = "modelDescription.xml"
_DESCRIPTIONS = {2: description2.model_description, 3: description3.model_description}


@dataclass(frozen=True, kw_only=True)
class Built:
    """Result of a build.

    Attributes
    ----------
    path : Path
        The FMU file.
    fmi : int
        Major version of FMI.
    guid : str
        GUID derived from the content: the same content gives the same GUID.
    files : tuple of Path
        Meshes, tables and wheels packed into the FMU.
    """

    path: Path
    fmi: int
    guid: str
    files: tuple[Path, ...]


@dataclass(frozen=True, kw_only=True)
class _Scenario:
    """Common content of all FMUs of a build: the files below ``root``, and the configuration."""

    root: Path
    config: Config
    files: tuple[Path, ...]
    vendored: bool

    def subject(self, fmi: int, wrapper: str) -> Subject:
        """Return the values for the documentation of one FMU."""
        names = [sensor.preset or sensor.name for sensor in self.config.sensors]
        return Subject(
            fmi=fmi,
            wrapper=wrapper,
            vendored=self.vendored,
            sensors=", ".join(names),
            start=start_values(self.config),
        )

    def build(self, guid: str) -> Build:
        """Return the build information of the FMU with this GUID."""
        step_s = min(scan_pattern(sensor).period_s for sensor in self.config.sensors)
        start = start_values(self.config)
        return Build(guid=guid, version=__version__, step_s=step_s, start=start)


def build_fmu(  # noqa: PLR0913  as many choices
    *,
    config: Path | None = None,
    patterns: Sequence[Path] = (),
    weather: WeatherSection | None = None,
    out: Path = Path(),
    fmi: str = "2",
    wrapper: str = "native",
    link_python: bool = False,
    with_packages: bool = False,
) -> tuple[Built, ...]:
    """Build OsiLidar.fmu (FMI 2.0), OsiLidar.fmi3.fmu, or both.

    Parameters
    ----------
    config : Path, optional
        Configuration to pack into the FMU, with every file that it names.
    patterns : sequence of Path
        Scan pattern files to pack beside the configuration.
    weather : WeatherSection, optional
        Weather that replaces the weather of the configuration.
    out : Path
        Folder in which the FMU is written.
    fmi : str
        Version of FMI: "2", "3" or "both".
    wrapper : str
        Layer between the master and Python: "native" or, for FMI 2.0, "pythonfmu".
    link_python : bool
        With pythonfmu: whether the FMU loads this Python's libpython into the process (Linux).
    with_packages : bool
        Whether to pack osi-lidar and all its dependencies, for the Python that builds the FMU.

    Returns
    -------
    tuple of Built
        One for each version of FMI.

    Raises
    ------
    OsiLidarError, FmuError
        The configuration or the choice cannot be used, or a folder cannot be written to.
    """
    if patterns and config is None:
        raise BuildError(
            f"{patterns[0]}: a pattern can be packed only together with a configuration, expected "
            "--config FILE"
        )
    if weather is not None and config is None:
        raise BuildError("weather: can be packed only with a configuration, expected --config FILE")
    wrappers = _wrappers(fmi, wrapper, link_python=link_python, one_platform=with_packages)
    with tempfile.TemporaryDirectory(prefix="osi_lidar_fmu_") as name:
        try:
            packed = _Packed(config, patterns, weather)
            scenario = _scenario(Path(name, "scenario"), packed, vendored=with_packages)
            built = []
            for version, each in wrappers.items():
                root = Path(name, f"fmi{version}")
                target = out / _FMU_NAMES[version]
                built.append(_build(scenario, version, each, root=root, target=target))
        except OSError as error:
            target = out / _FMU_NAMES[min(wrappers)]
            of = f"{error.filename}: " if error.filename else ""
            raise BuildError(f"{target}: cannot be built: {of}{cause_of(error)}") from error
        return tuple(built)


def _wrappers(
    fmi: str, wrapper: str, *, link_python: bool, one_platform: bool
) -> dict[int, _Wrapper]:
    """Return the wrapper of each version of FMI."""
    if fmi not in _VERSIONS:
        raise BuildError(f"--fmi: got '{fmi}', expected one of {', '.join(_VERSIONS)}")
    if wrapper not in _WRAPPERS:
        raise BuildError(f"--wrapper: got '{wrapper}', expected one of {', '.join(_WRAPPERS)}")
    if wrapper == "native":
        if link_python:
            raise BuildError(
                "--link-python: not needed, the native wrapper finds Python by itself; it is for "
                "--wrapper pythonfmu"
            )
        return {
            version: NativeWrapper(fmi=version, one_platform=one_platform)
            for version in _VERSIONS[fmi]
        }
    if fmi != "2":
        raise BuildError(f"--wrapper pythonfmu: makes FMUs of FMI 2 only, got --fmi {fmi}")
    link = find_link() if link_python else None
    return {2: PythonfmuWrapper(link=link, one_platform=one_platform)}


class _Packed(NamedTuple):
    """Inputs to pack: configuration, scan patterns, weather that replaces the configured one."""

    config: Path | None
    patterns: Sequence[Path]
    weather: WeatherSection | None


def _scenario(root: Path, packed: _Packed, *, vendored: bool) -> _Scenario:
    """Write the files that all FMUs of a build share; return them with the configuration."""
    resources = root / RESOURCES
    resources.mkdir(parents=True)
    config = default_config()
    files: tuple[Path, ...] = ()
    if packed.config is not None:
        config, files = pack_scenario(
            packed.config, resources, packed.patterns, weather=packed.weather
        )
    if vendored:
        files += tuple(Path(wheel.name) for wheel in vendor(SOURCE.parent, resources))
    return _Scenario(root=root, config=config, files=files, vendored=vendored)


def _build(scenario: _Scenario, fmi: int, wrapper: _Wrapper, *, root: Path, target: Path) -> Built:
    """Write an FMU.

    The GUID and the name of the FMU's Python package are derived from the content. A Python process
    has only one module of a given name: with a fixed package name, a second FMU in the process
    would run the code of the first.
    """
    subject = scenario.subject(fmi, wrapper.name)
    wrapper.add(root)
    add_documentation(root, subject, wrapper.licences())
    roots = (scenario.root, root)
    code = {
        path.name: path for path in sorted(SOURCE.glob("*.py")) if path.name not in wrapper.unused
    }
    code["trust.py"] = Path(trust.__file__)  # replaces the module that only imports it
    said = _said(subject, scenario.build(""), wrapper.tool)
    digest = digest_of({**code, **files_of(roots)}, wrapper.stamp.encode(), *said.values())
    guid, package = str(uuid.UUID(digest[:32])), f"osi_lidar_fmu_{digest[:12]}"
    for name, path in code.items():
        copy(path, root, f"{RESOURCES}/{package}/{name}")
    wrapper.add_start(root, package)
    build = scenario.build(guid)
    write_build(root / RESOURCES, build)
    for name, content in _said(subject, build, wrapper.tool).items():
        put(root, name, content)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_archive(files_of(roots), target)
    return Built(path=target, fmi=fmi, guid=guid, files=scenario.files)


def _said(subject: Subject, build: Build, tool: str) -> dict[str, bytes]:
    """Return the files that contain the FMU's GUID, by their paths in the FMU."""
    facts = Facts(
        name=MODEL_NAME, guid=build.guid, tool=tool, step_s=build.step_s, start=subject.start
    )
    meta_data = resource_meta_data(subject, build.guid)
    return {_DESCRIPTION: _DESCRIPTIONS[subject.fmi](facts), **dict.fromkeys(PLACES, meta_data)}
