# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Python's search for cyclic garbage, less often where code creates many lasting objects."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = 20_000
"""Number of new objects after which a command searches them; Python's default is 700 to 2000."""


def collect_seldom() -> None:
    """Let Python search for cyclic garbage seldom, in a process that is all ours.

    A command has 150 000 lasting objects at its first point cloud. By default, Python searches 350
    times before, which takes a tenth of that time. Does nothing if the user has switched the search
    off.
    """
    if gc.isenabled():
        gc.set_threshold(SELDOM)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the search for cyclic garbage in a block; then count all existing objects as old.

    An import creates 150 000 lasting objects, and Python would search all of them again and again
    meanwhile. Python searches old objects rarely, but still finds garbage of the caller there.
    If the caller has switched the search off, or has used `gc.freeze`, nothing changes.
    """
    if not gc.isenabled() or gc.get_freeze_count():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.unfreeze()  # to the oldest generation; neither call looks at single objects
        gc.enable()
