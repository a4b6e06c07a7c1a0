# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of the physical executor: the hits of beams, and the reported echoes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lidar_base.random.draws import Draws
    from osi_lidar.scan.echoes.media import Media
    from osi_lidar.scan.echoes.waveform_kernels import SubRayArrays, WaveformSettings
    from osi_lidar.scan.fused_kernels import SurfaceArrays
    from osi_lidar.scan.records import Paths
    from osi_lidar.scan.texture_kernels import TextureArrays


@dataclass(frozen=True, slots=True, kw_only=True)
class BeamHits:
    """Hits of some beams, in the arrays from which kernels make echoes.

    Attributes
    ----------
    beams : uint32 (n,)
        Indices of the beams, ascending.
    paths : Paths
        Paths of their sub-rays.
    rays : SubRayArrays
        The sub-rays.
    surfaces : SurfaceArrays
        Surfaces that the sub-rays meet.
    texture : TextureArrays
        Texture of these surfaces.
    waveform : WaveformSettings
        Pulse and footprint.
    media : Media
        Air, window and ghosts.
    draws : Draws
        Random numbers of the scan.
    """

    beams: NDArray[np.uint32]
    paths: Paths
    rays: SubRayArrays
    surfaces: SurfaceArrays
    texture: TextureArrays
    waveform: WaveformSettings
    media: Media
    draws: Draws


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedEchoes:
    """Echoes that the receiver reports.

    Attributes
    ----------
    first, again : BeamHits
        Hits of the first and the second look; ``again`` is None if no beam got a second look.
    lost : bool (n_beam,) or (1,)
        Whether each beam is a dropout, whose echoes are lost; a single False if none is.
    seen : uint8 (n_beam,)
        Bits ``MIXED``, ``BRIGHT`` and ``SEVERAL`` of each beam in the first look.
    echo : structured (n_beam * n_most,)
        Rows of ``receiver_kernels.ECHO``: n_most for each beam. The echoes of a block of beams
        fill the first rows of the block; its other rows are undefined.
    start_of_block : int64 (n_block + 1,)
        Number of echoes before each block of beams, then the number of all echoes.
    """

    first: BeamHits
    again: BeamHits | None
    lost: NDArray[np.bool_]
    seen: NDArray[np.uint8]
    echo: NDArray[Any]
    start_of_block: NDArray[np.int64]
