# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Turning mirror, Risley prisms, pinhole camera: against closed forms and makers' figures."""

import math

import numpy as np
import pytest

from raycore.errors import PatternError
from raycore.pattern.curves import rosette
from raycore.pattern.optics import Prism, camera, risley, rotating_mirror
from tests.builders.refusals import one_line

DEG = math.pi / 180


def mirrored(layers_deg, n_columns=1440, window_deg=(-180, 180), **changed):
    return rotating_mirror(
        **{
            "layer_rad": np.radians(layers_deg),
            "n_columns": n_columns,
            "mirror_window_rad": [tuple(np.radians(window_deg))],
            "period_s": 0.08,
            **changed,
        }
    )


@pytest.mark.parametrize(
    ("mirror_deg", "azimuth_deg", "elevation_deg"),
    # by hand from the closed form, for a pitch of 1.6 deg
    [(0, 0.0, 1.6), (30, 30.8002, 1.3856), (60, 61.3857, 0.7999), (90, 91.6, 0.0)],
)
def test_a_turning_mirror_bends_a_layer_as_the_closed_form_says(
    mirror_deg, azimuth_deg, elevation_deg
):
    pattern = mirrored([1.6], n_columns=360, window_deg=(mirror_deg, mirror_deg))
    assert pattern.n_beams == 1
    assert math.degrees(pattern.azimuth_rad[0]) == pytest.approx(azimuth_deg, abs=1e-4)
    assert math.degrees(pattern.elevation_rad[0]) == pytest.approx(elevation_deg, abs=1e-4)


def test_a_mirror_reflects_as_a_plane_of_45_degrees_does():
    """Emitters look down at a mirror that turns about the vertical: d - 2 (d n) n."""
    pitch, turn = np.radians([1.2, -0.4, 1.2]), np.radians([20.0, -35.0, 110.0])
    for e, a in zip(pitch, turn, strict=True):
        # at angle 0 the beam leaves along (cos e, 0, sin e): it came along (-sin e, 0, -cos e)
        normal = np.array([math.cos(a), math.sin(a), 1.0]) / math.sqrt(2)
        beam = np.array([-math.sin(e), 0.0, -math.cos(e)])
        expected = beam - 2 * (beam @ normal) * normal
        pattern = rotating_mirror(
            layer_rad=[e],
            n_columns=72,
            mirror_window_rad=[(a - 1e-6, a + 1e-6)],
            period_s=0.1,
        )
        np.testing.assert_allclose(pattern.direction, [expected], atol=1e-6)


def test_layers_of_a_mirror_are_sorted_and_fire_together_from_left_to_right():
    pattern = mirrored([-1.2, 1.2, 0.4, -0.4], window_deg=(-50, 35))
    n_columns = 85 * 4 + 1
    assert pattern.n_beams == 4 * n_columns
    ahead = np.flatnonzero(np.isclose(pattern.azimuth_rad, 0.0, atol=1e-9))
    np.testing.assert_allclose(np.degrees(pattern.elevation_rad[ahead]), [1.2, 0.4, -0.4, -1.2])
    first, last = pattern.column == 0, pattern.column == n_columns - 1
    assert (pattern.azimuth_rad[first] > pattern.azimuth_rad[last]).all()
    assert set(pattern.time_s[first]) == {0.0}
    np.testing.assert_allclose(pattern.time_s[last], 85 / 360 * 0.08)


def test_layers_of_a_mirror_have_windows_of_their_own():
    windows = [tuple(np.radians(window)) for window in ((-10, 10), (0, 20))]
    pattern = mirrored([1.0, -1.0], n_columns=36, mirror_window_rad=windows)
    assert pattern.column.tolist() == [1, 2, 3, 0, 1, 2]


def through(*prisms, **changed):
    values = {"pulse_rate_hz": 100_000, "period_s": 0.1, **changed}
    return risley(prisms=prisms, **values)


@pytest.mark.parametrize("tilted_exit", [False, True])
def test_a_wedge_bends_light_to_its_thick_end_by_the_textbook_angle(tilted_exit):
    wedge, n = 18.0 * DEG, 1.51
    inner = math.asin(math.sin(wedge) / n)
    expected = math.asin(n * math.sin(wedge - inner))
    if tilted_exit:
        expected = math.asin(n * math.sin(wedge)) - wedge
    prism = Prism(
        wedge_rad=wedge,
        refractive_index=n,
        rotation_rate_hz=0.0,
        phase_rad=math.pi / 2,
        tilted_exit=tilted_exit,
    )
    pattern = through(prism, pulse_rate_hz=10)
    np.testing.assert_allclose(pattern.azimuth_rad, [0.0], atol=1e-12)  # the thick end is up
    np.testing.assert_allclose(pattern.elevation_rad, [expected], atol=1e-12)


