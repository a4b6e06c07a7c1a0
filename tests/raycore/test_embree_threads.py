# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenes of several threads are scenes of one device."""

import subprocess
import sys

PROGRAM = """
import threading
from raycore.embree import device
barrier, found = threading.Barrier(8), []
def look():
    barrier.wait()
    found.append(device())
threads = [threading.Thread(target=look) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(found) == 8
assert len(set(map(id, found))) == 1, found
"""


def test_threads_that_start_together_share_one_device():
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)
