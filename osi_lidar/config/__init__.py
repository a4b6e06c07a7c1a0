# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The configuration of a run: its models and its reading.

``models``, ``sensor`` and others hold the models, ``loading`` reads files, and ``reference`` writes
the tables of docs/reference/configuration.md.
"""

from osi_lidar.config.beam import Beam, Pulse
from osi_lidar.config.loading import (
    check_files,
    default_config,
    load_config,
    named_paths,
    revised_config,
)
from osi_lidar.config.models import Config, Database, Materials, Output
from osi_lidar.config.noise import DetectionThreshold, Noise
from osi_lidar.config.patterns.kinds import AnglesPattern, GridPattern, PairsPattern
from osi_lidar.config.range_limit import RangeLimitSection
from osi_lidar.config.receiver import Reception, ReturnSelection
from osi_lidar.config.scene import EnvironmentMesh, Match, ObjectRule, SceneSection
from osi_lidar.config.sensor import Mounting, Sensor
from osi_lidar.config.weather import WeatherSection

__all__ = [
    "AnglesPattern",
    "Beam",
    "Config",
    "Database",
    "DetectionThreshold",
    "EnvironmentMesh",
    "GridPattern",
    "Match",
    "Materials",
    "Mounting",
    "Noise",
    "ObjectRule",
    "Output",
    "PairsPattern",
    "Pulse",
    "RangeLimitSection",
    "Reception",
    "ReturnSelection",
    "SceneSection",
    "Sensor",
    "WeatherSection",
    "check_files",
    "default_config",
    "load_config",
    "named_paths",
    "revised_config",
]
