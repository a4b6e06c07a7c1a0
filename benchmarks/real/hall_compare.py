# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The hall of hall.py, recorded and simulated: which beams return, at which range, how strong.

python benchmarks/real/hall_compare.py DATA OUT [--tuning]     # after: hall.py DATA OUT twin

Frames 0 to 11 are reported, 12 to 21 were used for tuning. The sensor stands still in all of them.
"""

import argparse
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import yaml
from at_twin import at_twin
from hall import NEAR_FIELD, NULL, WHITE, cloud
from holes import again, clumps
from scipy.ndimage import uniform_filter
from strength import NEAR_M, compared, fixed_share
from unit import LASERS, write_lasers

from lidar_gap.layout import Layout, sensor_layout
from lidar_gap.metrics.edges import beside_edges
from lidar_gap.metrics.masks import agreement, flicker
from lidar_gap.metrics.planes import plane_thickness
from lidar_gap.metrics.probability import return_probability
from lidar_gap.metrics.ranges import gap_budget, range_errors
from lidar_gap.reading import read_clouds
from lidar_gap.records import ScanCloud
from lidar_gap.rings import range_image
from lidar_gap.twin.null_test import AGAIN, FIRST, simulated
from osi_lidar.config import Config, load_config
from osi_lidar.run.pose_files import read_poses

PHOTONS = np.array([1, 2, 3, 4, 5, 6, 7, 8, 10, 16, 18, 30, 50, np.inf])
BRIGHT = 30.0  # photons that return for sure unless somebody stands in the way
PHOTONS_OF_SCATTER = ((3.0, 20.0), (20.0, np.inf))
WINDOW = (7, 41)  # rings and columns in which the operator is looked for
HIDDEN = 0.6  # least share of bright beams that return where nobody stands
FLOOR_M = (-1.2, 0.06)  # height below the sensor's lowest, and thickness, of floor points
SENSOR = """
sensors:
- {{name: lidar, preset: OS0-64, columns: 2048, rotation_rate_hz: 10, max_range_m: 60, {keys}}}
scene: {{environment: [{{mesh: hall_twin.glb, up: z, forward: x}}]}}
materials: {{{materials}}}
"""
PLAIN = "fidelity: physical, texture: false"  # without what the twin says it does not know
UNIT = "calibration: os0_64.json, "
BY_MAP, CONCRETE = "mapping: hall_twin.materials.yaml", "default: concrete"
NAMES_FILE = "hall_names.materials.yaml"
BY_NAME = f"mapping: {NAMES_FILE}"
NAMES = {0.045: "rubber_tyre", 0.195: "asphalt_worn", 0.5: "concrete", np.inf: "plaster"}
"""Built-in materials for the classes of the twin, by their greatest reflectivity."""
KINDS = {
    "without noise": (f"{PLAIN}, receiver: {{amplitude_noise: false}}", BY_MAP),
    "without noise and laser biases": (
        f"{PLAIN}, receiver: {{amplitude_noise: false}}, noise: {{range_bias_sigma_m: 0}}",
        BY_MAP,
    ),
    "with noise": (PLAIN, BY_MAP),
    "with noise, other draws": (PLAIN, BY_MAP),
    "with noise and texture": ("fidelity: physical", BY_MAP),
    "with noise, four built-in names": ("fidelity: physical", BY_NAME),
    "with noise, all concrete": ("fidelity: physical", CONCRETE),
    "the same, without texture": ("fidelity: physical, texture: false", CONCRETE),
    "ideal, all returns": ("range_limit: null", BY_MAP),
    "ideal, all concrete": ("range_limit: null", CONCRETE),
    "ideal, angles by calibrate": (f"range_limit: null, calibration: {LASERS}", BY_MAP),
    "ideal, angles of the preset": ("range_limit: null, calibration: null", BY_MAP),
}
TO_CALIBRATE = range(12, 17)


def config(out: Path, kind: str) -> Config:
    """Return the configuration of a kind of sensor (see `KINDS`) in the twin."""
    keys, materials = KINDS[kind]
    keys = keys if "calibration" in keys else UNIT + keys
    keys = f"laser_gains: {laser_gains(out).tolist()}, {keys}"
    path = out / "hall_compare.yaml"
    seed = 2 if kind.endswith("other draws") else 1
    text = SENSOR.format(keys=keys, materials=materials)
    path.write_text(f"version: 1\nseed: {seed}\n{text}")
    return load_config(path)


def laser_gains(out: Path) -> np.ndarray:
    """Return the signal of each laser over the mean signal of all, as estimated for the twin."""
    twin = yaml.safe_load((out / "hall_twin.yaml").read_text())
    return np.array(twin["sensors"][0]["laser_gains"])


def write_names(out: Path) -> None:
    """Write a mapping table that reduces the twin's reflectivities to four built-in materials."""
    twin = yaml.safe_load((out / "hall_twin.materials.yaml").read_text())
    value = {name: 1e-4 * float(name.rpartition("_")[2]) for name in twin["materials"]}
    named = {
        name: next(material for most, material in NAMES.items() if albedo <= most)
        for name, albedo in value.items()
    }
    (out / NAMES_FILE).write_text(yaml.safe_dump({"materials": named}))


