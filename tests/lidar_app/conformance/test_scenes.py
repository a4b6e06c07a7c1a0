# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Our own model on the bench, and the closed forms themselves."""

import math

import numpy as np
import pytest
import yaml

from lidar_app.conformance.asking import Track
from lidar_app.conformance.bench import Verdict, chosen, judge_scene
from lidar_app.conformance.boxes import BoxAtTimes, first_hits
from lidar_app.conformance.oracle import expected
from lidar_app.conformance.scenes import SCENES
from lidar_app.conformance.scenes.shapes import CAP_RAD, ball, pillars
from lidar_app.conformance.sheet import DataSheet, SheetMounting, read_sheet
from lidar_app.conformance.stage import Stage
from lidar_app.conformance.subjects.own_model import ModelSubject
from osi_bridge import NO_OBJECT
from osi_lidar.config import Config, load_config
from osi_lidar.errors import ConfigurationError, InputError
from tests.lidar_app.conformance.recorded import CONFIG, SHEET, Recorded, exact


def box(centre_m=(10.0, 0.0, 0.0), size_m=(2.0, 2.0, 2.0), yaw_rad=0.0):
    return BoxAtTimes(
        object_id=5,
        dimension_m=size_m,
        centre_m=np.array([centre_m]),
        orientation_rad=np.array([(0.0, 0.0, yaw_rad)]),
        velocity_m_s=np.zeros(3),
    )


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_our_model_passes_to_ten_micrometres_and_in_every_beam(scene, replied, sheet):
    result = judge_scene(Recorded(replied), exact(sheet, scene.name), scene)
    claimed = all(sheet.claims(each) for each in scene.needs)
    told = Verdict.PASSED if claimed else Verdict.NOT_APPLICABLE
    assert result.verdict is told, (result.note, result.findings)


@pytest.mark.parametrize(
    "turned",
    [{"pitch_deg": 90.0}, {"roll_deg": -70.0, "pitch_deg": 25.0, "yaw_deg": 160.0}],
    ids=["down", "askew"],
)
def test_any_mounting_is_as_exact(turned, sheet, files):
    """A VLP-16 that looks straight down, and one that hangs askew."""
    place = {"x_m": -0.4, "y_m": 0.3, "z_m": 1.9, **turned}
    content = yaml.safe_load((files / "lidar.yaml").read_text())
    content["sensors"][0]["mounting"] = place
    subject = ModelSubject(Config.model_validate(content))
    mounted = sheet.model_copy(update={"mounting": SheetMounting(**place)})
    for scene in chosen(["mounting", "host_attitude", "empty_world"]):
        result = judge_scene(subject, exact(mounted, scene.name), scene)
        assert result.verdict is Verdict.PASSED, (scene.name, result.note, result.findings)


PHYSICAL = {
    "fidelity": "physical",
    "noise": None,
    "beam": None,
    "columns": 300,
    "receiver": {"walk_residual": 0.0},  # a VLP-16's ranges depend on the signal
}


def test_fog_and_rain_of_messages_weaken_echoes(sheet, files):
    content = yaml.safe_load((files / "lidar.yaml").read_text())
    content["sensors"][0] |= PHYSICAL
    subject = ModelSubject(Config.model_validate(content))
    sheet = sheet.model_copy(update={"beams": None, "not_claimed": ()})
    for scene in chosen(["fog", "rain"]):
        result = judge_scene(subject, sheet, scene)
        assert result.verdict is Verdict.PASSED, (scene.name, result.note, result.findings)


def test_a_ray_meets_the_front_of_a_box_and_its_angle_counts():
    direction = np.array([(1.0, 0.0, 0.0), (0.8, 0.0, 0.6), (-1.0, 0.0, 0.0)])
    met = first_hits([box()], np.zeros((3, 3)), direction, None)
    np.testing.assert_allclose(met.range_m, [9.0, np.inf, np.inf])
    assert met.cos_incidence[0] == 1.0
    assert met.object_id.tolist() == [5, NO_OBJECT, NO_OBJECT]


def test_a_turned_box_is_nearer_by_its_corner():
    met = first_hits(
        [box(yaw_rad=math.pi / 4.0)], np.zeros((1, 3)), np.array([(1.0, 0.0, 0.0)]), None
    )
    np.testing.assert_allclose(met.range_m, 10.0 - math.sqrt(2.0))


