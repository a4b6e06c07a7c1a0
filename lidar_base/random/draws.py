# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Counter-based random numbers: each depends on its purpose and index alone."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal

import numpy as np

from lidar_base.block_kernels import workers
from lidar_base.random import random_kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

Distribution = Literal["gaussian", "laplace"]

_KINDS = {"gaussian": random_kernels.GAUSSIAN, "laplace": random_kernels.LAPLACE}
_WORD = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Draws:
    """The random numbers of one scan of one sensor.

    Each number depends only on the seed, the sensor's name, the time of the scan, an index (of the
    beam) and the purpose. Threads, earlier draws and the machine have no influence.

    Attributes
    ----------
    stream : four np.uint64
        Two words of key and two of time, 32 bits each, as the kernels take them.
    """

    stream: tuple[np.uint64, ...]

    @classmethod
    def of(cls, *, seed: int, sensor: str, time_ns: int = 0) -> Draws:
        """Return the random numbers of a scan.

        Parameters
        ----------
        seed : int
            Seed of the configuration, 0 to 2**64 - 1.
        sensor : str
            Name of the sensor.
        time_ns : int
            Time of the scan, of which the lowest 64 bits count; 0 for numbers that all scans share.
            [ns]
        """
        digest = blake2b(seed.to_bytes(8, "little") + sensor.encode(), digest_size=8).digest()
        key = int.from_bytes(digest, "little")
        words = (key & _WORD, key >> 32, time_ns & _WORD, (time_ns >> 32) & _WORD)
        return cls(tuple(map(np.uint64, words)))

    def uniform(self, purpose: np.uint64, index: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Return a uniform number in (0, 1) for each index, float64 (n,).

        `purpose` is a constant of `random_kernels`, such as RANGE_NOISE: different purposes get
        independent numbers. `index`, (n,), may for example be the indices of beams; the same index
        gets the same number in each call.
        """
        return self._drawn(random_kernels.UNIFORM, purpose, index)

    def uniform_pairs(
        self, purpose: np.uint64, index: NDArray[np.uint32]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return two independent uniform numbers in (0, 1) for each index, two arrays (n,).

        `purpose` and `index` are as in `uniform`: a constant of `random_kernels` that selects the
        numbers, and indices (n,), for example of beams.
        """
        first, second = np.empty((2, len(index)))
        random_kernels.uniform_pairs(self.stream, purpose, index, len(index), first, second)
        return first, second

    def normal(
        self, purpose: np.uint64, index: NDArray[np.uint32], distribution: Distribution = "gaussian"
    ) -> NDArray[np.float64]:
        """Return a random number of mean 0 and standard deviation 1 for each index, float64 (n,).

        `purpose` and `index` are as in `uniform`: a constant of `random_kernels` that selects the
        numbers, and indices (n,), for example of beams. `distribution` is "gaussian" or "laplace".
        """
        return self._drawn(_KINDS[distribution], purpose, index)

    def _drawn(
        self, kind: int, purpose: np.uint64, index: NDArray[np.uint32]
    ) -> NDArray[np.float64]:
        drawn = np.empty(len(index), np.float64)
        random_kernels.fill(kind, self.stream, purpose, index, workers(), drawn)
        return drawn
