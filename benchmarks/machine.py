# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The machine on which the benchmarks run: its properties, and its load by other programs."""

import os
import platform
import subprocess
import time
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path

from bare import compiler

LIBRARIES = ("embreex", "numba", "numpy", "osi-python", "protobuf", "pypcd4")


def machine():
    """Return the properties of the machine that affect the results, by name."""
    found = {
        "processor": f"{_processor()}, {_cores()} cores",
        "memory": _memory(),
        "system": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
        "C compiler": _first_line([compiler(), "--version"]),
        "osi-lidar": version("osi-lidar"),
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
    }
    return {name: value for name, value in found.items() if value}


def _processor():
    path = Path("/proc/cpuinfo")
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    if platform.system() == "Darwin":
        return _first_line(["sysctl", "-n", "machdep.cpu.brand_string"])
    return platform.processor() or platform.machine()


def _cores():
    return os.cpu_count()


def _memory():
    try:
        n_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return ""
    return f"{n_bytes / 2**30:.0f} GiB"


def _first_line(command):
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()[0]


class OtherWork:
    """CPU load of other processes, from the creation of this object on."""

    def __init__(self):
        self._began = time.perf_counter(), _busy_s(), _own_s()

    def share(self):
        """Return the fraction of the cores that other work has used; None if unknown."""
        began, busy_s, own_s = self._began
        if busy_s is None:
            return None
        others_s = _busy_s() - busy_s - (_own_s() - own_s)
        return max(0.0, others_s / (_cores() * (time.perf_counter() - began)))


def _busy_s():
    """Return the busy time of all cores, including time stolen by other virtual machines [s]."""
    path = Path("/proc/stat")
    if not path.is_file():
        return None
    ticks = [int(word) for word in path.read_text(encoding="ascii").split()[1:9]]
    idle = ticks[3] + ticks[4]  # idle, waiting for a disk
    return (sum(ticks) - idle) / os.sysconf("SC_CLK_TCK")


def _own_s():
    own = os.times()
    return own.user + own.system + own.children_user + own.children_system
