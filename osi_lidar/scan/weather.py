# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Weather between the sensor and the surfaces."""

from __future__ import annotations

from typing import TypeVar

AnyReturns = TypeVar("AnyReturns")


def scatter(returns: AnyReturns) -> AnyReturns:
    """Return what comes back through clear air: it neither scatters light nor absorbs it.

    Rain, fog and dust are not modelled. Droplets would add returns and take from those behind them.
    """
    return returns
