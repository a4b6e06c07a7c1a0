# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The echoes of 16 sub-rays beside those of 512 and a sampled waveform, in the demo's street."""

import json
from itertools import islice

import numpy as np
import pytest

from osi_bridge import FrameDecoder, open_trace
from osi_lidar import LidarModel, load_config
from osi_lidar.config.loading import revised_config
from osi_lidar.run.example_scene import street
from raycore.records import NOTHING, Shots
from raycore.trace.embree_tracer import EmbreeTracer
from tests.builders.beams import SIGMA_R_M

N_BEAMS, N_RAYS, MESSAGE = 3000, 512, 12
SIGMA_RAD = np.radians(0.18) / 2.3548
STEP_M = SIGMA_R_M / 16.0
SEED = 7


def one_material(folder):
    """Write a mapping by which all surfaces reflect 30 % at every angle."""
    define = {"third": {"reflectance": [[0, 0.3], [90, 0.3]], "wavelength_nm": 905}}
    path = folder / "mapping.yaml"
    path.write_text(json.dumps({"define": define, "materials": {"*": "third"}}))
    return path


def scanned_street(limit, *, refine, mapping=None):
    """Return a model after a message of the demo, with all echoes and without noise."""
    one = {
        "rolling_shutter": False,
        "motion_blur": False,
        "beam": {"divergence_deg": 0.18, "refine": refine},
        "returns": {"mode": "all", "max": 8},
        "receiver": {"amplitude_noise": False, "near_range_m": 0.0},
        "range_limit": {"equation": {"pairs": [[10, limit]]}},
        "max_range_m": 400.0,
    }
    base = load_config(street().config)
    changes = {("sensors", 0, name): value for name, value in one.items()}
    if mapping is not None:
        changes[("materials", "mapping")] = str(mapping)
    config = revised_config(base, changes)
    model = LidarModel(config, trace_folder=street().trace.parent)
    decoder = FrameDecoder("SensorView")
    messages = list(islice(open_trace(street().trace), MESSAGE + 1))
    for index in (0, MESSAGE):  # an instant does not depend on those between
        step = model.step(decoder.decode(messages[index].data, index))
    return model, step.scans[0].cloud


def bare_hits(model, beams):
    """Return range, reflectivity and instance of many random rays of some beams, (n, n_ray)."""
    lidar = model.lidars[0]
    axis = lidar.pattern.direction[beams].astype(np.float64)
    left = np.stack([-axis[:, 1], axis[:, 0], np.zeros(N_BEAMS)], axis=1)
    left /= np.linalg.norm(left, axis=1, keepdims=True)
    up = np.cross(axis, left)
    random = np.random.default_rng(5)
    across = SIGMA_RAD * random.normal(size=(2, N_BEAMS, N_RAYS))
    rays = axis[:, None] + across[0][..., None] * left[:, None] + across[1][..., None] * up[:, None]
    rays /= np.linalg.norm(rays, axis=2, keepdims=True)
    zero = np.zeros(1, np.float32)
    shots = Shots(
        origin_m=np.zeros((1, 3), np.float32),
        direction=np.ascontiguousarray(rays.reshape(-1, 3).T.astype(np.float32)),
        time=zero,
        start_m=zero,
        moment=np.zeros(1, np.uint32),
        weight=np.ones(1, np.float32),
        max_range_m=lidar.max_range_m,
        coherent=True,
    )
    hits = EmbreeTracer().trace(model.world.scene, shots, model.last_scans[lidar.name].end_pose)
    surfaces, table = model.world.surfaces, model.world.materials.table(lidar.wavelength_nm)
    met = hits.instance != NOTHING
    row = surfaces.first_row_of_instance[np.where(met, hits.instance, 0)]
    row = row + np.where(met, hits.primitive, 0)
    reflectivity = table.reflectivity(surfaces.material_of_row[row], hits.cos_incidence)
    shape = (N_BEAMS, N_RAYS)
    back = np.where(met, reflectivity, 0.0) / N_RAYS
    return hits.range_m.reshape(shape), back.reshape(shape), hits.instance.reshape(shape)


def echoes_of(range_m, back, instance, limit):
    """Return place, height over the limit, and instance of the maxima of a sampled waveform."""
    seen = back > 0.0
    if not seen.any():
        return []
    range_m, back, instance = range_m[seen], back[seen], instance[seen]
    signal = back / (0.1 * (range_m / limit) ** 2)
    grid = np.arange(range_m.min() - SIGMA_R_M, range_m.max() + SIGMA_R_M, STEP_M)
    near = np.searchsorted(np.sort(range_m), grid)
    sorted_m, by = np.sort(range_m), np.argsort(range_m)
    nearest = np.minimum(
        np.abs(grid - sorted_m[np.clip(near, 0, len(by) - 1)]),
        np.abs(grid - sorted_m[np.clip(near - 1, 0, len(by) - 1)]),
    )
    grid = grid[nearest < 2.0 * SIGMA_R_M]
    off = (grid[:, None] - range_m[None]) / SIGMA_R_M
    wave = (signal * np.exp(-0.5 * off * off)).sum(axis=1)
    top = np.flatnonzero((wave[1:-1] > wave[:-2]) & (wave[1:-1] >= wave[2:])) + 1
    found = []
    for each in top[wave[top] >= 1.0]:
        close = np.abs(range_m - grid[each]) < 1.5 * SIGMA_R_M
        strongest = np.bincount(instance[close], signal[close]).argmax()
        found.append((grid[each], wave[each], strongest))
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    ("limit", "refine", "is_plain", "same_number"),
    [
        (40, False, True, 0.99),
        pytest.param(40, False, False, 0.985, marks=pytest.mark.slow),
        pytest.param(200, False, True, 0.97, marks=pytest.mark.slow),
        pytest.param(200, True, True, 0.98, marks=pytest.mark.slow),
        (200, True, False, 0.98),
    ],
)
def test_sixteen_sub_rays_find_the_echoes_of_many(tmp_path, limit, refine, is_plain, same_number):
    """What 16 sub-rays miss are small parts of a beam, and echoes near the limit.

    Of 512 other random rays, 1 % of the beams of a limit of 200 m have another number of echoes.
    """
    mapping = one_material(tmp_path) if is_plain else None
    model, cloud = scanned_street(limit, refine=refine, mapping=mapping)
    assert len(model.lidars[0].pattern.origin_m) == 1
    n_beams = model.lidars[0].pattern.n_beams
    beams = np.sort(np.random.default_rng(SEED).choice(n_beams, N_BEAMS, replace=False))
    truth = [echoes_of(*beam, limit) for beam in zip(*bare_hits(model, beams), strict=True)]
    number = np.bincount(cloud.beam, minlength=n_beams)[beams]
    expected = np.array([len(each) for each in truth])
    assert (number == expected).mean() >= same_number
    off_m, same = [], []
    for beam in np.flatnonzero((number > 0) & (expected > 0)):
        rows = np.flatnonzero(cloud.beam == beams[beam])
        strongest = rows[cloud.points["snr"][rows].argmax()]
        place_m, _, _ = max(truth[beam], key=lambda one: one[1])
        off_m.append(cloud.points["range"][strongest] - place_m)
        same.append(abs(off_m[-1]) < SIGMA_R_M)
    assert np.mean(same) >= 0.995
    off_m = np.array(off_m)[np.array(same)]
    assert abs(np.median(off_m)) < 2e-3
    assert off_m.std() < 0.015
