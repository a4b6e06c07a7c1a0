# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Python's search for cyclic garbage, paused while much is made that stays."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the search for cyclic garbage; what exists at the end counts as old.

    An import makes 150 000 objects that stay, and Python would look through all of them again and
    again meanwhile. Old objects are looked at rarely, but they are looked at:
    garbage of the caller is still found. Nothing is changed where the caller has switched the
    search off, or holds objects by `gc.freeze`.
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
