# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Actors: meshes of labelled objects from recorded points, and an OSI trace of their motion."""
