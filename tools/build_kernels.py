# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compile the kernels that come with a package, for several levels of processors.

    python tools/build_kernels.py                # of this kind of machine, all levels

The kernels are for the Python, numba and llvmlite that run this script. A wheel that is built
afterwards contains them; a clone uses them, too. The kernels are not run, so this processor need
not support the levels.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from lidar_base.caches import kernel_target as target
from lidar_base.caches.kernel_cache import INDEX, SHIPPED

LANES = {"x86-64-v4": 16, "x86-64-v3": 8, "generic": 4}
"""How many rays a packet has for Embree on a processor of the level."""
CHILD = """
from osi_lidar.precompiled import compile_all, files
list(compile_all(lanes={0}))
print(*files(lanes={0}), sep="\\n")
"""


def build(level: str, folder: Path) -> set[str]:
    """Compile all listed kernels for a processor level into a folder; return the file names."""
    environment = {**os.environ, **target.environment_for(level), "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-c", CHILD.format(LANES[level])]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return set(done.stdout.split())


def main() -> None:
    """Compile the kernels of all levels into the folder of the package."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--level", action="append", choices=list(target.levels()))
    levels = parser.parse_args().level or list(target.levels())
    shutil.rmtree(SHIPPED, ignore_errors=True)  # else what is there is not compiled again
    with tempfile.TemporaryDirectory(dir=SHIPPED.parent, prefix="kernels-") as name:
        work = Path(name)
        wanted = set.union(*(build(level, work) for level in levels))
        made = work / "osi-lidar"
        for file in made.iterdir():
            if file.name not in wanted:  # what others call; they hold it themselves
                file.unlink()
        fits = {**target.versions(), **target.settings(), "levels": " and ".join(levels)}
        (made / INDEX).write_text(json.dumps(fits, indent=1) + "\n", encoding="utf-8")
        made.rename(SHIPPED)
    SHIPPED.chmod(0o755)  # all who can read the package
    size = sum(file.stat().st_size for file in SHIPPED.iterdir()) / 1e6
    print(f"{SHIPPED}: {len(list(SHIPPED.iterdir())) - 1} kernels, {size:.1f} MB")


if __name__ == "__main__":
    main()
