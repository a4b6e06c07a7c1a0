# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""An OSMP master: it drives an FMU of FMI 2.0 or 3.0. Needs FMPy (``osi-lidar[fmu]``).

``instance`` holds one instance of an FMU, ``opening`` unpacks and instantiates it, and ``driving``
gives it a recorded trace.
"""

from osi_lidar.run.fmu.driving import FmuReport, fmu_run
from osi_lidar.run.fmu.instance import Fmu

__all__ = ["Fmu", "FmuReport", "fmu_run"]
