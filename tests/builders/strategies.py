# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What hypothesis draws for tests of more than one file."""

from hypothesis import strategies as st

from osi_bridge import NO_OBJECT

OBJECT_IDS = st.integers(0, NO_OBJECT)
REFRACTIVE_INDICES = st.floats(1.01, 4.0)
"""Of what is denser than air, up to semiconductors."""
TARGETS = st.sampled_from(["extended", "line", "point"])
"""Of the lidar range equation."""
