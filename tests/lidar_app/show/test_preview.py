# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of point clouds: what they show, what they cope with, how they fail."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.image import imread
from pypcd4 import Encoding, PointCloud

from lidar_app.show.preview import (
    RANGE_COLOURS,
    REFLECTIVITY_COLOURS,
    _birds_eye,
    _headline,
    bar_beside,
    preview,
    scene_picture,
)
from lidar_gap.pictures.cloud_image import MARKS, limits, marks_of, paint, perspective
from lidar_gap.pictures.image_grid import ImagePoints, range_grid, read_cloud
from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.errors import InputError, OutputError

PIXELS = (1200, 1800, 4)


def _write(path, fields):
    arrays = [np.asarray(a) for a in fields.values()]
    PointCloud.from_points(arrays, list(fields), [a.dtype for a in arrays]).save(path)
    return path


def _room(n_ring=16, n_column=90):
    """A cylinder of 10 m radius, as a sensor with rings from top to bottom sees it."""
    ring, column = (i.ravel() for i in np.indices((n_ring, n_column)))
    azimuth = np.pi - 2 * np.pi * column / n_column
    elevation = np.deg2rad(15 - 2 * ring)
    points = np.stack([np.cos(azimuth), np.sin(azimuth), np.tan(elevation)]) * 10
    return {
        "x": points[0].astype(np.float32),
        "y": points[1].astype(np.float32),
        "z": points[2].astype(np.float32),
        "reflectivity": np.linspace(0, 2, len(ring), dtype=np.float32),
        "ring": ring.astype(np.uint16),
        "column": column.astype(np.uint32),
    }


def _cloud(points, **fields):
    empty = {"reflectivity_percent": None, "ring": None, "column": None}
    return ImagePoints(name="c", points_m=np.asarray(points, float), **{**empty, **fields})


@pytest.mark.long
def test_preview_is_a_picture_beside_the_cloud(tmp_path):
    path = preview(_write(tmp_path / "000007.pcd", _room()))
    assert path == tmp_path / "000007.png"
    assert imread(path).shape == PIXELS
    assert sorted(p.name for p in tmp_path.glob("[!.]*")) == ["000007.pcd", "000007.png"]


@pytest.mark.long
def test_a_file_that_is_named_like_a_formula_is_drawn(tmp_path):
    assert imread(preview(_write(tmp_path / "a$\\frac$b.pcd", _room()))).shape == PIXELS


@pytest.mark.long
@pytest.mark.parametrize("names", [("x", "y", "z"), ("x", "y", "z", "ring")])
def test_foreign_cloud_needs_x_y_z_only(tmp_path, names):
    room = _room()
    cloud = _write(tmp_path / "foreign.pcd", {name: room[name] for name in names})
    assert imread(preview(cloud, tmp_path / "a.png")).shape == PIXELS


@pytest.mark.long
@pytest.mark.parametrize("n_point", [1, 2])
def test_cloud_of_few_points_is_drawn(tmp_path, n_point):
    room = {name: values[:n_point] for name, values in _room().items()}
    assert imread(preview(_write(tmp_path / "few.pcd", room))).shape == PIXELS


def test_cloud_without_points_says_so(tmp_path):
    room = {name: values[:0] for name, values in _room().items()}
    image = imread(preview(_write(tmp_path / "empty.pcd", room)))
    middle = image[540:660, 700:1100, :3]
    assert image.shape == PIXELS
    assert np.ptp(middle) > 0.3  # the words


def test_points_that_are_not_finite_are_left_out(tmp_path):
    room = _room()
    room["x"][:5], room["z"][5] = np.nan, np.inf
    cloud = read_cloud(_write(tmp_path / "holes.pcd", room))
    assert len(cloud.points_m) == len(cloud.ring) == len(room["x"]) - 6


def test_reflectivity_is_percent_from_either_field(tmp_path):
    x = np.ones(3, np.float32)
    ours = {"x": x, "y": x, "z": x, "reflectivity": np.array([0, 0.5, 3], np.float32)}
    bytes_ = {"x": x, "y": x, "z": x, "intensity": np.array([0, 51, 255], np.uint8)}
    assert read_cloud(_write(tmp_path / "a.pcd", ours)).reflectivity_percent == pytest.approx(
        [0, 50, 300]
    )
    percent = read_cloud(_write(tmp_path / "b.pcd", bytes_)).reflectivity_percent
    assert percent[1] == pytest.approx(20, rel=0.05)  # 51 of 255


def test_range_image_has_the_sensors_rows_and_columns():
    room = _room()
    points = np.stack([room["x"], room["y"], room["z"]], axis=1)
    cloud = _cloud(points, ring=room["ring"].astype(int), column=room["column"].astype(int))
    image = range_grid(cloud).image(cloud.range_m, first=cloud.range_m)
    assert image.shape == (16, 90)
    elevation = np.deg2rad(15 - 2 * np.arange(16))
    assert image == pytest.approx(np.repeat(10 / np.cos(elevation)[:, None], 90, axis=1), rel=1e-5)