def images(
    out: Path, kind: str, poses: np.ndarray, layout: Layout
) -> tuple[np.ndarray, np.ndarray]:
    """Simulate a kind of sensor; return ranges [m] and photons, each (n_frame, 64, 2048)."""
    scanned = config(out, kind)
    clouds = [found.from_origin() for found, _ in simulated(scanned, poses)]
    return photons(clouds, layout, 1.0 if scanned.sensors[0].is_physical else laser_gains(out))


def photons(
    clouds: list[ScanCloud], layout: Layout, gain: np.ndarray | float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return range [m] and photons of each pixel of simulated clouds.

    Photons are from the simulated reflectivity and the range. ``gain`` is the signal of each laser,
    for clouds whose reflectivities do not include it.
    """
    ranges, signals = [], []
    for each in clouds:
        image = range_image(each, layout)
        range_m, seen = image.range_m, image.returned
        signal = np.zeros(range_m.shape)
        near = np.interp(range_m[seen], *np.array(NEAR_FIELD).T)
        signal[seen] = WHITE * each.intensity[image.point[seen]] * near / range_m[seen] ** 2
        ranges.append(range_m)
        signals.append(signal * np.reshape(gain, (-1, 1)))
    return np.stack(ranges), np.stack(signals)


def recorded(data: Path, frames: range, layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """Return range [m] and photons of each pixel of recorded frames."""
    ranges, signals = [], []
    for each in (cloud(data, frame) for frame in frames):
        image = range_image(each, layout)
        signal = np.zeros(image.range_m.shape)
        signal[image.returned] = each.signal[image.point[image.returned]]
        ranges.append(image.range_m)
        signals.append(signal)
    return np.stack(ranges), np.stack(signals)


def not_hidden(real: np.ndarray, signal: np.ndarray) -> np.ndarray:
    """Return a mask of pixels around which bright surfaces return: no person hides them."""
    bright = (signal.mean(axis=0) > BRIGHT).astype(float)
    seen = uniform_filter(real.mean(axis=0) * bright, WINDOW, mode=("nearest", "wrap"))
    all_of_them = uniform_filter(bright, WINDOW, mode=("nearest", "wrap"))
    share = np.where(all_of_them > 0.02, seen / np.maximum(all_of_them, 1e-9), np.nan)
    share = np.where(np.isfinite(share), share, np.nanmedian(share, axis=0))
    return share > HIDDEN


def line(title: str, real_m: np.ndarray, sim_m: np.ndarray, kept: np.ndarray) -> str:
    """Return a row of the table: ratio of points, IoU of returns, and range errors."""
    both = [np.where(kept, each, np.nan) for each in (real_m, sim_m)]
    mask = agreement(*(np.isfinite(each[:, kept]) for each in (real_m, sim_m)))
    errors = range_errors(*both)
    return (
        f"{title:32} S/R {mask.n_sim / mask.n_real:.3f}  IoU {mask.iou:.3f}  median "
        f"{1e3 * errors.median_m:.1f} mm  MAE {1e3 * errors.mae_m:.0f} mm"
    )


def at_edges(
    title: str, images_m: tuple[np.ndarray, ...], edge: np.ndarray, kept: np.ndarray
) -> str:
    """Return a row of the table: agreement of two image sets beside edges, and elsewhere."""
    text = []
    for chosen in (edge & kept, ~edge & kept):
        budget = gap_budget(*(each[chosen] for each in images_m))
        both = 1.0 - budget.sim_only - budget.real_only
        far = sum(budget.apart[1:]) / both
        text.append(f"IoU {both:.3f}, {100 * far:.0f} % of the ranges more than 5 cm apart")
    share = (edge & kept).sum() / (len(edge) * kept.sum())
    return f"{title:32} beside edges ({100 * share:.1f} %): {text[0]}; elsewhere {text[1]}"


def curve(image_m: np.ndarray, signal: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Return the share of pixels that return, by class of predicted photons (`PHOTONS`)."""
    returned = [np.isfinite(each[kept]) for each in image_m]
    return return_probability(returned, [each[kept] for each in signal], PHOTONS).probability


def floor(images_m: np.ndarray, layout: Layout, kept: np.ndarray) -> str:
    """Return the thickness of floor points, as text: in all, within rings, between rings. [mm]"""
    elevation = np.radians(layout.elevation_deg)[:, None]
    azimuth = np.radians(layout.first_azimuth_deg + layout.step_deg * np.arange(layout.n_column))[
        None
    ]
    found = []
    for range_m in images_m:
        flat = range_m * np.cos(elevation)
        up = range_m * np.sin(elevation)
        low = np.nanpercentile(np.where(kept, up, np.nan), 2)
        chosen = kept & (np.abs(up - low) < 0.25) & (range_m < 6.0)
        where = np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), up], axis=-1)
        ring = np.broadcast_to(np.arange(len(elevation))[:, None], range_m.shape)
        thick = plane_thickness(
            points_m=where[chosen],
            range_m=range_m[chosen],
            azimuth_rad=np.broadcast_to(azimuth, range_m.shape)[chosen],
            ring=ring[chosen].astype(np.int32),
        )
        found.append((thick.sigma_m, thick.within_rings_m, thick.between_rings_m))
    return " / ".join(f"{1e3 * value:.1f}" for value in np.mean(found, axis=0)) + " mm"