def test_the_ground_is_met_below_the_horizon_only():
    direction = np.array([(0.8, 0.0, -0.6), (0.8, 0.0, 0.6)])
    met = first_hits([], np.array([(0.0, 0.0, 3.0)] * 2), direction, 0.0)
    np.testing.assert_allclose(met.range_m, [5.0, np.inf])


def test_a_wall_is_met_at_its_distance_whatever_the_mounting_is(sheet):
    stage = Stage(sheet)
    track = Track(stage.still(stage.wall(0, 10.0)))
    level = np.array([0.0]), -np.array([math.radians(sheet.mounting.pitch_deg)]) * -1.0
    told = expected(sheet, track, *level)
    np.testing.assert_allclose(told.hits[0].range_m, 10.0, rtol=1e-3)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("ground: true", "grund: true"), "grund: unknown key, did you mean 'ground'?"),
        (("range_m: [0.5, 100]", "range_m: [100, 1]"), "range_m: got 100 to 1, expected the lower"),
        (("[weather]", "[wether]"), "not_claimed[0]: "),
        (("azimuth_offset_deg: [", "azimuth_offset_deg: [0, "), "got 17 offsets, expected 16, one"),
        (("ground: true", "margins: {range_m: 0.06}"), "margins.range_m: must be less than"),
        (("name: VLP-16 of osi-lidar\n", ""), "name: is missing"),
        (
            ("reflectivity: 0.349", "reflectivity: 34.9"),
            "targets[0].reflectivity: must be less than",
        ),
        (("range_m: 70", "range_m: 101"), "targets[0].range_m: got 101, expected at most range_m"),
    ],
)
def test_a_wrong_sheet_is_one_line(change, problem, tmp_path):
    file = tmp_path / "sheet.yaml"
    file.write_text(SHEET.replace(*change))
    with pytest.raises(ConfigurationError) as told:
        read_sheet(file)
    assert problem in str(told.value)
    assert "\n" not in str(told.value)


def test_a_scene_that_is_not_there_is_told():
    with pytest.raises(InputError, match="--only: got 'wal', expected wall"):
        chosen(["wal"])


def test_the_boxes_of_the_sphere_fill_the_inner_one_and_stay_within_the_outer_one(sheet):
    stage = Stage(sheet)
    centre, radius_m = ball(stage)
    assert all(
        0.5 * np.linalg.norm(each.dimension_m) == pytest.approx(radius_m) for each in pillars(stage)
    )
    direction = np.random.default_rng(1).normal(size=(20_000, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    boxes = Track(stage.still(*pillars(stage))).boxes(np.zeros(1))
    met = first_hits(boxes, centre + 5.0 * radius_m * direction, -direction, None)
    out_m = 5.0 * radius_m - met.range_m
    assert out_m.min() >= radius_m * math.cos(CAP_RAD) - 1e-9
    assert out_m.max() <= radius_m + 1e-9


def test_a_sensor_of_two_echoes_sees_a_fence_and_the_wall_behind_it(tmp_path):
    content = yaml.safe_load(CONFIG)
    beam = {"divergence_deg": 0.2, "width": "fwhm"}
    content["sensors"][0] |= {"columns": 900, "beam": beam, "returns": {"mode": "last_strongest"}}
    (tmp_path / "lidar.yaml").write_text(yaml.safe_dump(content))
    told = yaml.safe_load(SHEET) | {"echoes": 2}
    told["errors"] = {"divergence_deg": 0.2, "range_trueness_m": 0.05}
    subject = ModelSubject(load_config(tmp_path / "lidar.yaml"))
    result = judge_scene(subject, DataSheet.model_validate(told), *chosen(["two_in_a_beam"]))
    assert [each.check for each in result.findings] == ["range", "echoes", "both"]
    assert result.verdict is Verdict.PASSED, result.findings


def test_a_sensor_that_sees_no_second_echo_fails_if_it_claims_one(replied, sheet):
    two = sheet.model_copy(update={"echoes": 2})
    two = two.model_copy(update={"errors": two.errors.model_copy(update={"divergence_deg": 0.2})})
    result = judge_scene(Recorded(replied), two, *chosen(["two_in_a_beam"]))
    assert [each.check for each in result.findings if not each.holds] == ["both"]


def test_without_targets_no_plate_of_them_is_asked(replied, sheet):
    none = sheet.model_copy(update={"targets": ()})
    result = judge_scene(Recorded(replied), none, *chosen(["known_targets"]))
    assert result.note == "not claimed: targets"
