# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Noise, second returns and mixed pixels of sensors on desks, recorded and simulated.

The recordings are the tests of decoders in github.com/tier4/nebula (Apache-2.0), folders
src/nebula_*/nebula_*/test_resources/decoder_ground_truth: 2 to 4 scans at rest of each sensor,
with two returns. FOLDER may be a clone of that repository, or any folder that has bags in folders
vlp16, 64, 40p, qt128, xt32, xt16, qt64, and the angles of the lasers (VLP16.yaml, Pandar64.csv ..).
The simulated sensors stand in the office of boxes of lidar_gap/reality, with
``fidelity: physical`` and both returns. Figures of the Pandars and the QT64 were fitted to these
recordings. The noise of each sensor was measured in its own recording; beam and pulse of the XT32
and the XT16 were not fitted.

    python benchmarks/real/desks.py [FOLDER] [--sensor NAME]

FOLDER is OSI_LIDAR_DATA by default.
"""

import argparse
import itertools
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lidar_gap.calibrate.echoes import find_echoes
from lidar_gap.calibrate.findings import Series
from lidar_gap.calibrate.noise import find_noise
from lidar_gap.calibrate.recording import record
from lidar_gap.metrics.edges import edges
from lidar_gap.reading import read_clouds
from lidar_gap.reality.boxes import write_scene
from lidar_gap.reality.office import office
from lidar_gap.reality.simulated import scanned
from lidar_gap.rings import found_layout, range_image, sensor_layout
from osi_lidar.config import Sensor
from osi_lidar.sensors.presets import load_preset

N_SCANS = 6  # of 3, the noise of the darkest class scatters by 5 %
STEPS_M = (0.5, 0.7, 0.9, 1.2, 1.6, 2.5, 4.0, np.inf)
"""Classes of steps between two surfaces [m]."""
NEAR_M = (0.4, 1.0, 2.5, 4.0, 8.0)
"""Classes of the range of the nearer surface of an edge [m]."""
FREE_M, SMOOTH_M, FAR_SMOOTH_M = 1.5, 0.15, 0.3
PLACES = ((0.0, 0.0, 0.0), (-1.2, -0.6, 0.0), (1.0, 1.3, 0.0), (0.0, 0.0, 40.0), (0.6, -0.5, 180.0))
"""Places of the sensor in the office, see `office`; the furniture was chosen for the first one."""
SECOND_FACTOR, MIXED_APART, NOISE_SHARE, MEDIAN_SHARE = 1.3, 0.03, 0.15, 0.15
"""Limits between simulation and recording: factor of the share of second returns, difference of the
share of mixed pixels, relative difference of the noise, and of the median separation."""


@dataclass(frozen=True, kw_only=True)
class Desk:
    """A recording: folder, sensor, file of laser angles, and figures from an earlier evaluation.

    ``noise_mm`` has a value for each class of the maker's reflectivity: 0-1, 2-4, 5-9, 10-19,
    20-39, 80 and more. ``mixed`` is from another program, which forms images in another way.
    """

    folder: str
    preset: str | None
    angles: str
    noise_mm: tuple[float, ...]
    second: float
    apart_m: tuple[float, ...]
    mixed: float


DESKS = (
    Desk(
        folder="vlp16", preset="VLP-16", angles="VLP16.yaml",
        noise_mm=(14.6, 11.1, 9.4, 8.3, 7.0, 6.6), second=0.012,
        apart_m=(1.19, 1.45, 1.70), mixed=0.041,
    ),
    Desk(
        folder="64", preset="Pandar64", angles="Pandar64.csv",
        noise_mm=(11.5, 11.1, 10.0, 9.2, 9.4, 6.3), second=0.041,
        apart_m=(0.84, 1.20, 1.34), mixed=0.111,
    ),
    Desk(
        folder="40p", preset="Pandar40P", angles="Pandar40P.csv",
        noise_mm=(10.0, 8.6, 7.8, 7.7, 8.2, 6.0), second=0.042,
        apart_m=(0.81, 1.11, 1.27), mixed=0.077,
    ),
    Desk(
        folder="qt128", preset=None, angles="PandarQT128.csv",
        noise_mm=(), second=0.050, apart_m=(), mixed=0.057,
    ),
    Desk(
        folder="xt32", preset="XT32", angles="PandarXT32.csv",
        noise_mm=(8.7, 4.8, 3.8, 3.5, 3.1, 2.7), second=0.036,
        apart_m=(0.40, 0.74, 1.05), mixed=0.084,
    ),
    Desk(
        folder="xt16", preset="XT16", angles="PandarXT16.csv",
        noise_mm=(), second=0.050, apart_m=(), mixed=np.nan,
    ),
    Desk(
        folder="qt64", preset="QT64", angles="PandarQT64.csv",
        noise_mm=(), second=0.041, apart_m=(), mixed=0.218,
    ),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Figures of a sensor from scans at rest.

    Attributes
    ----------
    noise_mm : float64 (n_class,)
        Temporal standard deviation of the range by reflectivity, without the rounding of ranges.
    second, per_edge : float
        Number of second returns per firing that returns, and per edge of a ring.
    apart_m : float64 (4,)
        Separation of two returns of a firing: minimum, and percentiles 1, 5 and 50. [m]
    pairs_m : float64 (n,)
        All separations above 0.5 m, the first value of `STEPS_M`. [m]
    mixed : float
        Share of mixed pixels at range steps in a ring.
    steps, mixed_by_step : float64 (n_class,)
        For each class of `STEPS_M`: share of all steps, and share of mixed pixels at these steps.
    both_mm : float64 (n_class,)
        Width over which both surfaces of an upright edge return, by class of the nearer range.
    edges_per_ring : float
        Number of steps of more than 0.5 m in a ring, per turn.
    """

    noise_mm: np.ndarray
    second: float
    per_edge: float
    apart_m: np.ndarray
    pairs_m: np.ndarray
    mixed: float
    steps: np.ndarray
    mixed_by_step: np.ndarray
    both_mm: np.ndarray
    edges_per_ring: float


