# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a recording of a VLP-16 shows beside edges: its beam, its receiver, and their places.

The recording is that of `desks.py`, a sensor at rest with two returns. Four figures of the preset
are measured here:

- the beam's width at the sensor, from how fast the near side's reflectivity falls at the edge;
- the least reflectivity that is reported, by range;
- the position of the receiver: on the side on which the near surface hides the far one from the
  receiver, the far surface appears later beside the edge;
- the recovery of the receiver, from the light of the far side in beams that also meet the near
  side, at edges on the other side.

    python benchmarks/real/beside_edges.py [FOLDER] [--simulated]

FOLDER is OSI_LIDAR_DATA by default. With --simulated, the same figures are printed for the preset,
simulated in the office of lidar_gap/reality. Columns count with time; the head turns clockwise, so
later columns look more to the right.
"""

import argparse
import itertools
import math
import os
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from desks import DESKS, PLACES, simulated
from scipy.optimize import curve_fit, minimize_scalar
from scipy.special import ndtr

from lidar_gap.reading import read_clouds
from lidar_gap.reality.office import office

STEP_RAD = math.radians(0.2)
DIVERGENCE_RAD = 3.0e-3
HALF, BESIDE = 16, 9
"""Number of columns of the near side and of the far side of an edge that are used."""
LEAST_GAP_M, SAME_M, FAR_SAME_M = 1.2, 0.2, 0.4
RANGE_M = (0.5, 0.6, 0.7, 0.8, 0.95, 1.05, 2.0, 4.0, 6.0)
GAP_M = (1.2, 1.7, 2.4, 4.0, 6.5)
FEW = 20
"""Number of points that a class needs, for its least reflectivity to count."""


class Edge(NamedTuple):
    """An edge in a ring: the columns from a near surface to a far one.

    ``near`` and ``far`` are the reflectivities [%] of the echoes of each surface, 0 if there is no
    echo.
    """

    near_is_left: bool
    near_m: float
    far_m: float
    near: np.ndarray  # float64 (HALF + BESIDE,)
    far: np.ndarray


def images(clouds):
    """Yield range and reflectivity of each cloud as two arrays, (2 echoes, n_ring, n_column)."""
    for cloud in clouds:
        shape = 2, int(cloud.ring.max()) + 1, int(cloud.column.max()) + 1
        range_m, percent = np.full(shape, np.nan), np.full(shape, np.nan)
        at = cloud.echo, cloud.ring, cloud.column
        range_m[at], percent[at] = cloud.range_m, cloud.intensity
        yield range_m, percent


def edges_of(clouds):
    """Yield the edges at which all echoes come from the two surfaces."""
    for range_m, percent in images(clouds):
        for ring in range(range_m.shape[1]):
            there = np.flatnonzero(np.isfinite(range_m[0, ring]))
            for a, b in itertools.pairwise(there):
                step_m = range_m[0, ring, b] - range_m[0, ring, a]
                if b - a > BESIDE or abs(step_m) < LEAST_GAP_M:
                    continue
                columns = np.arange(-HALF, BESIDE)
                columns = a + columns if step_m > 0 else b - columns
                if columns.min() < 0 or columns.max() >= range_m.shape[2]:
                    continue
                both = np.sort(range_m[0, ring, [a, b]])
                edge = _edge(range_m[:, ring, columns], percent[:, ring, columns], both)
                if edge is not None:
                    yield edge._replace(near_is_left=bool(step_m > 0))


def _edge(range_m, percent, both_m):
    near_m, far_m = both_m
    is_near = np.abs(range_m - near_m) < SAME_M
    is_far = np.abs(range_m - far_m) < FAR_SAME_M
    near, far = (np.where(of, percent, 0.0).sum(axis=0) for of in (is_near, is_far))
    is_other = np.isfinite(range_m) & ~is_near & ~is_far
    if is_other[:, 8:].any() or not near[8:12].all() or not far[-3:].all():
        return None
    return Edge(False, float(near_m), float(far_m), near, far)


def window_mm(edges):
    """Return full 1/e² widths of the beam at the window, one for each edge at 0.6 to 1 m [mm].

    A width is from the ramp of the near side's reflectivity across the edge.
    """
    widths = []
    for edge in edges:
        whole = np.median(edge.near[8:12])
        if not 0.6 <= edge.near_m < 1.0 or whole < 15 or edge.near[8:12].std() > 0.1 * whole:
            continue
        at_mm = 1e3 * edge.near_m * STEP_RAD * np.arange(len(edge.near) - 8)
        try:
            (_, sigma_mm), _ = curve_fit(
                lambda x, place, sigma: ndtr((place - x) / sigma),
                at_mm, edge.near[8:] / whole, (10.0, 3.0),
            )  # fmt: skip
        except RuntimeError:
            continue
        wide_mm = 4.0 * abs(sigma_mm)
        widths.append(math.sqrt(max(wide_mm**2 - (1e3 * DIVERGENCE_RAD * edge.near_m) ** 2, 0.0)))
    return np.array(widths)


def offset_mm(edges):
    """Return estimates of the receiver's sideways offset [mm], by whether the near side is left.

    Each is from the columns at which the near and the far surface have half their reflectivity.
    """
    found = {True: [], False: []}
    for edge in edges:
        near, far = np.median(edge.near[8:12]), np.median(edge.far[-3:])
        if not 0.6 <= edge.near_m < 1.0 or min(near, far) < 8:
            continue
        gone, back = np.flatnonzero(edge.near < 0.5 * near), np.flatnonzero(edge.far >= 0.5 * far)
        gone = gone[gone >= 8]
        aside_mm = 1e3 * (back[0] - gone[0]) * STEP_RAD * edge.near_m
        found[edge.near_is_left].append(aside_mm * edge.far_m / (edge.far_m - edge.near_m))
    return found


def shared_light(edges):
    """Return gap [m] and ratio of light of beams that meet both surfaces, (n, 2).

    The ratio is the far side's echo over the light that the near surface lets pass.
    """
    rows = []
    for edge in edges:
        near, far = np.max(edge.near[8:]), np.max(edge.far[-3:])
        if not edge.near_is_left or min(near, far) < 8:
            continue
        share = edge.near / near
        for column in np.flatnonzero((share > 0.05) & (share < 0.6)):
            left = far * (1.0 - share[column])
            if column >= 8 and left > 20.0:
                rows.append((edge.far_m - edge.near_m, edge.far[column] / left))
    return np.array(rows).reshape(-1, 2)


def recovery_m(light, blind_m):
    """Return the recovery distance of the receiver that fits `shared_light` best. [m]"""
    behind_m = np.maximum(light[:, 0] - blind_m, 0.0)

    def error(reach_m):
        return np.square(1.0 - np.exp(-behind_m / reach_m) - light[:, 1]).sum()

    return minimize_scalar(error, bounds=(0.5, 100.0), method="bounded").x


def report(name, clouds):
    """Print the beam, receiver and recovery figures of some clouds."""
    edges = list(edges_of(clouds))
    print(f"{name}: {len(edges)} edges in {len(clouds)} scans")
    widths = window_mm(edges)
    print(f"  window [mm], quartiles of {len(widths)}: {_quartiles(widths)}")
    aside = offset_mm(edges)
    for is_left, where in ((True, "left"), (False, "right")):
        found = np.array(aside[is_left])
        print(f"  receiver aside [mm], near side {where}, {len(found)}: {_quartiles(found)}")
    range_m = np.concatenate([cloud.range_m for cloud in clouds])
    percent = np.concatenate([cloud.intensity for cloud in clouds])
    for low_m, high_m in itertools.pairwise(RANGE_M):
        of_class = np.sort(percent[(range_m >= low_m) & (range_m < high_m)])
        if len(of_class) > FEW:
            told = f"{of_class[FEW]:.0f} % ({np.mean(of_class == of_class[FEW]):.1%} of the points)"
            print(f"  least reflectivity at {low_m:g} to {high_m:g} m: {told}")
    light = shared_light(edges)
    for low_m, high_m in itertools.pairwise(GAP_M):
        of_class = light[(light[:, 0] >= low_m) & (light[:, 0] < high_m), 1]
        if len(of_class):
            told = f"{of_class.mean():.2f} of what is left of it ({len(of_class)} beams)"
            print(f"  light of the far side, {low_m:g} to {high_m:g} m behind: {told}")
    print(f"  recovery behind 1.19 m: {recovery_m(light, 1.19):.1f} m")


def _quartiles(values):
    return " ".join(f"{each:.1f}" for each in np.percentile(values, (25, 50, 75)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = os.environ.get("OSI_LIDAR_DATA")
    parser.add_argument("folder", type=Path, nargs="?", default=data and Path(data))
    parser.add_argument(
        "--simulated", action="store_true", help="also measure simulated clouds of the preset"
    )
    arguments = parser.parse_args()
    if arguments.folder is None or not arguments.folder.is_dir():
        sys.exit("expected the folder of the recordings, or OSI_LIDAR_DATA; see --help")
    desk = DESKS[0]
    bags = [each.parent for each in arguments.folder.rglob("metadata.yaml")]
    bags = sorted(each for each in bags if desk.folder in each.parts)
    angles = sorted(arguments.folder.rglob(desk.angles))
    if not bags or not angles:
        sys.exit(f"no recording of a VLP-16 with the angles of its lasers in {arguments.folder}")
    report("recorded", read_clouds(bags[0], metadata=angles[0]))
    if arguments.simulated:
        clouds = [each for place in PLACES for each in simulated("VLP-16", office(*place), 1)]
        report("simulated, five places", clouds)


if __name__ == "__main__":
    main()
