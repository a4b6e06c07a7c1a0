# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The sensor model as an OSMP FMU (FMI 2.0 co-simulation).

``exporter`` writes the FMU; all other modules travel inside it, in a package with a name of its
own for every build, so that two FMUs in one process do not take each other's code. Their imports of
each other are therefore relative.
"""