def figures(clouds, layout, step_m):
    """Return the figures of clouds with two returns; ``step_m`` is the resolution of ranges."""
    recording = record(clouds)
    noise = {each.name: each for each in find_noise(recording, step_m)}
    by_class = noise.get("temporal_sigma_by_reflectivity_m")
    echoes = {each.name: each for each in find_echoes(recording)}
    range_m = np.concatenate([range_image(cloud, layout).range_m for cloud in clouds])
    found = edges(range_m)
    n_second = sum(int((cloud.echo == 1).sum()) for cloud in clouds)
    steps, mixed_by_step = by_steps(range_m)
    return Figures(
        noise_mm=1e3 * by_class.values if isinstance(by_class, Series) else np.full(7, np.nan),
        second=echoes["second_return_share"].value,
        per_edge=n_second / found.n_edges,
        apart_m=echoes["echo_separation_m"].values,
        pairs_m=pairs_m(clouds),
        mixed=found.mixed,
        steps=steps,
        mixed_by_step=mixed_by_step,
        both_mm=both_mm(clouds, 360.0 / layout.n_column),
        edges_per_ring=found.n_edges / len(range_m),
    )


def pairs_m(clouds):
    """Return the separations of the two returns of firings, above 0.5 m, (n,). [m]"""
    found = []
    for cloud in clouds:
        firing = cloud.ring.astype(np.int64) * (int(cloud.column.max()) + 1) + cloud.column
        order = np.lexsort((cloud.range_m, firing))
        found.append(np.diff(cloud.range_m[order])[np.diff(firing[order]) == 0])
    apart_m = np.concatenate(found)
    return apart_m[apart_m > STEPS_M[0]]


def median_alike(real, sim):
    """Return a simulation's median separation, weighted to the recording's shares of steps. [m]"""
    of_class = np.digitize(sim.pairs_m, STEPS_M) - 1
    weight = (real.steps / np.maximum(sim.steps, 1e-9))[of_class]
    order = np.argsort(sim.pairs_m)
    up_to = np.cumsum(weight[order])
    return sim.pairs_m[order][np.searchsorted(up_to, 0.5 * up_to[-1])]


def by_steps(range_m):
    """Return for each class of `STEPS_M` its share of all steps, and its share of mixed pixels."""
    before, after = range_m[:, :-2], range_m[:, 2:]
    step_m = np.abs(after - before)
    shares, mixed = [], []
    for low, high in itertools.pairwise(STEPS_M):
        chosen = np.zeros(range_m.shape, bool)
        chosen[:, 1:-1] = (step_m > low) & (step_m <= high)
        found = edges(range_m, chosen)
        shares.append(found.n_steps)
        mixed.append(found.mixed)
    return np.array(shares) / max(sum(shares), 1), np.nan_to_num(mixed)


