# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The scripts of scenarios as modules; scenarios are no package."""

import importlib.util
import sys
from types import ModuleType


def script(path) -> ModuleType:
    """Import a script by its path, as if it were started: modules beside it can be imported."""
    if path.stem in sys.modules:
        return sys.modules[path.stem]
    before = sys.path.copy()
    sys.path.insert(0, str(path.parent))
    try:
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module  # dataclasses look their module up
        spec.loader.exec_module(module)
    finally:
        sys.path[:] = before
    return module
