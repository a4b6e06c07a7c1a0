# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Which folders may be read as code: the rule of `lidar_base.caches.trust`.

In an FMU, this file is replaced by that module, which is needed before packages can be found.
"""

from lidar_base.caches.trust import make_own_folder, own_folder

__all__ = ["make_own_folder", "own_folder"]
