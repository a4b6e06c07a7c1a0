# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reflections that the bench sends: those of the closed forms, and enough for a model of rays."""

import math

import numpy as np
import pytest
from osi3.osi_sensorview_pb2 import SensorView

from lidar_app.conformance.asking import Track
from lidar_app.conformance.bench import Verdict, chosen, judge_scene, moments_of, write_scenes
from lidar_app.conformance.causes import causes_of
from lidar_app.conformance.oracle import expected
from lidar_app.conformance.reflections import ReflectionSubject, ReflectionTracer
from lidar_app.conformance.sheet import DataSheet
from osi_bridge import open_trace
from osi_lidar.errors import InputError
from tests.lidar_app.conformance.reflecting import LIGHT_M_S, WAVELENGTH_M, Reflecting

FEW = ("wall", "mounting", "object_ids", "mover", "radial_velocity", "late_message")
FEW += ("damaged_messages", "intensity_by_incidence", "known_targets", "retroreflector")
REFLECTIVITY = 0.5
"""Of what has no material."""


@pytest.fixture(scope="module")
def seen(sheet):
    """Return the sheet of a model that looks ahead, and sees less of what is farther."""
    content = sheet.model_dump()
    content["field_of_view"]["azimuth_deg"] = (-60.0, 60.0)
    content["intensity"]["range_exponent"] = 2.0
    return DataSheet.model_validate(content)


@pytest.fixture(scope="module")
def tracer(seen):
    return ReflectionTracer(seen)


def judged(subject, seen, tracer, names):
    return [judge_scene(ReflectionSubject(subject, tracer), seen, scene) for scene in chosen(names)]


def verdicts(results):
    return {each.scene.name: each.verdict for each in results}


@pytest.mark.long
def test_a_model_that_knows_reflections_alone_passes(seen, tracer):
    results = judged(Reflecting(seen), seen, tracer, FEW)
    assert verdicts(results) == dict.fromkeys(FEW, Verdict.PASSED)


@pytest.mark.slow
def test_it_passes_every_scene_that_its_sheet_claims(seen, tracer):
    asked = [each.name for each in chosen() if all(seen.claims(need) for need in each.needs)]
    results = judged(Reflecting(seen), seen, tracer, asked)
    assert verdicts(results) == dict.fromkeys(asked, Verdict.PASSED)


def test_without_reflections_it_has_no_answer(seen):
    (scene,) = chosen(["wall"])
    told = judge_scene(Reflecting(seen), seen, scene)
    assert told.verdict is Verdict.FAILED
    assert "no answer with lidar detections" in told.note


def _mirrored(view):
    for ray in view.view_configuration.directions:
        ray.y = -ray.y


def _other_sign(view):
    for each in view.reflection:
        each.doppler_shift = -each.doppler_shift


def _backwards(view):
    """Take the rays from the last to the first, and the reflections as they come."""
    rays = list(view.view_configuration.directions)
    del view.view_configuration.directions[:]
    view.view_configuration.directions.extend(rays[::-1])


@pytest.mark.parametrize(
    ("fault", "names", "cause"),
    [
        ({"ways": 1}, ("wall", "mounting", "mover"), "twice as large: the way there and back"),
        ({"ways": 4}, ("wall", "mounting", "mover"), "half as large"),
        ({"misread": _mirrored}, ("mounting", "step_edge"), "the y axis is mirrored"),
        ({"misread": _backwards}, ("mounting", "step_edge"), "the y and the z axis are mirrored"),
        ({"misread": _other_sign}, ("radial_velocity",), "radial velocities have the other sign"),
    ],
)
def test_a_reflection_that_is_misread_has_its_cause_named(fault, names, cause, seen, tracer):
    results = judged(Reflecting(seen, **fault), seen, tracer, names)
    assert verdicts(results) == dict.fromkeys(names, Verdict.FAILED)
    assert cause in causes_of(results)[0].text