def both_mm(clouds, step_deg):
    """Return the mean width at edges in which both surfaces return, by class of `NEAR_M`. [mm]"""
    near_m, wide_mm = [], []
    for cloud in clouds:
        shape = int(cloud.ring.max()) + 1, int(cloud.column.max()) + 1
        first, several = np.full(shape, np.nan), np.zeros(shape, bool)
        rows = cloud.echo == 0
        first[cloud.ring[rows], cloud.column[rows]] = cloud.range_m[rows]
        several[cloud.ring[~rows], cloud.column[~rows]] = True
        for ring_m, two in zip(first, several, strict=True):
            for at in np.flatnonzero(np.abs(np.diff(ring_m)) >= FREE_M):
                n = beside(ring_m, two, at)
                if n is not None:
                    near_m.append(min(ring_m[at], ring_m[at + 1]))
                    wide_mm.append(1e3 * n * near_m[-1] * np.radians(step_deg))
    of_class = np.digitize(near_m, NEAR_M) - 1
    wide_mm = np.array(wide_mm)
    return np.array(
        [
            wide_mm[of_class == number].mean() if (of_class == number).sum() > 20 else np.nan
            for number in range(len(NEAR_M) - 1)
        ]
    )


def beside(ring_m, two, at):
    """Return the number of firings with two returns beside an edge; None if others are near it."""
    side = -1 if ring_m[at] < ring_m[at + 1] else 1
    place = at if side == -1 else at + 1
    near_m, far_m = ring_m[place], ring_m[place - side]
    n = 0
    while 0 <= place < len(ring_m) and two[place] and abs(ring_m[place] - near_m) < FAR_SMOOTH_M:
        n, place = n + 1, place + side
    behind = (at + 1 if side == -1 else at) - side * np.arange(3)
    ahead = place + side * np.arange(3)
    if min(*ahead, *behind) < 0 or max(*ahead, *behind) >= len(ring_m):
        return None
    smooth = (np.abs(ring_m[ahead] - near_m) < SMOOTH_M).all()
    return n if smooth and (np.abs(ring_m[behind] - far_m) < FAR_SMOOTH_M).all() else None


def recorded(folder, desk):
    """Return the figures of a recording; None if the folder does not have it."""
    bags = sorted(
        each.parent for each in folder.rglob("metadata.yaml") if desk.folder in each.parts
    )
    angles = sorted(folder.rglob(desk.angles))
    if not bags or not angles:
        return None
    clouds = read_clouds(bags[0], metadata=angles[0])
    layout = found_layout(clouds)
    if desk.preset is not None:
        layout = sensor_layout(Sensor(name="lidar", preset=desk.preset))
    return figures(clouds, layout, 0.002 if desk.folder == "vlp16" else 0.004)


def simulated(preset, boxes, n_scan=N_SCANS, **sensor):
    """Simulate a sensor among boxes; return its scans, with both returns of each beam."""
    keys = {"preset": preset, "fidelity": "physical", "returns": {"mode": "last_strongest"}}
    with tempfile.TemporaryDirectory() as name:
        config = write_scene(Path(name), boxes, {**keys, **sensor})
        return scanned(config, load_preset(preset), n_scan)


