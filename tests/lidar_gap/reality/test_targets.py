# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Points on labelled objects: a recording that our own simulator made, judged by itself."""

import hashlib
import json
import math

import numpy as np
import pytest
import yaml

from lidar_gap.calibrate.findings import Absent, Findings, Series
from lidar_gap.metrics.objects import ObjectBoxes
from lidar_gap.reality.labels import LabelledObjects, corners_m, read_labels
from lidar_gap.reality.recordings import catalogue
from lidar_gap.reality.report import Scored, score_dict, score_table
from lidar_gap.reality.scenes import read_recorded
from lidar_gap.reality.scoring import score, spreads
from lidar_gap.reality.target_scene import N_DRAWS, ground_plane, placed, target_scans
from lidar_gap.reality.targets import count_targets, listed_once, target_error
from lidar_gap.records import ScanCloud
from osi_bridge.bench import PEDESTRIAN, VEHICLE
from osi_lidar.errors import InputError
from tests.commands import assert_one_line, run

GROUND_M = -1.5
PEOPLE, HIDDEN = "points_on_people_free", "points_on_people_hidden"
THINGS = (  # class, state of occlusion, x, y, yaw, length, width, height
    ("Pedestrian", 0, 9.0, 2.0, 0.4, 0.6, 0.7, 1.75),
    ("Pedestrian", 1, 14.0, -0.2, 1.2, 0.6, 0.7, 1.7),
    ("Cyclist", 0, 11.0, -4.0, 2.0, 1.9, 0.7, 1.75),
    ("rider", 0, 11.0, -4.0, 2.0, 0.9, 0.7, 1.6),
    ("Car", 0, 16.0, 5.0, 0.2, 4.4, 1.8, 1.5),
    ("bicycle", 0, 9.5, -0.2, 1.5, 1.8, 0.6, 1.1),
    ("bicycle_rack", 0, 8.0, -5.5, 1.5, 1.8, 2.6, 1.1),
    ("Pedestrian", 2, 25.0, 9.0, 1.2, 0.6, 0.7, 1.7),
)
CAMERA = np.array([[1500.0, 0.0, 960.0, 0.0], [0.0, 1500.0, 620.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
TILT_RAD = 0.12  # of the camera, as in View-of-Delft


def camera_from_lidar():
    cos, sin = math.cos(TILT_RAD), math.sin(TILT_RAD)
    level = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
    matrix = np.eye(4)
    matrix[:3, :3] = np.array([[1.0, 0.0, 0.0], [0.0, cos, -sin], [0.0, sin, cos]]) @ level
    matrix[:3, 3] = (0.15, -0.46, -0.9)
    return matrix


def labelled(things=THINGS):
    x, y, yaw = (np.array([each[column] for each in things]) for column in (2, 3, 4))
    size_m = np.array([each[5:] for each in things])
    boxes = ObjectBoxes(
        centre_m=np.column_stack((x, y, GROUND_M + size_m[:, 2] / 2)), size_m=size_m,
        yaw_rad=yaw, label=tuple(each[0] for each in things),
    )  # fmt: skip
    occluded = np.array([each[1] for each in things])
    return LabelledObjects(boxes=boxes, occluded=occluded, cut=np.zeros(len(things), np.bool_))


def in_image(box):
    """Return left, top, right and bottom of a box of one object."""
    seen = (np.column_stack((corners_m(box)[0], np.ones(8))) @ camera_from_lidar().T) @ np.vstack(
        (CAMERA, [0, 0, 0, 1])
    ).T
    pixels = seen[:, :2] / seen[:, 2:3]
    return (*pixels.min(axis=0), *pixels.max(axis=0))


def label_text(things=THINGS, *, right=1e9):
    """Return the lines of labels; the image ends at a column."""
    lines = []
    for number, each in enumerate(things):
        boxes = labelled(things[number : number + 1]).boxes
        left, top, far, low = in_image(boxes)
        bottom = np.append(boxes.centre_m[0], 1.0) - (0.0, 0.0, boxes.size_m[0, 2] / 2, 0.0)
        place = (camera_from_lidar() @ bottom)[:3]
        length, width, height = each[5:]
        turn = -each[4] - math.pi / 2
        numbers = (0, left, top, min(far, right), low, height, width, length, *place, turn, 1)
        lines.append(f"{each[0]} 0 {each[1]} " + " ".join(f"{number:.6f}" for number in numbers))
    return "\n".join(lines) + "\n"


def calibration_text():
    matrices = {"P2": CAMERA, "R0_rect": np.eye(3), "Tr_velo_to_cam": camera_from_lidar()[:3]}
    lines = [
        f"{name}: " + " ".join(f"{number:.9e}" for number in matrix.ravel())
        for name, matrix in matrices.items()
    ]
    return "\n".join([*lines, "Tr_imu_to_velo:"]) + "\n"


def ground():
    """Return points of a level ground."""
    x, y = np.meshgrid(np.arange(4.0, 30.0, 0.4), np.arange(-12.0, 12.0, 0.4))
    return np.column_stack((x.ravel(), y.ravel(), np.full(x.size, GROUND_M)))


def cloud(points_m):
    return ScanCloud(name="a", points_m=points_m, range_m=np.linalg.norm(points_m, axis=1))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return a folder with a description, and a pack in which its recording lies already."""
    place = tmp_path_factory.mktemp("site")
    texts = {"labels.txt": label_text().encode(), "calib.txt": calibration_text().encode()}
    keys = {
        "title": "A simulated street", "sensor": "HDL-64E", "unit": "simulated", "place": "street",
        "repository": "us/recordings", "commit": "0" * 40, "licence": "MIT", "clouds": ["a.bin"],
        "scene": "targets", "labels": "labels.txt", "calibration": "calib.txt", "columns": 1728,
    }  # fmt: skip
    describe(place, keys, {**texts, "a.bin": b"?"})
    (recording,) = catalogue(folder=place / "own")
    scene = place / "scene"
    first, *_ = target_scans(recording, labelled(), [cloud(ground())], scene)
    rows = np.column_stack((first.points_m, first.intensity)).astype("<f4")
    files = {**texts, "a.bin": np.repeat(rows, 2, axis=0).tobytes()}
    describe(place, keys, files)
    folder = recording.folder(place / "pack")
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return place


def describe(place, keys, files):
    (place / "own").mkdir(exist_ok=True)
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    (place / "own" / "street.yaml").write_text(yaml.safe_dump({**keys, "files": digests}))


def recorded(site):
    (recording,) = catalogue(folder=site / "own")
    return read_recorded(recording, site / "pack")


@pytest.mark.long
def test_labels_are_read_into_the_frame_of_the_lidar_although_the_camera_is_tilted(site):
    objects, expected = recorded(site).objects, labelled()
    assert objects.boxes.label == expected.boxes.label
    assert objects.occluded.tolist() == expected.occluded.tolist()
    assert not objects.cut.any()
    np.testing.assert_allclose(objects.boxes.centre_m, expected.boxes.centre_m, atol=1e-4)
    np.testing.assert_allclose(objects.boxes.size_m, expected.boxes.size_m, atol=1e-5)
    turn = objects.boxes.yaw_rad - expected.boxes.yaw_rad
    np.testing.assert_allclose(np.cos(turn), 1.0, atol=1e-9)


def test_places_where_nothing_is_labelled_are_no_objects(tmp_path):
    nothing = "DontCare -1 -1 -10 503.9 169.7 590.6 190.1 -1 -1 -1 -1000 -1000 -1000 -10\n"
    (tmp_path / "labels.txt").write_text(nothing + label_text() + nothing)
    (tmp_path / "calib.txt").write_text(calibration_text())
    found = read_labels(tmp_path / "labels.txt", tmp_path / "calib.txt")
    assert found.boxes.label == labelled().boxes.label


@pytest.mark.long
def test_a_sensor_judged_by_its_own_scan_differs_by_its_noise_only(site, tmp_path):
    own = "--descriptions", site / "own"
    result = run("gap", "reality", "measure", site / "pack", *own, "--out", tmp_path / "m.json")
    assert result.exit_code == 0, result.output
    figures = json.loads((tmp_path / "m.json").read_text())["recordings"]["street"]["figures"]
    assert figures[PEOPLE]["labels"] == ["Pedestrian 1 at 9.2 m"]
    assert figures[PEOPLE]["values"][0] > 200

    result = run(
        "gap", "reality", "score", site / "pack", *own, "--out", tmp_path / "score",
        "--write", tmp_path / "scenes",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    rows = json.loads((tmp_path / "score" / "score.json").read_text())["recordings"]["street"]
    judged = {name: row for name, row in rows["rows"].items() if row["verdict"] != "not asked"}
    assert set(judged) == {PEOPLE, HIDDEN, "points_on_cyclists_free", "points_on_cars_free"}
    for name, row in judged.items():
        assert (row["verdict"], row["objects"], row["tuned"]) == ("within", 1, False)
        by_noise = 0.08 if name == "points_on_cars_free" else 0.03  # paints are drawn
        assert row["difference"] < by_noise
        assert row["mean_ratio"] == pytest.approx(1.0, abs=by_noise)
    written = {each.name for each in (tmp_path / "scenes" / "street").iterdir()}
    assert {"objects.osi", "scene.obj", "config.yaml", "materials.yaml"} <= written


@pytest.mark.long
def test_other_clouds_are_judged_by_the_same_boxes(site, tmp_path):
    subject = tmp_path / "subject" / "street"
    subject.mkdir(parents=True)
    points = listed_once(recorded(site).clouds[0].points_m)[::2]
    rows = np.column_stack((points, np.zeros(len(points)))).astype("<f4")
    (subject / "000000.bin").write_bytes(rows.tobytes())
    result = run(
        "gap", "reality", "score", site / "pack", "--descriptions", site / "own",
        "--subject", subject.parent, "--out", tmp_path / "out",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    rows = json.loads((tmp_path / "out" / "score.json").read_text())["recordings"]["street"]["rows"]
    assert rows[PEOPLE]["difference"] == pytest.approx(0.5, abs=0.06)
    assert rows["points_on_cars_free"]["verdict"] == "beyond"


@pytest.mark.long
def test_what_stands_before_an_object_hides_it_as_it_did(site, tmp_path):
    real = recorded(site)
    behind, before = THINGS[1], ("Car", 0, 9.5, -0.2, 1.5, 4.4, 1.8, 1.5)
    alone = labelled((behind,))
    lonely = target_scans(real.recording, alone, [cloud(ground())], tmp_path)
    both = labelled((behind, before))
    hidden = target_scans(real.recording, both, [cloud(ground())], tmp_path)
    n = [count_targets(scans, alone)[HIDDEN].values[0] for scans in (lonely, hidden)]
    assert 0.3 * n[0] < n[1] < 0.95 * n[0]


def test_objects_are_ours_by_their_class_and_a_rider_comes_with_what_he_rides():
    kinds = [(each.object_id, each.osi_type, each.vehicle_type) for each in placed(labelled())]
    assert kinds == [
        (1, PEDESTRIAN, ""), (2, PEDESTRIAN, ""), (3, VEHICLE, "TYPE_BICYCLE"),
        (5, VEHICLE, "TYPE_CAR"), (6, VEHICLE, "TYPE_BICYCLE"), (8, PEDESTRIAN, ""),
    ]  # fmt: skip


def test_a_point_that_is_listed_twice_counts_once():
    objects = labelled(THINGS[:1])
    points = np.random.default_rng(0).normal(objects.boxes.centre_m[0], 0.1, (40, 3))
    once, twice = (
        count_targets([cloud(each)], objects)[PEOPLE] for each in (points, np.tile(points, (2, 1)))
    )
    assert once.values.tolist() == twice.values.tolist() == [40.0]
    np.testing.assert_array_equal(listed_once(np.tile(points, (2, 1))), points)


def test_ground_is_found_on_a_slope_beside_a_wall_and_else_as_the_box_says():
    foot = np.array([12.0, 3.0, -1.4])
    points = ground()
    points[:, 2] = -1.5 + 0.05 * (points[:, 0] - 12.0) - 0.03 * (points[:, 1] - 3.0)
    side, up = np.meshgrid(np.arange(0.0, 6.0, 0.2), np.arange(-1.5, 1.5, 0.1))
    wall = np.column_stack((np.full(side.size, 13.0), side.ravel(), up.ravel()))
    assert ground_plane(np.vstack((points, wall)), foot) == pytest.approx(
        (-1.5, 0.05, -0.03), abs=0.01
    )
    assert ground_plane(points[:5], foot) == (-1.4, 0.0, 0.0)


@pytest.mark.parametrize(("y_m", "cut"), [(-4.0, False), (-7.0, True)])
def test_an_object_that_a_border_of_the_image_cuts_does_not_count(tmp_path, y_m, cut):
    """Half of each is shown; amid the image that is a narrow rectangle around an object."""
    thing = ("Cyclist", 0, 11.0, y_m, 0.0, 1.9, 0.7, 1.75)
    left, _, far, _ = in_image(labelled([thing]).boxes)
    (tmp_path / "calib.txt").write_text(calibration_text())
    (tmp_path / "labels.txt").write_text(label_text([thing], right=(left + far) / 2))
    objects = read_labels(tmp_path / "labels.txt", tmp_path / "calib.txt")
    assert objects.cut.tolist() == [cut]
    found = count_targets([cloud(ground())], objects)
    assert isinstance(found["points_on_cyclists_free"], Absent) == cut


def test_points_are_counted_around_boxes_which_labels_misplace_but_not_below_them():
    thing = ("Car", 0, 16.0, 5.0, 0.0, 4.0, 1.8, 1.5)
    off_m = [0.25, 0.35]
    beside = [(16.0 - 2.0 - off, 5.0, GROUND_M + 0.7) for off in off_m]
    above = [(16.0, 5.0, GROUND_M + 1.5 + off) for off in off_m]
    below = [(16.0, 5.0, GROUND_M + height) for height in (-0.1, 0.1)]
    found = count_targets([cloud(np.array([*beside, *above, *below]))], labelled([thing]))
    assert found["points_on_cars_free"].values.tolist() == [2.0]


@pytest.mark.long
def test_paints_are_drawn_for_each_scan(site, tmp_path):
    """A car far away and in a slanting view returns less with a dark paint."""
    (recording,) = catalogue(folder=site / "own")
    far = labelled([("Car", 0, 45.0, 5.0, 0.7, 4.4, 1.8, 1.5)])
    scans = target_scans(recording, far, [cloud(ground())], tmp_path / "scene")
    found = count_targets(scans, far)["points_on_cars_free"]
    assert len(scans) == N_DRAWS
    assert found.low[0] < 0.9 * found.high[0]


GOOD = label_text(THINGS[:1]).split()


@pytest.mark.parametrize(
    ("labels", "calibration", "words"),
    [
        ("Car 0 0\n", None, "labels.txt, line 1: got 3 words"),
        (" ".join([*GOOD[:8], "high", *GOOD[9:]]), None, "line 1: could not convert"),
        (" ".join([*GOOD[:8], "nan", *GOOD[9:]]), None, "line 1: got a number that is not finite"),
        (" ".join([*GOOD[:8], "-1", *GOOD[9:]]), None, "line 1: got a size of"),
        (" ".join([*GOOD[:8], "1e4", *GOOD[9:]]), None, "each above 0 m, up to 1000 m"),
        (" ".join([*GOOD[:11], "1e7", *GOOD[12:]]), None, "line 1: got a position of"),
        ("\n" + " ".join([*GOOD[:2], "7", *GOOD[3:]]), None, "line 2: got the occlusion"),
        (b"\xff\xfe", None, "labels.txt: cannot be read: not text"),
        (None, "P2: 1 2 3\n", "calib.txt, line 1: got 3 numbers, expected 12"),
        (None, "P2: " + "1 " * 12, "calib.txt: has no matrix Tr_velo_to_cam"),
        (
            None, "P2: " + "1 " * 12 + "\nTr_velo_to_cam: " + "0 " * 12,
            "Tr_velo_to_cam is not a rotation",
        ),
    ],
    ids=range(11),
)  # fmt: skip
def test_what_is_wrong_with_labels_is_one_line(tmp_path, labels, calibration, words):
    labels = label_text() if labels is None else labels
    content = labels if isinstance(labels, bytes) else labels.encode()
    (tmp_path / "labels.txt").write_bytes(content)
    (tmp_path / "calib.txt").write_text(calibration or calibration_text())
    with pytest.raises(InputError) as caught:
        read_labels(tmp_path / "labels.txt", tmp_path / "calib.txt")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_changed_label_ends_a_command_in_one_line(site, tmp_path):
    folder = recorded(site).recording.folder(site / "pack")
    copy = catalogue(folder=site / "own")[0].folder(tmp_path)
    copy.mkdir(parents=True)
    for file in folder.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    (copy / "labels.txt").write_text("Car\n")
    result = run(
        "gap", "reality", "score", tmp_path, "--descriptions", site / "own",
        "--out", tmp_path / "out",
    )  # fmt: skip
    assert_one_line(result, 2, "labels.txt", "differs from its description", "fetch it again")


def test_a_frame_without_labels_has_no_figure(tmp_path):
    (tmp_path / "labels.txt").write_text("")
    (tmp_path / "calib.txt").write_text(calibration_text())
    objects = read_labels(tmp_path / "labels.txt", tmp_path / "calib.txt")
    assert all(
        isinstance(each, Absent) for each in count_targets([cloud(ground())], objects).values()
    )


@pytest.mark.parametrize(
    "changes",
    [{"scene": "walls"}, {"labels": None}, {"calibration": None}, {"columns": 0}],
    ids=str,
)
def test_labels_and_their_scene_go_together(site, tmp_path, changes):
    keys = yaml.safe_load((site / "own" / "street.yaml").read_text())
    keys = {key: value for key, value in {**keys, **changes}.items() if value is not None}
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(keys))
    with pytest.raises(InputError, match=r"mine.yaml: (scene: .*expected labels|columns)"):
        catalogue(folder=tmp_path)


def people(*counts):
    values = np.array(counts, np.float64)
    return Series(
        name=PEOPLE, labels=tuple(f"Pedestrian {n}" for n in range(len(values))), values=values,
        low=values, high=values, n=np.rint(values).astype(int), fitted_on="a test",
    )  # fmt: skip


def rows_of(site, real, sim):
    real, sim = (Findings.of([each]) for each in (real, sim))
    return score(recorded(site).recording, real, sim, {})


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [((110, 40, 60), "within"), ((160, 60, 5), "twice"), ((200, 20, 0), "beyond")],
)
def test_a_row_is_judged_by_the_mean_error_of_objects_with_enough_points(site, counts, verdict):
    real = people(100, 50, 19)  # the last has too few
    (row,) = rows_of(site, real, people(*counts))
    error = np.mean([abs(counts[0] / 100 - 1), abs(counts[1] / 50 - 1)])
    assert row.difference == pytest.approx(error)
    assert (row.verdict, row.yardstick) == (verdict, 0.25)
    assert target_error(real, people(*counts)).n_object == 2
    scored = Scored(recorded(site).recording, 1, [row])
    told = score_dict([scored], {}, "a test")["recordings"]["street"]["rows"][PEOPLE]
    assert (told["objects"], told["verdict"]) == (2, verdict)
    assert "2 objects" in score_table(scored).rows[0][-1]


def test_few_points_are_not_judged_and_recordings_of_objects_make_no_yardstick(site):
    (row,) = rows_of(site, people(19, 3), people(19, 3))
    assert (row.verdict, row.reason) == ("not asked", "no object has 20 recorded points")
    recording = recorded(site).recording
    found = Findings.of([people(100, 50)])
    assert spreads([(recording, found), (recording, found)]) == {}
