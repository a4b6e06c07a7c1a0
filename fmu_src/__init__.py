# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The sensor model as an OSMP FMU (FMI 2.0 co-simulation).

``exporter`` builds the FMU and ``inspection`` says what one holds; all other modules are packed
into it. Every build gives their package a unique name, so that two FMUs in one process do not use
each other's code. They therefore import each other relatively.
"""
