# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The version of osi-lidar, and further facts for a bug report."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path

from lidar_app.cli.parts.console import line
from osi_lidar.version import __version__

_PACKAGES = ("numpy", "numba", "llvmlite", "embreex", "osi-python", "protobuf", "mcap", "trimesh")


def show_version(*, verbose: bool) -> None:
    """Show the version; if verbose, also system, processor, kernels and package versions."""
    lines = [__version__] if not verbose else [f"osi-lidar {__version__}", *_details()]
    for each in lines:
        line(each)


def _details() -> list[str]:
    """Return lines on the system and packages that results may depend on."""
    from lidar_base.process.threads import threads_in_words
    from osi_bridge import OSI_VERSION
    from raycore.embree import device

    embree = ".".join(map(str, device().version()))
    width = device().native_packet_width()
    return [
        f"Python {platform.python_version()} ({platform.python_implementation()})",
        f"system {platform.platform()}",
        f"processor {_processor()}",
        f"kernels {threads_in_words()}",
        f"Embree {embree}, packets of {width} rays",
        f"OSI {'.'.join(map(str, OSI_VERSION))}",
        *(f"{name} {_installed(name)}" for name in _PACKAGES),
    ]


def _processor() -> str:
    """Return the name of the processor, and how many cores this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        lines = []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{models[0] if models else name}, {cores} cores"


def _installed(name: str) -> str:
    try:
        return installed(name)
    except PackageNotFoundError:
        return "is not installed"
