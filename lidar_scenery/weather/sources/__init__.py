# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Sources of the weather: messages, configuration files, OpenSCENARIO.

Names are imported on first use.
"""

from typing import TYPE_CHECKING

from lidar_base.lazy_names import imported_on_use

if TYPE_CHECKING:
    from lidar_scenery.weather.sources.openscenario import (
        weather_of_scenario as weather_of_scenario,
    )

__getattr__ = imported_on_use(__name__, {"weather_of_scenario": "openscenario"})
