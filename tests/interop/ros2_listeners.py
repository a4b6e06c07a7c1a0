# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes that listen to topics of ROS 2, each with the DDS of another maker."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
CYCLONE_DDS = (sys.executable, str(Path(__file__).with_name("cyclone_dds_listener.py")))
"""Command of a listener with Eclipse Cyclone DDS; those of other makers take the same words."""
EVENTS = "events.txt"


@contextmanager
def listening(listener, domain, folder, **kinds):
    """Run a listener of topics with these types while the block runs.

    Parameters
    ----------
    listener : sequence of str
        Its command.
    domain : int
        The DDS domain.
    folder : Path
        Where it keeps what it hears, and its standard error.
    kinds : str
        The types of the topics, in whose names ``__`` stands for ``/``.
    """
    folder.mkdir()
    topics = [f"/{name.replace('__', '/')}={kind}" for name, kind in kinds.items()]
    command = [*listener, str(domain), str(folder), *topics]
    paths = os.pathsep.join([str(REPOSITORY), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": paths}
    with (
        (folder / EVENTS).open("w") as events,
        subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=events, text=True
        ) as process,
    ):
        try:
            assert process.stdout.readline() == "ready\n", (folder / EVENTS).read_text()
            yield process
        finally:
            process.kill()


def heard(folder, topic):
    """Return the messages of a topic, in their order."""
    return [path.read_bytes() for path in sorted(folder.glob(f"{topic.replace('/', '_')}.*"))]


def assert_are_the_last(got, expected):
    """Assert that messages were received from some on, each filled up to a multiple of 4 bytes."""
    filled = [each + bytes(-len(each) % 4) for each in expected]
    assert got
    assert got == filled[-len(got) :]