def test_rings_counted_from_below_are_turned_over():
    high_and_low = _cloud([[10, 0, 2], [10, 0, -2]], ring=np.array([1, 0]), column=np.array([0, 0]))
    assert range_grid(high_and_low).row.tolist() == [0, 1]


def test_computed_rows_and_columns_run_from_left_to_right_and_down():
    # left and high, ahead, right and low: 45 deg are 45 bins of at most 1 deg
    grid = range_grid(_cloud([[10, 10, 3], [10, 0, 0], [10, -10, -3]]))
    assert grid.column.tolist() == [0, 45, 90]
    assert grid.row[0] < grid.row[1] < grid.row[2]
    assert grid.labels == ("azimuth [deg]", "elevation [deg]")


@pytest.mark.parametrize("numbered", [True, False])
@pytest.mark.parametrize("n_column", [90, 1024, 1808, 2083])
@pytest.mark.parametrize("offsets_deg", [(0, 0), (4.25, -4.25), (1.01, 0.1)])
def test_rows_that_look_aside_are_put_back_without_double_or_empty_pixels(
    numbered, n_column, offsets_deg
):
    cloud = _staggered(n_column, offsets_deg, numbered=numbered)
    grid = range_grid(cloud)
    azimuth = np.arctan2(cloud.points_m[:, 1], cloud.points_m[:, 0])
    image = grid.image(azimuth, first=cloud.range_m)
    assert image.shape == (2, n_column)
    assert np.isfinite(image).all()  # as many pixels as points: none double, none empty
    # Both rows are within half a column of the middle of each column, so within one of each other.
    apart = np.angle(np.exp(1j * (image[0] - image[1])))
    assert np.abs(apart).max() <= 2 * np.pi / n_column * 1.001


def _staggered(n_column, offsets_deg, *, numbered):
    """Two rings at 20 m in single precision, each turned by its own azimuth."""
    ring, column = (i.ravel() for i in np.indices((2, n_column)))
    azimuth = np.pi - 2 * np.pi * column / n_column + np.deg2rad(offsets_deg)[ring]
    points = np.stack([20 * np.cos(azimuth), 20 * np.sin(azimuth), 1.0 - 2.0 * ring], axis=1)
    points = points.astype(np.float32).astype(float)
    return _cloud(points, ring=ring, column=column if numbered else None)


def test_azimuth_axis_has_zero_ahead_and_left_first():
    grid = range_grid(_staggered(360, (0, 0), numbered=True))
    assert grid.extent == pytest.approx((180.5, -179.5, 1.5, -0.5))
    assert grid.labels == ("azimuth [deg]", "ring")


def test_columns_of_uneven_azimuth_keep_the_numbers_of_the_file():
    azimuth = np.deg2rad([40, 20, 10, 3.3, 0.9, 0, -1.7, -9.1, -23])
    points = np.stack([np.cos(azimuth), np.sin(azimuth), 0 * azimuth], axis=1) * 20
    grid = range_grid(_cloud(points, ring=np.zeros(9, int), column=np.arange(9)))
    assert grid.column.tolist() == list(range(9))
    assert grid.labels == ("column", "ring")


def test_single_beams_numbered_as_one_ring_lie_in_bins_of_both_angles():
    turn = np.arange(400) * 0.1
    azimuth, elevation = 0.4 * np.cos(3.1 * turn), 0.3 * np.sin(4.3 * turn)
    points = np.stack([np.cos(azimuth), np.sin(azimuth), np.tan(elevation)], axis=1) * 20
    grid = range_grid(_cloud(points, ring=np.zeros(400, int), column=np.arange(400)))
    assert grid.labels == ("azimuth [deg]", "elevation [deg]")
    assert np.ptp(grid.row) > 20  # 34 deg in bins of at most 1 deg
    top = np.argmax(points[:, 2])
    assert grid.row[top] == 0


def test_range_colours_stay_apart_from_the_background():
    colours = RANGE_COLOURS(np.linspace(0, 1, 256))[:, :3]
    assert colours.max(axis=1).min() > 0.5  # the brightest of red, green and blue
    assert REFLECTIVITY_COLOURS(0.0)[2] > 0.2


@pytest.mark.parametrize(
    ("values", "extend"),
    [([1, 2], "neither"), ([0, 2], "min"), ([1, 3], "max"), ([0, 3], "both")],
)
def test_colour_bar_is_pointed_where_values_lie_beyond_it(values, extend):
    figure = Figure()
    bar = bar_beside(figure, (0, 0, 10, 100), RANGE_COLOURS, (1.0, 2.0), "m", np.array(values))
    assert bar.extend == extend


