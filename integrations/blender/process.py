# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""osi-lidar in a separate process: Blender imports no module of osi-lidar."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from .errors import SceneError

_LONGEST = 400
"""Largest number of characters of a line in Blender's report."""


_OSI_LIDAR = (
    "import sys; sys.path[:] = [each for each in sys.path if each]; "
    "import runpy; runpy.run_module('osi_lidar', run_name='__main__', alter_sys=True)"
)
"""Starts osi-lidar like ``-m``, but never imports modules from Blender's working directory."""


def program(command: str) -> list[str]:
    """Return the start of the command line that runs osi-lidar.

    Parameters
    ----------
    command : str
        The command `osi-lidar`, or the Python that it is installed for; a name on PATH or a path.

    Raises
    ------
    SceneError
        There is no such program.
    """
    named = command.strip()
    found = shutil.which(str(Path(named).expanduser())) if named else None
    if found is None:
        raise SceneError(
            f"osi-lidar: {named!r} is not a program, expected the path of osi-lidar, or "
            "of the Python it is installed for, in the preferences of the extension"
        )
    is_python = Path(found).stem.lower().startswith("python")
    return [found, "-c", _OSI_LIDAR] if is_python else [found]


class Replay:
    """A replay of the trace of a scene, which writes point clouds.

    Parameters
    ----------
    command : str
        See `program`.
    folder : Path
        Folder of the scene; the results go to its folder `run`.

    Raises
    ------
    SceneError
        The program does not start.
    """

    def __init__(self, command: str, folder: Path) -> None:
        self.out = folder / "run"
        self._log = folder / "replay.log"
        trace, config = folder / "trace.osi", folder / "lidar.yaml"
        options = ["--config", str(config), "--out", str(self.out), "--overwrite", "--quiet"]
        try:
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(  # noqa: S603  # the user's own program
                    [*program(command), "replay", str(trace), *options],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                )
        except OSError as error:
            raise SceneError(f"{command}: cannot be started: {error.strerror}") from error

    def is_done(self) -> bool:
        """Return whether the process has ended."""
        return self._process.poll() is not None

    def stop(self) -> None:
        """End the process before it is done."""
        self._process.terminate()
        self._process.wait()

    def result(self) -> Path:
        """Wait for the end, and return the folder of the run.

        Raises
        ------
        SceneError
            osi-lidar has failed; the message is the last line of its output.
        """
        status = self._process.wait()
        if status == 0:
            return self.out
        said = self._log.read_text(encoding="utf-8", errors="replace").split("\n")
        lines = [line.strip() for line in said if line.strip()]
        last = lines[-1][:_LONGEST] if lines else f"ended with exit code {status}"
        raise SceneError(last if last.startswith("osi-lidar") else f"osi-lidar: {last}")
