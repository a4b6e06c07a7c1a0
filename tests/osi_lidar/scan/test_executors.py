# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The fused and the staged executor give the same points, bit for bit, and records as declared."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lidar_base.columns import check_columns
from osi_bridge import FrameDecoder, open_trace
from osi_lidar import LidarModel, load_config
from osi_lidar.config.loading import revised_config
from osi_lidar.run.example_scene import street
from osi_lidar.scan.records import SURFACE
from raycore.records import NOTHING
from tests.builders.meshes import quad
from tests.builders.messages import Thing, frames, host
from tests.builders.staged import model_of, staged_model
from tests.builders.worlds import FAN, config, model_before

NOISE = {
    "range_sigma_m": 0.02,
    "sigma_per_range": 0.0005,
    "sigma_incidence_m": 0.01,
    "sigma_dark_m": 0.01,
    "range_bias_sigma_m": 0.01,
    "depth_offset_m": 0.02,
    "depth_scale": 0.001,
    "depth_table": [[0, 0.0, 0.0], [20, 0.01, 0.01], [50, -0.02, 0.0]],
    "reflectivity_table": [[0.01, 0.02], [0.1, 0.01], [0.8, 0.005]],
    "quantisation_m": 0.004,
    "drop_probability": 0.05,
    "azimuth_sigma_deg": 0.05,
    "elevation_sigma_deg": 0.05,
}
COLUMNS = ("points", "beam", "object_id", "true_range_m", "true_xyz_m")


def assert_same(fused, staged):
    """Hold two steps against each other, with all that their clouds say."""
    assert fused.sensor_data == staged.sensor_data
    for one, other in zip(fused.scans, staged.scans, strict=True):
        assert one.cloud.along_beams == other.cloud.along_beams
        for name in COLUMNS:
            left, right = getattr(one.cloud, name), getattr(other.cloud, name)
            assert (left is None) == (right is None), name
            if left is not None:
                assert left.dtype == right.dtype, name
                assert left.tobytes() == right.tobytes(), name


def street_config(**sensor):
    """Return the street's configuration with fewer columns and other keys of its sensor."""
    keys = {"columns": 512, **sensor}
    changes = {("sensors", 0, name): value for name, value in keys.items()}
    return revised_config(load_config(street().config), changes)


@pytest.mark.parametrize(
    "sensor",
    [
        {},
        {"rolling_shutter": False, "motion_blur": False},
        {"noise": NOISE},
        {"noise": {"depth_error_m": "0.1 * sin(d)", "depth_sigma_m": "where(d < 20, 0, 0.1)"}},
        {"noise": {**NOISE, "line_of_sight": "ray", "distribution": "laplace"}, "deskew": True},
        {"detection": {}, "backfolding": True},
    ],
    ids=["moving", "an instant", "noise", "formulas", "noise of the rays", "threshold and folding"],
)
def test_both_executors_give_the_same_points_on_the_street(sensor):
    a_config, scenario = street_config(**sensor), street()
    fused = LidarModel(a_config, trace_folder=scenario.trace.parent)
    staged = staged_model(a_config, trace_folder=scenario.trace.parent)
    decoder = FrameDecoder("SensorView")
    for index, raw in enumerate(open_trace(scenario.trace)):
        if index in {20, 21, 40}:
            frame = decoder.decode(raw.data, index)
            one = fused.step(frame)
            assert_same(one, staged.step(frame))
            assert len(one.scans[0].cloud.points) > 20_000


@pytest.mark.long
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), noisy=st.booleans())
def test_both_executors_give_the_same_points_in_random_worlds(seed, noisy):
    rng = np.random.default_rng(seed)
    worlds = [
        [
            host(rng.uniform(0, 3)),
            *(
                Thing(
                    10 + number if number else 2**40,
                    (*rng.uniform((4.0, -30.0), (60.0, 30.0)), rng.uniform(0, 2)),
                    dimension_m=tuple(rng.uniform(0.1, 8.0, 3)),
                    yaw_rad=rng.uniform(-3, 3),
                )
                for number in range(8)
            ),
        ]
        for _ in range(3)
    ]
    a_config = config()
    if noisy:
        a_config = revised_config(a_config, {("sensors", 0, "noise"): NOISE})
    fused, staged = LidarModel(a_config), staged_model(a_config)
    for frame in frames(worlds):
        assert_same(fused.step(frame), staged.step(frame))


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(turn_deg=st.floats(-70, 70), wall_m=st.floats(8, 60))
def test_both_executors_give_the_same_points_behind_glazing(tmp_path, turn_deg, wall_m):
    surfaces = [(quad(5.0, turn_deg), "Pane"), (quad(wall_m), "Wall")]
    (frame,) = frames([[]], host_id=None)
    fused = model_before(tmp_path, surfaces, **FAN)
    staged = staged_model(fused.config)
    assert_same(fused.step(frame), staged.step(frame))


