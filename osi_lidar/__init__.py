# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""osi-lidar: a stand-alone lidar sensor model for virtual testing of automated driving.

    from osi_lidar import FrameSource, LidarModel, load_config

Names are imported when they are first used, so that the command line starts at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from osi_lidar.version import __version__ as __version__

if TYPE_CHECKING:
    from osi_bridge import Frame as Frame
    from osi_lidar.config import Config as Config
    from osi_lidar.config import default_config as default_config
    from osi_lidar.config import load_config as load_config
    from osi_lidar.errors import ConfigurationError as ConfigurationError
    from osi_lidar.errors import InputError as InputError
    from osi_lidar.errors import OsiLidarError as OsiLidarError
    from osi_lidar.errors import OutputError as OutputError
    from osi_lidar.model import LidarModel as LidarModel
    from osi_lidar.output.accumulation import accumulate as accumulate
    from osi_lidar.run.frame_source import FrameSource as FrameSource
    from osi_lidar.run.replay import replay as replay
    from osi_lidar.scan.step import Scan as Scan
    from osi_lidar.scan.step import Step as Step
    from osi_lidar.world.casting import RayHits as RayHits
    from osi_lidar.world.casting import Scene as Scene

_HOME = {
    "Frame": "osi_bridge",
    "Config": "osi_lidar.config",
    "default_config": "osi_lidar.config",
    "load_config": "osi_lidar.config",
    "ConfigurationError": "osi_lidar.errors",
    "InputError": "osi_lidar.errors",
    "OsiLidarError": "osi_lidar.errors",
    "OutputError": "osi_lidar.errors",
    "FrameSource": "osi_lidar.run.frame_source",
    "LidarModel": "osi_lidar.model",
    "RayHits": "osi_lidar.world.casting",
    "accumulate": "osi_lidar.output.accumulation",
    "Scan": "osi_lidar.scan.step",
    "Scene": "osi_lidar.world.casting",
    "Step": "osi_lidar.scan.step",
    "replay": "osi_lidar.run.replay",
}

__all__ = [*_HOME, "__version__"]  # noqa: PLE0604  the names are texts


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'osi_lidar' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