def lines(desk, real, sim):
    """Yield the lines of a table: figures of recording and simulation, and their differences."""
    yield f"{desk.preset or desk.folder:38s} {'earlier':>9s} {'recorded':>9s} {'simulated':>9s}"
    labels = ("0-1", "2-4", "5-9", "10-19", "20-39", "40-79", "80-")
    earlier = [*desk.noise_mm[:5], np.nan, *desk.noise_mm[5:]] if desk.noise_mm else [np.nan] * 7
    for number, label in enumerate(labels):
        row = earlier[number], real.noise_mm[number], sim and sim.noise_mm[number]
        known = earlier[number] if np.isfinite(earlier[number]) else real.noise_mm[number]
        told = sim and f"{row[2] / known - 1:+.0%}, limit {NOISE_SHARE:.0%}"
        yield line(f"noise, reflectivity {label} % [mm]", row, told)
    row = 100 * desk.second, 100 * real.second, sim and 100 * sim.second
    told = sim and f"factor {sim.second / real.second:.2f}, limit {SECOND_FACTOR}"
    yield line("second returns [%]", row, told)
    yield line("second returns per edge", (np.nan, real.per_edge, sim and sim.per_edge), "")
    earlier = [*(desk.apart_m or [np.nan] * 3), np.nan]
    for number, label in enumerate(("least", "1 %", "5 %", "50 %")):
        row = earlier[number], real.apart_m[number], sim and sim.apart_m[number]
        yield line(f"separation, {label} [m]", row, "")
    known, like = np.median(real.pairs_m), sim and median_alike(real, sim)
    told = sim and f"{like / known - 1:+.0%}, limit {MEDIAN_SHARE:.0%}"
    yield line("separation, 50 %, with the recording's steps", (np.nan, known, like), told)
    told = sim and f"{sim.mixed - real.mixed:+.3f}, limit {MIXED_APART}"
    yield line("mixed pixels", (desk.mixed, real.mixed, sim and sim.mixed), told)
    alike = sim and float((real.steps * sim.mixed_by_step).sum())
    told = sim and f"{alike - real.mixed:+.3f}, limit {MIXED_APART}"
    yield line("  with the recording's shares of steps", (np.nan, real.mixed, alike), told)
    for number, (low, high) in enumerate(itertools.pairwise(STEPS_M)):
        row = real.steps[number], real.mixed_by_step[number], sim and sim.mixed_by_step[number]
        yield line(f"  steps of {low:g} to {high:g} m: share | mixed", row, "")
    for number, (low, high) in enumerate(itertools.pairwise(NEAR_M)):
        row = np.nan, real.both_mm[number], sim and sim.both_mm[number]
        yield line(f"both sides return, {low:g} to {high:g} m [mm]", row, "")
    row = np.nan, real.edges_per_ring, sim and sim.edges_per_ring
    yield line("edges of a ring in a turn", row, "")


def elsewhere(desk, real, found):
    """Yield lines with the least and greatest differences from the recording over all places."""
    ratios = [each.second / real.second for each in found]
    apart = [each.mixed - real.mixed for each in found]
    alike = [float((real.steps * each.mixed_by_step).sum()) - real.mixed for each in found]
    medians = [median_alike(real, each) / np.median(real.pairs_m) - 1 for each in found]
    where = f"{desk.preset} at {len(found)} places: "
    yield f"{where}second returns, factor {min(ratios):.2f} to {max(ratios):.2f}"
    yield f"{where}mixed pixels {min(apart):+.3f} to {max(apart):+.3f}"
    yield f"{where}  with the recording's shares of steps {min(alike):+.3f} to {max(alike):+.3f}"
    yield f"{where}median separation, likewise, {min(medians):+.0%} to {max(medians):+.0%}"


def line(title, values, told):
    """Return a row of the table."""
    cells = " ".join(
        f"{'-' if value is None or not np.isfinite(value) else f'{value:.3g}':>9s}"
        for value in values
    )
    return f"{title:38s} {cells}  {told or ''}".rstrip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = os.environ.get("OSI_LIDAR_DATA")
    parser.add_argument("folder", type=Path, nargs="?", default=data and Path(data))
    parser.add_argument(
        "--sensor", help="measure only this sensor: vlp16, 64, 40p, qt128, xt32, xt16, qt64"
    )
    arguments = parser.parse_args()
    if arguments.folder is None or not arguments.folder.is_dir():
        sys.exit("expected the folder of the recordings, or OSI_LIDAR_DATA; see --help")
    n_found = 0
    for desk in DESKS:
        if arguments.sensor not in (None, desk.folder):
            continue
        real = recorded(arguments.folder, desk)
        if real is None:
            print(f"{desk.folder}: not found in {arguments.folder}\n")
            continue
        n_found += 1
        sim = None
        if desk.preset is not None:
            layout = sensor_layout(Sensor(name="lidar", preset=desk.preset))
            step_m = load_preset(desk.preset).range_resolution_m
            found = [
                figures(simulated(desk.preset, office(*place)), layout, step_m) for place in PLACES
            ]
            sim = found[0]
        print("\n".join(lines(desk, real, sim)))
        print("\n".join(elsewhere(desk, real, found)) if sim else "", end="\n\n")
    if not n_found:
        sys.exit(f"no recording with the angles of its lasers in {arguments.folder}")


if __name__ == "__main__":
    main()