@pytest.mark.parametrize("name", ["tilted_wall", "radial_velocity", "mover"])
def test_each_reflection_is_that_of_the_closed_form(name, seen, tracer):
    """Range, object, Lambertian strength at 1 m2, Doppler shift 2 v / lambda, and cosine."""
    (scene,) = chosen([name])
    moments = list(moments_of(scene, seen))
    *_, last = tracer.filled(each.question(seen) for each in moments)
    (view,) = SensorView.FromString(last.data).lidar_sensor_view
    ray = np.array([(each.x, each.y, each.z) for each in view.view_configuration.directions])
    range_m = np.array([each.time_of_flight for each in view.reflection]) * LIGHT_M_S / 2.0
    told = expected(seen, Track(moments), np.arctan2(ray[:, 1], ray[:, 0]), np.arcsin(ray[:, 2]))
    met, sure = told.hits[0], told.is_sure() & (range_m > 0.0)
    assert np.count_nonzero(sure) > 1000
    np.testing.assert_allclose(range_m[sure], met.range_m[sure], atol=1e-3)
    ids = np.array([each.object_id.value for each in view.reflection], np.uint64)
    np.testing.assert_array_equal(ids[sure], met.object_id[sure])
    box = sure & (met.row >= 0)
    gain = REFLECTIVITY * met.cos_incidence / (math.pi * met.range_m**2)
    strength_db = np.array([each.signal_strength for each in view.reflection])
    np.testing.assert_allclose(strength_db[box], 10.0 * np.log10(gain[box]), atol=0.01)
    normal = np.array(
        [[getattr(each.normal_to_surface, axis) for axis in "xyz"] for each in view.reflection]
    )
    cosine = -np.einsum("ni,ni->n", normal, ray)
    np.testing.assert_allclose(cosine[box], met.cos_incidence[box], atol=1e-3)
    if name == "radial_velocity":
        doppler_hz = np.array([each.doppler_shift for each in view.reflection])
        speed_m_s = 0.5 * WAVELENGTH_M * doppler_hz
        assert np.ptp(speed_m_s[box]) > 20.0
        np.testing.assert_allclose(speed_m_s[box], met.radial_m_s[box], atol=1e-3)
        emitted_hz = view.view_configuration.emitter_frequency
        assert emitted_hz == pytest.approx(LIGHT_M_S / WAVELENGTH_M)


def test_rays_are_in_rows_from_top_to_bottom_each_from_left_to_right(seen, tracer):
    (scene,) = chosen(["wall"])
    (asked, *_) = tracer.filled(each.question(seen) for each in moments_of(scene, seen))
    (view,) = SensorView.FromString(asked.data).lidar_sensor_view
    rays = [(each.x, each.y, each.z) for each in view.view_configuration.directions]
    assert len(rays) == len(view.reflection) == 16 * 300
    rows = np.array(rays).reshape(16, 300, 3)
    heights_deg = np.degrees(np.arcsin(rows[:, :, 2]))
    np.testing.assert_allclose(
        heights_deg, np.arange(15, -16, -2)[:, None].repeat(300, 1), atol=1e-3
    )
    assert (np.diff(np.arctan2(rows[:, :, 1], rows[:, :, 0])) < 0.0).all()


def test_a_message_that_comes_too_late_changes_nothing_of_the_next_one(seen, tracer):
    (scene,) = chosen(["late_message"])
    asked = [each.question(seen) for each in moments_of(scene, seen)]
    with_late, without = list(tracer.filled(asked)), list(tracer.filled([*asked[:-2], asked[-1]]))
    assert with_late[-1] == without[-1]
    assert SensorView.FromString(with_late[-2].data).lidar_sensor_view


def test_traces_for_subjects_that_answer_offline_have_reflections(seen, tracer, tmp_path):
    (file,) = write_scenes(tmp_path, seen, chosen(["wall"]), tracer)
    for raw in open_trace(file, message_type="SensorView"):
        assert SensorView.FromString(raw.data).lidar_sensor_view


@pytest.mark.parametrize(
    ("changes", "problem"),
    [({"beams": None}, "the data sheet has no beams"), ({"echoes": 2}, "has echoes 2, expected 1")],
)
def test_a_sheet_whose_beams_are_no_single_rays_is_refused(changes, problem, seen):
    with pytest.raises(InputError, match=problem):
        ReflectionTracer(seen.model_copy(update=changes))
