# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A master in Python that goes on after each KeyboardInterrupt.

python -m tests.fmu.native.interrupted FMU ROUNDS
"""

import signal
import sys
import time

from osi_lidar.run.fmu import Fmu
from tests.builders.messages import moving
from tests.fmu.driving import step

PATIENCE_S = 30.0


def say(word):
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def main(path, n_rounds):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    messages = moving(50)
    with Fmu(path) as fmu:
        fmu.initialize({})
        assert step(fmu, messages[0])
        for _ in range(int(n_rounds)):
            end_s = time.monotonic() + PATIENCE_S
            try:
                say("steps")
                while time.monotonic() < end_s:
                    for data in messages:
                        assert step(fmu, data)
                say("no interrupt")
            except KeyboardInterrupt:
                say("interrupted")
        assert step(fmu, messages[0])
        fmu.terminate()
    say("end")


if __name__ == "__main__":
    main(*sys.argv[1:])
