# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""osi-lidar: a stand-alone lidar sensor model for virtual testing of automated driving.

    import osi_lidar

    for cloud in osi_lidar.scan_trace("drive.osi", sensor="VLP-16"):
        print(cloud.time_ns, cloud.points["range"].max())

A trace in one call     scan_trace, which yields Cloud
Settings                load_config, default_config: Config
Message by message      FrameSource yields Frame; LidarModel.step makes Step, Scan, Cloud
A run on disk           replay writes one: Report; open_run reads it: StoredRun; accumulate
Single rays             Scene, RayHits
What was replaced       Fallback, in LidarModel.fallbacks and Report.fallbacks
Errors                  OsiLidarError: ConfigurationError, InputError, OutputError

docs/how-to/python.md shows each of them. Names are imported when they are first used, so that the
command line starts at once.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from lidar_base.process.collector import collector_paused
from osi_lidar.version import __version__ as __version__

if TYPE_CHECKING:
    from osi_bridge import Frame as Frame
    from osi_lidar.clouds.cloud import Cloud as Cloud
    from osi_lidar.config import Config as Config
    from osi_lidar.config import default_config as default_config
    from osi_lidar.config import load_config as load_config
    from osi_lidar.errors import ConfigurationError as ConfigurationError
    from osi_lidar.errors import InputError as InputError
    from osi_lidar.errors import OsiLidarError as OsiLidarError
    from osi_lidar.errors import OutputError as OutputError
    from osi_lidar.model import LidarModel as LidarModel
    from osi_lidar.output.accumulation import accumulate as accumulate
    from osi_lidar.output.stored import StoredRun as StoredRun
    from osi_lidar.output.stored import open_run as open_run
    from osi_lidar.run.frame_source import FrameSource as FrameSource
    from osi_lidar.run.replay import replay as replay
    from osi_lidar.run.report import Report as Report
    from osi_lidar.run.trace_clouds import scan_trace as scan_trace
    from osi_lidar.scan.step import Scan as Scan
    from osi_lidar.scan.step import Step as Step
    from osi_lidar.world.casting import RayHits as RayHits
    from osi_lidar.world.casting import Scene as Scene
    from osi_lidar.world.fallbacks import Fallback as Fallback

_HOME = {
    "Frame": "osi_bridge",
    "Config": "osi_lidar.config",
    "default_config": "osi_lidar.config",
    "load_config": "osi_lidar.config",
    "ConfigurationError": "osi_lidar.errors",
    "InputError": "osi_lidar.errors",
    "OsiLidarError": "osi_lidar.errors",
    "OutputError": "osi_lidar.errors",
    "LidarModel": "osi_lidar.model",
    "scan_trace": "osi_lidar.run.trace_clouds",
    "accumulate": "osi_lidar.output.accumulation",
    "FrameSource": "osi_lidar.run.frame_source",
    "replay": "osi_lidar.run.replay",
    "Report": "osi_lidar.run.report",
    "Cloud": "osi_lidar.clouds.cloud",
    "Scan": "osi_lidar.scan.step",
    "Step": "osi_lidar.scan.step",
    "StoredRun": "osi_lidar.output.stored",
    "open_run": "osi_lidar.output.stored",
    "RayHits": "osi_lidar.world.casting",
    "Scene": "osi_lidar.world.casting",
    "Fallback": "osi_lidar.world.fallbacks",
}

__all__ = [*_HOME, "__version__"]  # noqa: PLE0604  the names are texts


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'osi_lidar' has no attribute {name!r}")
    home = _HOME[name]
    if home not in sys.modules:
        with collector_paused():
            import_module(home)
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
