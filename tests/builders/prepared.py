# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command in processes that have imported it already, which take a third of the time to begin.

They are forked from one process that imports, and runs no kernel: threads do not survive a fork.
"""

import os
import sys
from contextlib import suppress
from functools import cache
from multiprocessing import get_context
from pathlib import Path

IMPORTED = (
    "osi_lidar.__main__", "lidar_app.cli.main", "osi_lidar.live.stream", "osi_lidar.run.replay"
)  # fmt: skip


@cache
def forking():
    """Return what begins processes: one for all, that imports when it begins its first."""
    context = get_context("forkserver")
    context.set_forkserver_preload(list(IMPORTED))
    return context


class PreparedCommand:
    """A process as `subprocess.Popen` has it, of the command with these arguments."""

    def __init__(self, arguments):
        output, errors = forking().Pipe(duplex=False), forking().Pipe(duplex=False)
        self.stdout, self.stderr = (os.fdopen(os.dup(end.fileno())) for end, _ in (output, errors))
        given = (arguments, dict(os.environ), Path.cwd(), output[1], errors[1])
        self._process = forking().Process(target=_be, args=given)
        self._process.start()
        for end in (*output, *errors):
            end.close()
        self.pid = self._process.pid

    def poll(self):
        """Return the exit code, None while the process runs."""
        return self._process.exitcode

    def wait(self, patience_s):
        """Return the exit code, once the process has ended."""
        self._process.join(patience_s)
        assert self._process.exitcode is not None
        return self._process.exitcode

    def send_signal(self, number):
        """Signal the process, if it runs."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self):
        """End the process at once."""
        self._process.kill()


def _be(arguments, environment, folder, output, errors):
    """Be the command: with the environment and the folder of who begins it."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for number, end in ((1, output), (2, errors)):
        os.dup2(end.fileno(), number)
        end.close()
    # those of the process before may be bound to files, which know their place
    sys.stdout, sys.stderr = (os.fdopen(n, "w", 1, closefd=False) for n in (1, 2))
    sys.argv = ["osi-lidar", *arguments]

    from osi_lidar.__main__ import main

    main()
