# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The target of compiled kernels: processor, system, and versions of numba, numpy and Python."""

from __future__ import annotations

import functools
import platform
import sys
from typing import Any

import llvmlite
import llvmlite.binding
import numba
import numpy as np
from numba import config

_V3 = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
_V4 = (*_V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
_X86 = {"x86-64-v4": _V4, "x86-64-v3": _V3}
_ARM: dict[str, tuple[str, ...]] = {"generic": ()}
_LEVELS: dict[str, dict[str, tuple[str, ...]]]
_LEVELS = {"x86_64": _X86, "amd64": _X86, "aarch64": _ARM, "arm64": _ARM}
_SETTINGS = ("BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE")
_settings: Any = config  # Any: no type annotations


def levels() -> dict[str, tuple[str, ...]]:
    """Return the levels of this machine's architecture for which compiled kernels are shipped.

    Levels of x86-64 are those of its psABI, with LLVM's names of levels and features. Source:
    x86-64 psABI 1.0, section 3.1.1, "Processor Architecture",
    https://gitlab.com/x86-psABIs/x86-64-ABI.

    Returns
    -------
    dict of str to tuple of str
        The processor features that each level needs, by name of the level; the best level is
        first. Empty for other architectures than x86-64 and 64-bit ARM.
    """
    return _LEVELS.get(platform.machine().lower(), {})


@functools.cache
def levels_here() -> tuple[str, ...]:
    """Return the levels that this processor supports, the best one first."""
    features = llvmlite.binding.get_host_cpu_features()
    return tuple(name for name, needed in levels().items() if all(map(features.get, needed)))


def environment_for(level: str) -> dict[str, str]:
    """Return the environment variables with which numba compiles for a level."""
    features = ",".join(f"+{each}" for each in levels()[level])
    return {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": features}


def processor() -> str:
    """Return what numba compiles for here: the name of a level, or a processor and its features."""
    name = _settings.CPU_NAME or llvmlite.binding.get_host_cpu_name()
    if name in levels():
        return str(name)
    features = _settings.CPU_FEATURES
    if features is None:
        features = llvmlite.binding.get_host_cpu_features().flatten()
    return f"{name} {features}"


def levels_to_load() -> tuple[str, ...]:
    """Return the levels whose shipped kernels this process may load, the best one first.

    The result is empty if ``NUMBA_CPU_NAME`` is not a level, or only ``NUMBA_CPU_FEATURES`` is set.
    """
    if _settings.CPU_NAME is not None:
        return (_settings.CPU_NAME,) if _settings.CPU_NAME in levels() else ()
    return levels_here() if _settings.CPU_FEATURES is None else ()


def versions() -> dict[str, str]:
    """Return the versions on which a compiled kernel depends: of numba, numpy, Python, system."""
    python = f"{sys.implementation.name} {sys.version_info[0]}.{sys.version_info[1]}"
    return {
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "numpy": np.__version__.split(".", 1)[0],
        "Python": python + getattr(sys, "abiflags", ""),
        "system": f"{sys.platform} {platform.machine().lower()}",
    }


def settings() -> dict[str, str]:
    """Return the settings of numba that change what a kernel is compiled to."""
    found = {name: str(getattr(_settings, name, None)) for name in _SETTINGS}
    return {"OPT": str(int(_settings.OPT)), **found}
