# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The process in which usd-core reads a file: how it is started, and what it answers."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from raycore.errors import MeshError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from raycore.mesh.readers import MeshSource

NO_USD = "needs usd-core, which is not installed: pip install 'osi-lidar[usd]'"
_PROGRAM = (
    "import sys; sys.path.remove(''); "  # of the working folder, whose files are the user's
    "import json; sys.path[:] = json.loads(sys.argv[1]); "
    "from raycore.mesh.usd.worker import main; main(sys.argv[2])"
)
_FOREIGN = ("PXR_", "USD_", "USDGEOM_", "USDSHADE_", "TF_", "SDF_", "PCP_", "PYTHONWARNINGS")
"""Name prefixes of environment variables that are not passed on: they change what usd-core reads,
from where, and which errors end it."""
_OWN = {
    "PXR_WORK_THREAD_LIMIT": "1",
    "USD_SHADE_MATERIAL_BINDING_API_CHECK": "allowMissingAPI",  # files from before 2019 lack it
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONSAFEPATH": "",  # or there is no '' to remove
}
_PATIENCE_S = 3600.0
"""Longest run time of the process. Where the system can limit processor time, it ends earlier."""


def answer_of(source: MeshSource, *, layers_only: bool = False) -> dict[str, NDArray[np.generic]]:
    """Read an OpenUSD file in a separate process, and return its answer.

    Parameters
    ----------
    source : MeshSource
        The file, and the folders that reading is confined to.
    layers_only : bool
        Whether to return only the names of the file's layers.

    Returns
    -------
    dict of str to array
        ``said``, uint8 (n,), is JSON with the names of the layers, messages and materials, or with
        an error. The other arrays are the triangles, as listed in the docstring of the module
        `worker`.

    Raises
    ------
    MeshError
        usd-core or a Python interpreter is missing, or the process ends without an answer.
    """
    if find_spec("pxr") is None:
        raise MeshError(f"{source}: {NO_USD}")
    roots = (
        None if source.roots is None else [os.fspath(Path(each).resolve()) for each in source.roots]
    )
    asked = {"path": os.fspath(source.path.absolute()), "roots": roots, "layers_only": layers_only}
    done = _done([_interpreter(source), "-c", _PROGRAM, _modules(), json.dumps(asked)], source)
    if done.returncode != 0 or not done.stdout:
        raise MeshError(
            f"{source}: cannot be read as OpenUSD: its reader {_ended(done.returncode)}; the file "
            "is damaged, or needs more memory or time than is allowed for its size"
        )
    with np.load(io.BytesIO(done.stdout), allow_pickle=False) as answer:
        return {name: answer[name] for name in answer.files}


def _modules() -> str:
    """Return the module search path of this process as JSON, with "" as the current folder."""
    return json.dumps([each or str(Path.cwd()) for each in sys.path])


def _done(command: list[str], source: MeshSource) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603  our own program
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MeshError(
            f"{source}: the process that reads OpenUSD did not answer: {error}"
        ) from None


def _ended(code: int) -> str:
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    return kept | _OWN


def _interpreter(source: MeshSource) -> str:
    """Return the path of a Python interpreter, also if Python is embedded in another program."""
    if Path(sys.executable or "-").stem.lower().startswith("python"):
        return sys.executable
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    names = ("python.exe", f"bin/python{version}", "bin/python3")
    tried = [Path(home) / name for home in (sys.prefix, sys.base_prefix) for name in names]
    for path in tried:
        if path.is_file():
            return str(path)
    raise MeshError(
        f"{source}: needs a Python interpreter to start usd-core, none is in {sys.prefix}"
    )
