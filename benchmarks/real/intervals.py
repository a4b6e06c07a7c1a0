# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Null test of calibrations: how often the interval of a figure holds the truth.

    python benchmarks/real/intervals.py [--seeds 100] [--scans 4]

A simulated unit of 16 lasers with known errors scans a room from one place; each seed draws all
errors anew. Intervals of 95 % should contain the truth in 90 to 98 of 100 recordings. A figure of
each laser counts in a recording by the share of lasers whose interval contains the truth.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

from lidar_base.tables import table
from lidar_gap.calibrate import Figure, Series, calibrate

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.builders.recordings import N_LASER, lasers, recorded, room_model

NOISE = {
    "range_sigma_m": 0.0065,
    "sigma_dark_m": 0.006,
    "range_bias_sigma_m": 0.02,
    "quantisation_m": 0.002,
    "drop_probability": 0.005,
}
OF_LASERS = {
    "elevation_deg": "vert_correction",
    "azimuth_offset_deg": "rot_correction",
    "up_m": "vert_offset_correction",
    "left_m": "horiz_offset_correction",
}


def truths(clouds, own):
    """Return the true values of figures, by name: a number, or an array with a value per laser."""
    found = {name: NOISE[name] for name in ("range_sigma_m", "sigma_dark_m", "drop_probability")}
    n_scan = len(clouds)
    found["flicker_share"] = 1.0 - (1.0 - NOISE["drop_probability"]) ** n_scan
    for name, key in OF_LASERS.items():
        values = np.array([laser[key] for laser in lasers()])
        found[name] = np.degrees(values) if name.endswith("_deg") else values
    error_m = np.concatenate([each.points["range"] - each.true_range_m for each in own])
    ring = np.concatenate([each.ring for each in clouds])
    bias_m = np.array([error_m[ring == number].mean() for number in range(N_LASER)])
    found["laser_bias_m"] = bias_m - bias_m.mean()
    return found


def held(finding, truth):
    """Return the share of a finding's intervals that contain the truth; None without intervals."""
    if isinstance(finding, Figure):
        return float(finding.low <= truth <= finding.high)
    if isinstance(finding, Series):
        known = np.isfinite(finding.values)
        return float(np.mean(((finding.low <= truth) & (truth <= finding.high))[known]))
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--scans", type=int, default=4)
    arguments = parser.parse_args()
    shares = {}
    for seed in range(arguments.seeds):
        with tempfile.TemporaryDirectory() as folder:
            model = room_model(Path(folder), noise=NOISE, seed=seed)
            clouds, own = recorded(model, arguments.scans)
        findings = calibrate(clouds).findings
        for name, truth in truths(clouds, own).items():
            share = held(findings.get(name), truth)
            if share is not None:
                shares.setdefault(name, []).append(share)
    rows = [(name, f"{100 * np.mean(each):.0f} %", len(each)) for name, each in shares.items()]
    print("\n".join(table("", ("Figure", "Truth inside", "Recordings"), rows).markdown()))


if __name__ == "__main__":
    main()