def test_nearest_point_wins_a_pixel_of_the_range_image():
    cloud = _cloud([[9, 0, 0], [5, 0, 0]], ring=np.array([0, 0]), column=np.array([0, 0]))
    image = range_grid(cloud).image(cloud.range_m, first=cloud.range_m)
    assert image.tolist() == [[5.0]]


def test_nearest_echo_of_a_beam_wins_in_any_order_of_the_rows():
    rng = np.random.default_rng(5)
    room = _room()
    beams = np.stack([room["x"], room["y"], room["z"]], axis=1).astype(float)
    echo = np.repeat([0, 1, 2], len(beams))
    points = np.concatenate([beams * (1 + number) for number in range(3)])
    ring, column = (np.tile(room[name].astype(int), 3) for name in ("ring", "column"))
    for order in (np.arange(len(echo)), *(rng.permutation(len(echo)) for _ in range(3))):
        cloud = _cloud(points[order], ring=ring[order], column=column[order])
        image = range_grid(cloud).image(echo[order], first=cloud.range_m)
        assert image.shape == (16, 90)
        assert (image == 0).all()


def test_points_are_marked_by_origin_or_else_by_echo():
    echo, origin = np.array([0, 1, 2, 7, 0, 1, 0, 2]), np.array([0, 0, 0, 0, 1, 1, 2, 2])
    points = np.ones((8, 3))
    names = [*(name for name, _ in MARKS), "none"]

    def named(**fields):
        return [names[row] for row in marks_of(_cloud(points, **fields))]

    by_echo = ["none", "2nd echo", *["3rd echo and later"] * 2]
    assert named() == ["none"] * 8
    assert named(echo=echo) == [*by_echo, "none", "2nd echo", "none", "3rd echo and later"]
    by_origin = ["ghost"] * 2 + ["false alarm"] * 2
    assert named(origin=origin) == ["none"] * 4 + by_origin
    assert named(echo=echo, origin=origin) == by_echo + by_origin
    assert ORIGINS[:3] == ("surface", "ghost", "false_alarm")


def _echoes(counts=(1437, 1, 1, 1)):
    """A cloud whose echoes and origins are marked: none, 2nd echo, ghost, false alarm."""
    room = _room()
    points = np.stack([room["x"], room["y"], room["z"]], axis=1)
    echo, origin = np.repeat([0, 1, 1, 0], counts), np.repeat([0, 0, 1, 2], counts)
    return _cloud(points[: sum(counts)], echo=echo, origin=origin)


def _drawn(cloud):
    """Draw a bird's-eye view; return its image, and the labels and colours of its legend."""
    figure = Figure()
    _birds_eye(figure, cloud)
    (axes,) = figure.axes
    legend = axes.get_legend()
    keys = {} if legend is None else dict(zip(legend.get_texts(), legend.get_lines(), strict=True))
    colours = {text.get_text(): to_rgb(line.get_color()) for text, line in keys.items()}
    return np.asarray(axes.images[0].get_array()), colours


def test_marked_points_have_the_colours_of_the_legend_on_top_of_the_others():
    image, legend = _drawn(_echoes())
    assert list(legend) == ["2nd echo: 1", "ghost: 1", "false alarm: 1"]
    for colour in legend.values():  # walls of the room are hidden below: a dot is complete
        dot = np.argwhere((image == colour).all(axis=2))
        assert 2 <= len(dot) <= 9
        assert (np.ptp(dot, axis=0) <= 2).all()
    assert len(set(legend.values())) == 3


def test_legend_groups_thousands():
    assert list(_drawn(_echoes((100, 1234, 0, 0)))[1]) == ["2nd echo: 1 234"]


@pytest.mark.long
def test_headline_counts_echoes_beyond_the_first_if_there_are_any():
    facts = []
    for counts in ((0, 1234, 6, 200), (1240, 0, 0, 200)):
        figure = Figure()
        _headline(figure, _echoes(counts))
        facts.append(figure.texts[1].get_text())
    assert facts[0].startswith("1 440 points, 1 240 beyond the first echo   range")
    assert facts[1].startswith("1 440 points   range")


@pytest.mark.long
def test_cloud_without_later_echoes_is_drawn_as_one_without_the_columns(tmp_path):
    room = _room()
    zero = np.zeros(len(room["x"]), np.uint8)
    foreign = (zero + 1).astype(np.float32)  # another program's meaning of the names
    pictures = []
    for number, more in enumerate(({}, {"echo": zero}, {"echo": zero, "origin": zero})):
        folder = tmp_path / str(number)
        folder.mkdir()
        pictures.append(preview(_write(folder / "a.pcd", {**room, **more})).read_bytes())
    path = _write(tmp_path / "a.pcd", {**room, "echo": foreign, "origin": foreign})
    pictures.append(preview(path).read_bytes())
    assert len(set(pictures)) == 1


