# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the process of a command begins: ``osi-lidar``, and ``python -m osi_lidar``."""

import inspect
import signal
import sys

from lidar_base.process.collector import collect_seldom
from lidar_base.process.interrupts import ignore_interrupts, interrupts_below

_INTERRUPTED = 128 + 2  # SIGINT is 2


def main() -> None:
    """Run the command line; Ctrl-C and SIGTERM end it with one line and exit status 130.

    This also holds while modules are still being imported. A command may handle the signals itself.
    """
    collect_seldom()
    interrupt = interrupts_below(inspect.currentframe())
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else Ctrl-C is ignored
        signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)  # sent by schedulers; handled like Ctrl-C
    try:
        from lidar_app.cli.main import main as run

        run()
    except KeyboardInterrupt:
        ignore_interrupts()
        sys.stderr.write("osi-lidar: interrupted\n")
        sys.exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
