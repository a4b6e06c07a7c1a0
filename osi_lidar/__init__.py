# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""osi-lidar: a stand-alone lidar sensor model for virtual testing of automated driving."""

from osi_bridge import Frame as Frame
from osi_lidar.config import Config as Config
from osi_lidar.config import default_config as default_config
from osi_lidar.config import load_config as load_config
from osi_lidar.errors import ConfigurationError as ConfigurationError
from osi_lidar.errors import InputError as InputError
from osi_lidar.errors import OsiLidarError as OsiLidarError
from osi_lidar.errors import OutputError as OutputError
from osi_lidar.model import LidarModel as LidarModel
from osi_lidar.model import Scan as Scan
from osi_lidar.model import Step as Step
from osi_lidar.replay import open_frames as open_frames
from osi_lidar.replay import replay as replay

__version__ = "0.1.0"
