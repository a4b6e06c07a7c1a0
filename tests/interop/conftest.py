# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Short runs over two cars, and what the tools that open their files need."""

from __future__ import annotations

import importlib
import shutil
import subprocess
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from osi_bridge import write_trace
from tests.interop.run import SMALL_ID, WIDE_ID, Run, make_run, two_cars

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Return a run in each PCD encoding, one of them with an id above 2**32, one as MCAP."""
    runs = {}
    for pcd, sensor_data, other_id in (
        ("binary", "osi", WIDE_ID),
        ("binary_compressed", "mcap", SMALL_ID),
        ("ascii", "osi", SMALL_ID),
    ):
        folder = tmp_path_factory.mktemp(pcd)
        trace = folder / "cars.osi"
        messages = [two_cars(index, other_id) for index in range(5)]
        write_trace(trace, messages, message_type="SensorView")
        runs[pcd] = make_run(folder, trace, pcd=pcd, sensor_data=sensor_data)
    return runs


@pytest.fixture(scope="session")
def elsewhere() -> Iterator[Callable[[str, Callable[..., Any]], Callable[..., Any]]]:
    """Return what runs a function in a process of its own, if it can import a package there.

    Open3D brings a TBB library, older than the one that numba wants, under the same name: in one
    process numba would warn of it.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:

        def run(package: str, function: Callable[..., Any]) -> Callable[..., Any]:
            try:
                pool.submit(_try_import, package).result()
            except ImportError as error:
                pytest.skip(f"{package} cannot be imported: {error}")
            return lambda *args: pool.submit(function, *args).result()

        yield run


def _try_import(package: str) -> None:
    importlib.import_module(package)


@pytest.fixture(scope="session")
def pcl_read(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the program that reads a PCD file with PCL; skip where there is no PCL.

    PCL has 64-bit integers from version 1.13 on.
    """
    compiler, pkg_config = shutil.which("c++"), shutil.which("pkg-config")
    if compiler is None or pkg_config is None:
        pytest.skip("no c++ and pkg-config to compile a PCL program with")
    asked = [pkg_config, "--cflags", "--libs", "pcl_io >= 1.13"]
    flags = subprocess.run(asked, capture_output=True, text=True, check=False)
    if flags.returncode != 0:
        pytest.skip("no PCL 1.13 or newer known to pkg-config (Debian: libpcl-dev)")
    program = tmp_path_factory.mktemp("pcl") / "pcl_read"
    source = str(HERE / "pcl_read.cpp")
    command = [compiler, "-std=c++17", "-w", source, "-o", str(program), *flags.stdout.split()]
    subprocess.run(command, check=True)
    return program


@pytest.fixture(scope="session")
def fast_dds_listener(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the program that listens with Fast DDS; skip where there is no Fast DDS 2."""
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no c++ to compile a Fast DDS program with")
    asked = [compiler, "-E", "-xc++", "-include", "fastrtps/config.h", "-include", "zlib.h", "-"]
    if subprocess.run(asked, input=b"", capture_output=True, check=False).returncode != 0:
        pytest.skip("no headers of Fast DDS 2 and zlib (Debian: libfastrtps-dev, zlib1g-dev)")
    program = tmp_path_factory.mktemp("fast_dds") / "fast_dds_listener"
    source = str(HERE / "fast_dds_listener.cpp")
    command = [compiler, "-std=c++17", "-O1", source, "-o", str(program)]
    subprocess.run([*command, "-lfastrtps", "-lfastcdr", "-lz"], check=True)
    return program