@pytest.mark.long
def test_marked_cloud_is_drawn_from_its_file(tmp_path):
    room = _room()
    echo = (np.arange(len(room["x"])) % 4).astype(np.uint8)
    plain = imread(preview(_write(tmp_path / "a.pcd", room)))
    path = _write(tmp_path / "b.pcd", {**room, "echo": echo, "origin": (echo == 3).astype("u1")})
    picture = imread(preview(path))
    assert picture.shape == PIXELS
    for _, colour in MARKS[:3]:
        rgb = np.rint(np.array(to_rgb(colour)) * 255)
        count = [
            (np.rint(image[..., :3] * 255) == rgb).all(axis=2).sum() for image in (plain, picture)
        ]
        assert count[1] > count[0] + 20
    np.testing.assert_array_equal(picture[660:], plain[660:])  # both images, below


def test_marks_stay_apart_from_the_background_and_each_other():
    colours = np.array([to_rgb(colour) for _, colour in MARKS])
    assert colours.max(axis=1).min() > 0.8
    apart = np.abs(colours[:, None] - colours).max(axis=2) + np.eye(len(MARKS))
    assert apart.min() > 0.3


def test_upper_dot_hides_the_lower_one():
    image = np.zeros((4, 4, 3))
    uv, red, blue = np.array([[1.0, 1.0], [1.0, 1.0]]), (1, 0, 0), (0, 0, 1)
    paint(image, uv, np.array([red, blue]), order=np.array([2.0, 1.0]), dots=np.array([2, 2]))
    assert (image[1:3, 1:3] == red).all()
    assert image.sum() == 4


def test_scene_shows_a_point_where_the_camera_looks():
    cloud = _cloud([[30.0, 0.0, 0.0]])
    options = {"eye_m": (0.0, 0.0, 0.0), "target_m": (1.0, 0.0, 0.0)}
    image = perspective(cloud, size_px=(101, 51), **options)
    lit = np.argwhere(image.max(axis=2) > 0.2)
    assert (np.abs(lit - (25, 50)) <= 2).all()
    assert len(lit) > 0


def test_heights_of_the_scale_decide_the_colour_of_a_point():
    cloud = _cloud([[30.0, 0.0, 1.0]])
    view = {"size_px": (101, 51), "eye_m": (0.0, 0.0, 1.0), "target_m": (1.0, 0.0, 1.0)}
    for heights_m, strongest in (((-9.0, 1.0), 0), ((1.0, 9.0), 2)):  # red is high, blue is low
        image = perspective(cloud, heights_m=heights_m, **view)
        assert image.max(axis=(0, 1)).argmax() == strongest


def test_scene_picture_has_the_size_asked_for(tmp_path):
    path = scene_picture(_write(tmp_path / "room.pcd", _room()), size_px=(640, 320))
    assert path.name == "room_scene.png"
    assert imread(path).shape[:2] == (320, 640)


def test_limits_of_equal_values_differ():
    low, high = limits(np.full(5, 3.0), 1, 99)
    assert low < high


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file"),
        (b"", "not a PCD file"),
        (b"ply\nformat ascii 1.0\nend_header\n", "not a PCD file"),
        (b"\xff\xd8\xff\xe0 a picture \n", "not a PCD file"),
    ],
)
def test_what_is_no_cloud_is_one_line(tmp_path, content, message):
    path = tmp_path / "odd.pcd"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message) as raised:
        preview(path)
    assert "\n" not in str(raised.value)
    assert "odd.pcd" in str(raised.value)


def test_cloud_that_is_cut_short_is_refused(tmp_path):
    path = _write(tmp_path / "cut.pcd", _room())
    file = PointCloud.from_path(path)
    file.save(path, Encoding.BINARY)
    size = file.pc_data.dtype.itemsize
    path.write_bytes(path.read_bytes()[: -3 * size])
    with pytest.raises(InputError, match="cut short: got 1437 points, the header states 1440"):
        preview(path)


def test_cloud_without_z_is_refused(tmp_path):
    x = np.ones(3, np.float32)
    with pytest.raises(InputError, match="has no field z; it has x, y"):
        preview(_write(tmp_path / "flat.pcd", {"x": x, "y": x}))


def test_picture_in_no_folder_is_refused_and_leaves_nothing(tmp_path):
    cloud = _write(tmp_path / "room.pcd", _room())
    with pytest.raises(OutputError, match="cannot be written"):
        preview(cloud, tmp_path / "absent" / "a.png")
    assert [p.name for p in tmp_path.iterdir()] == ["room.pcd"]