@pytest.mark.parametrize(("wedge_rad", "index"), [(0.0, 1.5), (0.3, 1.0)])
def test_a_flat_pane_and_a_wedge_of_air_let_light_pass_straight_on(wedge_rad, index):
    prism = Prism(wedge_rad=wedge_rad, refractive_index=index, rotation_rate_hz=50.0)
    pattern = through(prism, pulse_rate_hz=100, incident_rad=[(0.2, -0.1)])
    np.testing.assert_allclose(pattern.azimuth_rad, [0.2] * 10, atol=1e-12)
    np.testing.assert_allclose(pattern.elevation_rad, [-0.1] * 10, atol=1e-12)


def test_thin_prisms_draw_a_rosette():
    """A thin wedge w bends by (n - 1) w; what is left over is of the third order."""
    wedge, n, f1, f2 = 0.5 * DEG, 1.5, 77.743, -121.5657
    prisms = [Prism(wedge_rad=wedge, refractive_index=n, rotation_rate_hz=f) for f in (f1, f2)]
    expected = rosette(
        radius_rad=2 * (n - 1) * wedge,
        radial_rate_hz=(f1 - f2) / 2,
        rotation_rate_hz=(f1 + f2) / 2,
        radial_phase_rad=math.pi / 2,
        pulse_rate_hz=100_000,
        period_s=0.1,
        start_s=3.2,
    )
    pattern = through(*prisms, start_s=3.2)
    np.testing.assert_allclose(pattern.azimuth_rad, expected.azimuth_rad, atol=wedge**3)
    np.testing.assert_allclose(pattern.elevation_rad, expected.elevation_rad, atol=wedge**3)


def livox(wedges_deg, rates_hz, index, exits=()):
    return [
        Prism(
            wedge_rad=wedge * DEG,
            refractive_index=index,
            rotation_rate_hz=rate,
            tilted_exit=number in exits,
        )
        for number, (wedge, rate) in enumerate(zip(wedges_deg, rates_hz, strict=True))
    ]


@pytest.mark.parametrize(
    ("prisms", "fov_deg"),
    # prisms as in HELIOS++'s scanners_tls.xml, fields of view as in Livox' data sheets
    [
        (livox((18.7481, 17.9634), (-121.5657, 77.743), 1.51), 38.4),
        (livox((29.7, 29.7), (-77.733333333, 121.566666666), 1.5095, exits=[0]), 70.4),
    ],
)
def test_prisms_of_a_livox_mid_cover_its_field_of_view(prisms, fov_deg):
    pattern = through(*prisms, period_s=2.0)
    from_axis_deg = np.degrees(np.arccos(pattern.direction[:, 0].astype(np.float64)))
    assert 2 * from_axis_deg.max() == pytest.approx(fov_deg, abs=0.1)


def test_six_beams_through_three_prisms_cover_the_field_of_view_of_a_livox_avia():
    prisms = livox((30.8856, 29.7735, 3.1351), (-131.5463, 40.8032, 213.1611), 1.51)
    sines = (-0.0521607, -0.03237635, -0.01079672, 0.01079672, 0.03237635, 0.05300785)
    pattern = through(
        *prisms,
        pulse_rate_hz=40_000,
        period_s=1.0,
        incident_rad=[(0.0, math.asin(sine)) for sine in sines],
    )
    assert pattern.n_beams == 6 * 40_000
    assert pattern.ring.tolist()[::40_000] == [0, 1, 2, 3, 4, 5]
    assert np.degrees(np.ptp(pattern.azimuth_rad)) == pytest.approx(70.4, abs=0.3)
    assert np.degrees(np.ptp(pattern.elevation_rad)) == pytest.approx(77.2, abs=0.3)


def test_scans_through_prisms_join():
    prisms = livox((18.7481, 17.9634), (-121.5657, 77.743), 1.51)
    long = through(*prisms, period_s=0.2)
    parts = [through(*prisms, start_s=start_s) for start_s in (0.0, 0.1)]
    joined = np.vstack([part.direction for part in parts])
    np.testing.assert_allclose(joined, long.direction, atol=1e-6)
    assert (parts[0].direction != parts[1].direction).any()


@pytest.mark.parametrize(
    "pattern",
    [
        mirrored([0.4, -0.4]),
        through(Prism(wedge_rad=0.1, refractive_index=1.5, rotation_rate_hz=50.0)),
        camera(width=40, height=3, horizontal_fov_rad=60 * DEG),
    ],
    ids=["mirror", "prism", "camera"],
)
def test_beams_of_all_optics_follow_their_neighbours(pattern):
    cosine = (pattern.direction[1:] * pattern.direction[:-1]).sum(axis=1)
    assert np.median(cosine) > math.cos(2 * DEG)
    assert pattern.coherent


def test_pixels_of_a_camera_look_through_their_centres():
    pattern = camera(width=4, height=2, horizontal_fov_rad=90 * DEG)
    y, z = [0.75, 0.25, -0.25, -0.75], [0.25, -0.25]
    expected = np.array([(1.0, column, row) for row in z for column in y])
    expected /= np.linalg.norm(expected, axis=1)[:, None]
    np.testing.assert_allclose(pattern.direction, expected, atol=1e-7)
    assert pattern.ring.tolist() == [0] * 4 + [1] * 4
    assert pattern.column.tolist() == [0, 1, 2, 3] * 2
    assert set(pattern.time_s) == {0.0}


