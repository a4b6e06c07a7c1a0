# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Find objects in a data set with a detector that is as simple as can be, on a CPU.

    python examples/simple_detector.py DIR

DIR is a data set as `osi-lidar dataset --format openpcdet` writes it. Points above the ground form
clusters; the size of a cluster's box gives its class. The sizes of the classes are learnt from the
split train. The script prints precision and recall of each class in the split test. Beside them are
precision and recall if each cluster gets a random class, with the frequencies of train.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation, label, minimum_filter

CELL_M, GROUND_CELL_M = 0.3, 1.0
ABOVE_M = 0.3
"""A point that is this much higher than the lowest point nearby is not ground. [m]"""
LEAST_POINTS = 5
NEAR_M = 1.5
"""A cluster matches an object if their centres, seen from above, are closer than this. [m]"""
NOTHING = "-"
Floats, Texts = NDArray[np.float64], NDArray[np.str_]
Sample = tuple[Floats, Floats, Floats, Texts]
"""Positions and sizes of a sample's clusters, positions and classes of its objects."""


def find_clusters(points: Floats) -> tuple[Floats, Floats]:
    """Return the centres (n, 2) of the clusters [m], and their sizes (n, 3) as in `size_of`."""
    above = points[points[:, 2] > ground_m(points) + ABOVE_M, :3]
    cells = np.floor(above[:, :2] / CELL_M).astype(int)
    if not len(cells):
        return np.empty((0, 2)), np.empty((0, 3))
    cells -= cells.min(axis=0)
    taken = np.zeros(cells.max(axis=0) + 1, bool)
    taken[tuple(cells.T)] = True
    numbers = label(binary_dilation(taken, np.ones((3, 3), bool)))[0][tuple(cells.T)]
    groups = [above[numbers == number] for number in np.unique(numbers)]
    groups = [group for group in groups if len(group) >= LEAST_POINTS]
    places = np.array([0.5 * (g[:, :2].min(axis=0) + g[:, :2].max(axis=0)) for g in groups])
    return places.reshape(-1, 2), np.array([size_of(group) for group in groups]).reshape(-1, 3)


def ground_m(points: Floats) -> Floats:
    """Return, for each point, the height of the lowest point nearby [m]."""
    cells = np.floor(points[:, :2] / GROUND_CELL_M).astype(int)
    cells -= cells.min(axis=0)
    lowest = np.full(cells.max(axis=0) + 1, np.inf)
    np.minimum.at(lowest, tuple(cells.T), points[:, 2])
    return minimum_filter(lowest, size=7)[tuple(cells.T)]


def size_of(group: Floats) -> Floats:
    """Return the logarithms of a cluster's length, width and height [m]; its main axes are used."""
    flat = group[:, :2] - group[:, :2].mean(axis=0)
    along = flat @ np.linalg.svd(flat, full_matrices=False)[2].T
    size_m = [*np.sort(np.ptp(along, axis=0))[::-1], np.ptp(group[:, 2])]
    return np.log(np.maximum(size_m, 0.05))


def read_split(folder: Path, split: str) -> list[Sample]:
    """Return all samples of a split of the data set, such as "train"."""
    samples = []
    for name in (folder / "ImageSets" / f"{split}.txt").read_text().split():
        rows = [row.split() for row in (folder / "labels" / f"{name}.txt").read_text().splitlines()]
        objects = np.array([row[:2] for row in rows], float).reshape(-1, 2)
        clusters = find_clusters(np.load(folder / "points" / f"{name}.npy"))
        samples.append((*clusters, objects, np.array([row[-1] for row in rows])))
    return samples


def truth_of(places: Floats, objects: Floats, kinds: Texts) -> Texts:
    """Return for each cluster the class of the nearest object; `NOTHING` if it is too far away."""
    if not len(objects):
        return np.full(len(places), NOTHING)
    away_m = np.linalg.norm(places[:, None] - objects, axis=2)
    return np.where(away_m.min(axis=1) < NEAR_M, kinds[away_m.argmin(axis=1)], NOTHING)


class SizeClasses:
    """A classifier by size: takes the logarithms of sizes as normally distributed in each class."""

    def __init__(self, sizes: Floats, kinds: Texts) -> None:
        self.kinds, counts = np.unique(kinds, return_counts=True)
        self.shares = counts / counts.sum()
        self._means = np.array([sizes[kinds == kind].mean(axis=0) for kind in self.kinds])
        self._sigmas = np.array([sizes[kinds == kind].std(axis=0) + 0.05 for kind in self.kinds])

    def of(self, sizes: Floats) -> Texts:
        """Return the likeliest class for each size (n, 3)."""
        off = (sizes[:, None] - self._means) / self._sigmas
        likely = np.log(self.shares / self._sigmas.prod(axis=1)) - 0.5 * (off**2).sum(axis=2)
        return self.kinds[likely.argmax(axis=1)]


def scores(
    samples: list[Sample], classify: Callable[[Floats], Texts]
) -> dict[str, NDArray[np.int64]]:
    """Return the numbers of found objects, clusters and objects, by class: int (3,) each."""
    counted = {}
    for places, sizes, objects, kinds in samples:
        found = classify(sizes) if len(sizes) else np.array([])
        for kind in {*kinds, *found} - {NOTHING}:
            mine, true = places[found == kind], objects[kinds == kind]
            hits = 0
            if len(mine) and len(true):
                hits = np.count_nonzero(
                    np.linalg.norm(true[:, None] - mine, axis=2).min(axis=1) < NEAR_M
                )
            row = counted.setdefault(kind, np.zeros(3, int))
            row += [hits, len(mine), len(true)]
    return counted


def main(folder: Path) -> None:
    """Learn from the split train, and print precision and recall in the split test."""
    train, test = read_split(folder, "train"), read_split(folder, "test")
    if not train or not test:
        sys.exit(f"{folder}: needs samples in the splits train and test")
    sizes = np.concatenate([sample[1] for sample in train])
    kinds = np.concatenate([truth_of(sample[0], *sample[2:]) for sample in train])
    learnt, draw = SizeClasses(sizes, kinds), np.random.default_rng(1)
    found = scores(test, learnt.of)
    chance = scores(test, lambda own: draw.choice(learnt.kinds, len(own), p=learnt.shares))
    print("class,objects,precision,recall,precision_by_chance,recall_by_chance")
    for kind in sorted(found):
        hits, n_found, n_true = found[kind]
        by_chance, n_drawn, _ = chance.get(kind, np.zeros(3, int))
        numbers = (hits / max(n_found, 1), hits / max(n_true, 1))
        numbers += (by_chance / max(n_drawn, 1), by_chance / max(n_true, 1))
        print(f"{kind},{n_true},{','.join(f'{number:.3f}' for number in numbers)}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