@pytest.mark.parametrize("staged", [False, True])
def test_records_are_as_their_columns_declare(staged):
    scenario = street()
    model = model_of(street_config(), trace_folder=scenario.trace.parent, staged=staged)
    decoder = FrameDecoder("SensorView")
    model.step(decoder.decode(next(iter(open_trace(scenario.trace))).data, 0))
    (lidar,) = model.lidars
    scanned = model.last_scans[lidar.name].scanned
    returns = lidar.executor.returns_of(scanned.echoes)
    n_beam = check_columns(scanned.shots)["n_beam"]
    assert check_columns(scanned.paths.hits)["n_shot"] == n_beam == lidar.pattern.n_beams
    assert check_columns(scanned.paths)["n_share"] in {0, n_beam}
    assert check_columns(returns)["n_return"] == len(returns) > 0
    assert (np.diff(returns.beam.astype(np.int64)) > 0).all()
    assert (returns.kind == SURFACE).all()
    assert (returns.strength > 0).all()
    hits = scanned.paths.hits
    assert (hits.instance[returns.shot] != NOTHING).all()
    np.testing.assert_array_equal(returns.range_m, hits.range_m[returns.shot])
    edges = returns.first_of_block
    assert edges[0] == 0
    assert edges[-1] == len(returns)
    np.testing.assert_array_equal(returns.beam[edges[1:-1]] // 1024, np.arange(1, len(edges) - 1))


def test_both_executors_say_the_same_of_what_came_back():
    scenario = street()
    a_config = street_config()
    models = [
        model_of(a_config, trace_folder=scenario.trace.parent, staged=staged)
        for staged in (False, True)
    ]
    frame = FrameDecoder("SensorView").decode(next(iter(open_trace(scenario.trace))).data, 0)
    fused, staged = (
        model.lidars[0].executor.returns_of(model.last_scans["roof"].scanned.echoes)
        for model in models
        if model.step(frame)
    )
    for name in ("beam", "range_m", "shot", "kind", "first_of_block"):
        np.testing.assert_array_equal(getattr(fused, name), getattr(staged, name), name)
    np.testing.assert_array_equal(fused.strength, staged.strength.astype(np.float32))


def test_echoes_are_as_their_columns_declare():
    model = staged_model(config())
    (frame,) = frames([[host(), Thing(2, (20.0, 0.0, 0.75))]])
    cloud = model.step(frame).scans[0].cloud
    scanned = model.last_scans["front"].scanned
    (lidar,), returns = model.lidars, scanned.echoes
    echoes = lidar.receive(scanned.exposure, returns)
    assert check_columns(echoes)["n_echo"] == len(echoes) >= len(cloud.points) > 0
    assert (echoes.number == 0).all()
    assert (echoes.of == 1).all()
    np.testing.assert_array_equal(echoes.beam, returns.beam[echoes.row])
    np.testing.assert_array_equal(echoes.range_m, returns.range_m[echoes.row])


def test_a_physical_executor_keeps_nothing_from_scan_to_scan():
    """What one stage tells another is in the record that it hands on; buffers are kept."""
    chosen = load_config(
        street().config,
        fidelity="physical",
        changes={
            ("weather",): {"rain_mm_h": 20, "fog": {"visibility_m": 60}, "road_water_mm": 1},
            ("sensors", 0, "columns"): 512,
            ("sensors", 0, "receiver", "stray_light"): {"share": 1e-3, "width_deg": 0.5},
        },
    )
    model, decoder = LidarModel(chosen), FrameDecoder("SensorView")
    executor = model.lidars[0].executor
    parts = [executor, executor._receiver]
    before = [dict(vars(part)) for part in parts]
    for index, raw in enumerate(open_trace(street().trace)):
        if index in {20, 21}:
            model.step(decoder.decode(raw.data, index))
    for part, kept in zip(parts, before, strict=True):
        assert all(value is kept[name] for name, value in vars(part).items())
