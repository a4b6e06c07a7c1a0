# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The policy of all ports: how many clients, how long they may be silent, and who is let in.

``policy`` has the numbers, ``guests`` the places of a port, ``waiting`` the messages for a slow
client, ``guard`` the checks of HTTP requests and the token, ``http_port`` and ``foxglove_port`` the
servers that browsers can speak to. SECURITY.md states the policy port by port.
"""
