# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pictures: common parts of figures, and images of clouds as arrays. Needs the extra ``plot``."""

NO_PLOT = "a picture needs the extra plot: pip install 'osi-lidar[plot]'"
"""Error text if matplotlib is not installed."""

NOT_A_PICTURE = "expected the name of a picture, ending in .png"
"""Error text for an output file without .png: it may be an input that must not be overwritten."""
