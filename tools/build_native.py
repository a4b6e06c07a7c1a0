# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compile the native wrapper of the FMU for all targets, with one compiler: Zig's, from PyPI.

``python tools/build_native.py``         writes fmu_src/native/lib
``python tools/build_native.py --check`` compiles to elsewhere, and fails if a byte differs
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "fmu_src" / "native"
TARGETS = {  # folder, as FMI 3.0 names platforms: target of Zig, name of the library
    "x86_64-linux": ("x86_64-linux-gnu.2.17", "OsiLidar.so"),
    "aarch64-linux": ("aarch64-linux-gnu.2.17", "OsiLidar.so"),
    "x86_64-windows": ("x86_64-windows-gnu", "OsiLidar.dll"),
    "x86_64-darwin": ("x86_64-macos", "OsiLidar.dylib"),
    "aarch64-darwin": ("aarch64-macos", "OsiLidar.dylib"),
}
OPTIONS = (
    *("-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"),
    *("-Os", "-g0", "-shared", "-fvisibility=hidden", "-s"),
)
LINUX = ("-fPIC", "-Wl,--build-id=none", "-ldl", "-lm", "-lpthread")


def compile_for(folder: Path, target: str) -> Path:
    """Compile the library for one target into a folder, and return its path."""
    triple, name = TARGETS[target]
    library = folder / target / name
    library.parent.mkdir(parents=True, exist_ok=True)
    sources = sorted(path.name for path in SOURCE.glob("*.c"))
    more = LINUX if target.endswith("linux") else ()
    if target.endswith("darwin"):
        more = (f"-Wl,-install_name,@rpath/{name}",)
    command = [sys.executable, "-m", "ziglang", "cc", "-target", triple, *OPTIONS, *sources]
    subprocess.run([*command, "-o", str(library), *more], cwd=SOURCE, check=True)
    for leftover in library.parent.glob(
        "*.[pl][di]b"
    ):  # Windows: debug information, import library
        leftover.unlink()
    return library


def main() -> None:
    """Compile all libraries, or compare freshly compiled ones with those in the repository."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check",
        action="store_true",
        help="compare the libraries that exist instead of writing them",
    )
    is_check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as elsewhere:
        for target in TARGETS:
            built = compile_for(Path(elsewhere) if is_check else SOURCE / "lib", target)
            kept = SOURCE / "lib" / target / built.name
            if is_check and (not kept.is_file() or kept.read_bytes() != built.read_bytes()):
                sys.exit(f"{kept}: is not what its source compiles to: make fmu-native")
            print(f"{kept}: {built.stat().st_size} bytes")


if __name__ == "__main__":
    main()
