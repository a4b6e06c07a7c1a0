# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bundles: a configuration, a trace, and everything that their run reads, in one file.

`manifest` is the list of what a bundle holds, `packing` writes a bundle, `opening` unpacks one for
as long as a command runs, and `author` has the clouds that its author's run gave.
"""

SUFFIX = ".osib"
"""Ending of the name of a bundle."""
