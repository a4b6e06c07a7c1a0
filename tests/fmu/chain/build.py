# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the FMUs at the ends of the chain, player.fmu and recorder.fmu, with the C compiler `cc`.

    python -m tests.fmu.chain.build FOLDER [2|3]

The number is the version of FMI. The FMUs contain no Python, so that the lidar between them is the
only one that brings it along.
"""

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import fmpy

from tests.fmu.chain.description import ENDS, description

HERE = Path(__file__).parent
PLATFORMS = {2: "linux64", 3: "x86_64-linux"}


def compile_end(name, fmi, library):
    """Compile one end.

    Raises
    ------
    RuntimeError
        If there is no C compiler.
    subprocess.CalledProcessError
        If it fails.
    """
    compiler = shutil.which("cc")
    if compiler is None:
        raise RuntimeError("no C compiler cc")
    headers = Path(fmpy.__file__).parent / "c-code"
    options = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", f"-I{headers}"]
    sources = [str(HERE / f"{source}.c") for source in (name, "link", f"fmi{fmi}")]
    subprocess.run([compiler, *options, *sources, "-o", str(library)], check=True)


def build_end(name, folder, fmi):
    """Write player.fmu or recorder.fmu into a folder, and return its path."""
    fmu = Path(folder, f"{name}.fmu")
    with tempfile.TemporaryDirectory() as work:
        library = Path(work, f"{name}.so")
        compile_end(name, fmi, library)
        with zipfile.ZipFile(fmu, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("modelDescription.xml", description(name, fmi))
            archive.write(library, f"binaries/{PLATFORMS[fmi]}/{name}.so")
            archive.writestr("resources/", "")
    return fmu


def build_ends(folder, fmi=2):
    """Write both FMUs into a folder, and return their paths by name."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    return {name: build_end(name, folder, fmi) for name in ENDS}


if __name__ == "__main__":
    build_ends(sys.argv[1], *map(int, sys.argv[2:]))