def strengths(
    title: str, ours: tuple[np.ndarray, ...], others: tuple[np.ndarray, ...], kept: np.ndarray
) -> None:
    """Print how photons agree in two image sets, in pixels that show the same place."""
    (range_m, signal), (other_m, other) = ours, others
    same = kept & (np.abs(range_m - other_m) < NEAR_M)
    print(f"{title:32} photons: {compared(signal, other, same, logarithms=True)}")


def fixed(
    title: str, seen: tuple[np.ndarray, ...], ideal: tuple[np.ndarray, ...], kept: np.ndarray
) -> None:
    """Print the scatter of photons around the twin's, and the share that all scans have alike."""
    (range_m, signal), (ideal_m, expected) = seen, ideal
    same = kept & (np.abs(range_m - ideal_m) < NEAR_M)
    for low, high in PHOTONS_OF_SCATTER:
        chosen = same & (expected > low) & (expected < high)
        variance, share = fixed_share(signal, expected, chosen)
        print(
            f"{title}: scatter of ln photons at {low:g} to {high:g}: variance {variance:.3f}, "
            f"{share:.2f} of it fixed"
        )


def null(out: Path, layout: Layout, edge: np.ndarray, kept: np.ndarray) -> None:
    """Print the error of rebuilding the mesh alone, if hall.py has run the null test."""
    if len(edge) != len(list((out / NULL / FIRST).glob("*.pcd"))):
        print("null test: not made for these frames")
        return
    clouds = [read_clouds(out / NULL / name) for name in (FIRST, AGAIN)]
    first, again = (
        np.stack([range_image(each.from_origin(), layout).range_m for each in side])
        for side in clouds
    )
    print(line("null test", first, again, kept))
    print(at_edges("null test", (first, again), edge, kept))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--tuning", action="store_true", help="compare frames 12 to 21 instead of frames 0 to 11"
    )
    given = parser.parse_args()
    frames = range(12, 22) if given.tuning else range(12)
    write_lasers([cloud(given.data, frame) for frame in TO_CALIBRATE], "OS0-64", given.out)
    write_names(given.out)
    layout = sensor_layout(config(given.out, "ideal, all returns").sensors[0])
    real = real_m, real_signal = recorded(given.data, frames, layout)

    def ideal(poses: np.ndarray) -> list[ScanCloud]:
        unit = config(given.out, "ideal, all returns")
        return [found.from_origin() for found, _ in simulated(unit, poses)]

    poses = read_poses(given.out / "hall_twin.poses.csv").world_from_sensor[list(frames)]
    poses = at_twin(real_m, poses, ideal, layout)
    twin = ideal_m, signal = photons(ideal(poses), layout, laser_gains(given.out))
    kept = not_hidden(np.isfinite(real_m), signal) & np.isfinite(ideal_m).all(axis=0)
    print(f"{len(frames)} frames, {kept.sum()} pixels that the operator does not hide")
    edge = np.stack([beside_edges(each) for each in ideal_m])
    print(line("real, next frame", real_m[:-1], real_m[1:], kept))
    print(at_edges("real, next frame", (real_m[:-1], real_m[1:]), edge[1:], kept))
    null(given.out, layout, edge, kept)
    strengths(
        "real, next frame", (real_m[:-1], real_signal[:-1]), (real_m[1:], real_signal[1:]), kept
    )
    simulations = {}
    for kind in KINDS:
        simulations[kind] = images(given.out, kind, poses, layout)
        print(line(kind, real_m, simulations[kind][0], kept))
        print(at_edges(kind, (real_m, simulations[kind][0]), edge, kept))
        strengths(kind, real, simulations[kind], kept)
    model = first, _ = simulations["with noise"]
    second, _ = simulations["with noise, other draws"]
    print(line("two draws of the model", first, second, kept))
    print(at_edges("two draws of the model", (first, second), edge, kept))
    without_map = simulations["with noise, all concrete"]
    fixed("all concrete", without_map, simulations["ideal, all concrete"], kept)
    fixed("four names", simulations["with noise, four built-in names"], twin, kept)
    textured = simulations["with noise and texture"]
    shares = []
    for name, each in (("real", real), ("model", model), ("with texture", textured)):
        shown_m, shown = each
        returned = np.isfinite(shown_m)
        print(line(f"{name}, next frame", shown_m[:-1], shown_m[1:], kept))
        of_pixels = flicker(returned[:, kept])
        print(f"{name}: never {of_pixels.never:.3f}, sometimes {of_pixels.sometimes:.3f}")
        print(f"{name}: floor {floor(shown_m, layout, kept)} (all, within rings, between rings)")
        fixed(name, each, twin, kept)
        print(f"{name}: clumps {numbers(clumps(returned, signal, kept))}")
        print(f"{name}: there again {numbers(again(returned, shown, kept))}")
        shares.append(curve(shown_m, signal, kept))
    for low, high, *of_bin in zip(PHOTONS[:-1], PHOTONS[1:], *shares, strict=True):
        print(f"photons {low:g} to {high:g}: return real, model, with texture {numbers(of_bin)}")


def numbers(values: Iterable[float]) -> str:
    """Return shares as text."""
    return " ".join(f"{value:.3f}" for value in values)


if __name__ == "__main__":
    main()