def test_the_field_of_view_of_a_camera_ends_at_the_edges_of_its_image():
    pattern = camera(width=176, height=144, horizontal_fov_rad=43.6 * DEG)
    step = 2 * math.tan(21.8 * DEG) / 176
    assert pattern.azimuth_rad[0] == pytest.approx(math.atan(87.5 * step))
    # the vertical field of view of square pixels: 2 atan(144 / 176 tan(21.8 deg)) = 36.2 deg
    middle = pattern.elevation_rad[88]
    assert middle == pytest.approx(math.atan(71.5 * step), abs=1e-4)


def edges_deg(pattern, width):
    """Return the angles between the edges of an image, half a pixel beyond its outermost ones."""
    y, z = (pattern.direction[:, 1:] / pattern.direction[:, :1]).astype(float).T
    columns, rows = y[:width], z[::width]
    ends = [(each[0], each[-1], 0.5 * (each[0] - each[1])) for each in (columns, rows)]
    return [np.degrees(np.arctan(a + half) - np.arctan(b - half)) for a, b, half in ends]


def test_a_camera_may_have_pixels_that_are_not_square():
    size = {"width": 176, "height": 144, "horizontal_fov_rad": 43.6 * DEG}
    pattern, square = camera(**size, vertical_fov_rad=34.6 * DEG), camera(**size)
    np.testing.assert_allclose(edges_deg(pattern, 176), [43.6, 34.6], atol=1e-3)
    # 2 atan(144 / 176 tan(21.8 deg))
    np.testing.assert_allclose(edges_deg(square, 176), [43.6, 36.241], atol=1e-3)
    np.testing.assert_array_equal(pattern.azimuth_rad, square.azimuth_rad)


@pytest.mark.parametrize(
    ("horizontal_deg", "vertical_deg"), [(60.0, 40.0), (90.0, 90.0), (170.0, 100.0)]
)
def test_the_axis_of_a_camera_meets_its_image_at_the_principal_point(horizontal_deg, vertical_deg):
    pattern = camera(
        width=8,
        height=6,
        horizontal_fov_rad=horizontal_deg * DEG,
        vertical_fov_rad=vertical_deg * DEG,
        principal_point_px=(2.5, 4.5),
    )
    ahead = 4 * 8 + 2  # the pixel whose centre is there
    np.testing.assert_allclose(pattern.direction[ahead], [1, 0, 0], atol=1e-7)
    np.testing.assert_allclose(edges_deg(pattern, 8), [horizontal_deg, vertical_deg], atol=1e-3)


def test_pixels_are_square_around_any_principal_point():
    pattern = camera(width=8, height=6, horizontal_fov_rad=120 * DEG, principal_point_px=(2.5, 4.5))
    y, z = (pattern.direction[:, 1:] / pattern.direction[:, :1]).T
    assert y[0] - y[1] == pytest.approx(z[0] - z[8], rel=1e-5)
    assert edges_deg(pattern, 8)[0] == pytest.approx(120.0, abs=1e-3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mirrored([]), "line: 0 layers"),
        (
            lambda: mirrored([0.0] * 65537, n_columns=1),
            "65537 layers of 1 columns, expected at least one of each, at most 65536 layers and",
        ),
        (lambda: mirrored([95]), "expected layers between -90 and 90"),
        (lambda: mirrored([1], window_deg=(5, -5)), "azimuth_window_rad: expected 1 pairs"),
        (through, "risley: 0 prisms"),
        (
            lambda: through(
                *livox((10,), (1,), 1.5), incident_rad=[(0.0, 0.0)] * 65537, pulse_rate_hz=10
            ),
            "risley: 65537 beams, expected at most 65536",
        ),
        (lambda: through(*livox((89,), (1,), 1.5)), "prism 1 reflects beam 0 totally"),
        (lambda: through(*livox((10, 95), (1, 2), 1.5)), "wedge is 1.658"),
        (lambda: through(*livox((90,), (1,), 1.5)), "wedge is 1.57079633 rad, expected 0 to pi/2"),
        (lambda: through(*livox((-1,), (1,), 1.5)), "wedge is -0.0174"),
        (lambda: through(*livox((10,), (1,), 0.5)), "refractive index is 0.5, expected at least"),
        (lambda: camera(width=0, height=1, horizontal_fov_rad=1.0), "camera: 0 x 1 pixels"),
        (lambda: camera(width=1, height=1, horizontal_fov_rad=4.0), "field of view is 229"),
        (
            lambda: camera(width=4, height=4, horizontal_fov_rad=1.0, vertical_fov_rad=-1.0),
            "field of view is -57",
        ),
        (
            lambda: camera(
                width=4, height=4, horizontal_fov_rad=1.0, principal_point_px=(4.0, 2.0)
            ),
            "principal point is at 4 of 4 pixels, expected inside",
        ),
    ],
)
def test_optics_that_do_not_work_are_one_line(make, message):
    with one_line(PatternError, match=message):
        make()
