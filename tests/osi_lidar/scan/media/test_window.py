# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How much light passes a window, by direction and at drops, and images of it."""

import math

import numpy as np
import pytest

from lidar_base.errors import ConfigurationError
from lidar_base.random.draws import Draws
from lidar_scenery.weather.sources.window_keys import WindowSection
from material_mapping.optics import water
from osi_lidar.scan.media.window import (
    BLOCKED,
    SensorWindow,
    Window,
    film_transmission,
    transmission_at,
)
from osi_lidar.scan.media.windows import sensor_windows, window_of
from raycore.images import pixels
from tests.builders.beams import toward
from tests.builders.files import PNG, written
from tests.builders.images import grey_png, png
from tests.builders.refusals import one_line

N = 200_000
A_AND_B = {"a": 905.0, "b": 1550.0}
AHEAD = np.tile(np.array([[1.0, 0.0, 0.0]], np.float32), (N, 1))


def look(transmission=1.0, drops=0.0, sensor="front", seed=0):
    window = Window(transmission=np.full((1, 1), transmission), drops=drops)
    return SensorWindow(window, Draws.of(seed=seed, sensor=sensor))


@pytest.mark.parametrize(
    ("azimuth_deg", "elevation_deg", "row", "column"),
    [
        (179.0, 89.0, 0, 0),  # of 4 rows of 45 deg and 8 columns of 45 deg
        (-179.0, -89.0, 3, 7),
        (1.0, 1.0, 1, 3),  # just left of and above the middle, which is forward
        (-1.0, -1.0, 2, 4),
        (89.0, 46.0, 0, 2),
        (91.0, 44.0, 1, 1),
        (-136.0, -46.0, 3, 7),
        (180.0, 90.0, 0, 0),
        (-180.0, -90.0, 3, 7),
    ],
)
def test_a_direction_lies_in_the_pixel_of_its_angles(azimuth_deg, elevation_deg, row, column):
    image = np.arange(32.0).reshape(4, 8)
    direction = np.array([toward(azimuth_deg, elevation_deg)], np.float32)
    if abs(azimuth_deg) == 180.0:  # straight up and down, and the seam behind
        direction[0, 1] = math.copysign(0.0, azimuth_deg)
    assert transmission_at(image, direction) == image[row, column]


def test_all_directions_lie_in_an_image():
    direction = np.random.default_rng(7).normal(size=(10_000, 3)).astype(np.float32)
    direction = np.concatenate([direction, np.eye(3), -np.eye(3), np.zeros((1, 3))])
    found = transmission_at(np.ones((3, 5)), direction.astype(np.float32))
    np.testing.assert_array_equal(found, 1.0)


def test_light_passes_twice():
    np.testing.assert_array_equal(look(0.5).passed(AHEAD), np.float32(0.25))
    assert look(0.5).passed(AHEAD).dtype == np.float32


def test_a_share_of_the_beams_meets_drops_and_keeps_half():
    """Binomial, within four standard deviations."""
    passed = look(0.8, drops=0.3).passed(AHEAD)
    wet = passed == np.float32(0.32)
    assert (wet | (passed == np.float32(0.64))).all()
    assert abs(wet.sum() - 0.3 * N) < 4.0 * math.sqrt(N * 0.3 * 0.7)
    np.testing.assert_array_equal(look(drops=1.0).passed(AHEAD), 0.5)


def test_the_beams_with_drops_are_drawn_once_for_a_seed_and_a_sensor():
    first = look(drops=0.5).passed(AHEAD)
    np.testing.assert_array_equal(look(drops=0.5).passed(AHEAD.copy()), first)
    np.testing.assert_array_equal(look(drops=0.5).passed(AHEAD[:100]), first[:100])
    for other in (look(drops=0.5, sensor="rear"), look(drops=0.5, seed=1)):
        same = (other.passed(AHEAD) == first).sum()
        assert abs(same - 0.5 * N) < 4.0 * math.sqrt(N * 0.25)


def test_beams_are_blocked_below_a_tenth_of_their_range():
    """By 1/r^2, T^2 = 0.01 leaves a tenth."""
    assert pytest.approx(0.1**2) == BLOCKED
    assert look(0.099).blocked_share(AHEAD) == 1.0
    assert look(0.101).blocked_share(AHEAD) == 0.0
    image = np.ones((2, 4))
    image[:, 1] = 0.0  # from 90 deg on the left to forward
    window = SensorWindow(Window(transmission=image), Draws.of(seed=0, sensor="front"))
    around = np.array([toward(angle_deg, 10.0) for angle_deg in range(-175, 180, 10)], np.float32)
    assert window.blocked_share(around) == 0.25


def test_a_window_is_looked_through_by_the_beams_of_each_call():
    """Its left half is dirty; the beams of a pattern give way to as many others, and come back."""
    left, right = np.array([[toward(side * 90.0, 0.0)] * 3 for side in (1, -1)], np.float32)
    window = SensorWindow(
        Window(transmission=np.array([[0.05, 1.0]] * 2)), Draws.of(seed=0, sensor="front")
    )
    for beams, share, blocked in ((left, 0.0025, 1.0), (right, 1.0, 0.0), (left, 0.0025, 1.0)):
        assert window.blocked_share(beams) == blocked
        np.testing.assert_allclose(window.passed(beams), share)
        assert window.blocked_share(beams) == blocked


def test_a_film_of_water_takes_the_place_of_the_dry_face_and_absorbs():
    """By hand: 0.04 of a dry pane, 0.0200 from air to water and 0.0036 from there to the pane."""
    n = water.refractive_index(1550.0).real
    faces = (1.0 - ((n - 1.0) / (n + 1.0)) ** 2) * (1.0 - ((1.5 - n) / (1.5 + n)) ** 2) / 0.96
    thin, thick = (film_transmission(mm, wavelength_nm=1550.0) for mm in (1e-9, 0.7))
    assert thin == pytest.approx(faces, rel=1e-6)
    assert thick == pytest.approx(faces * math.exp(-0.7e-3 * water.absorption_per_m(1550.0)))
    assert film_transmission(0.0, wavelength_nm=1550.0) == 1.0
    assert film_transmission(1.0, wavelength_nm=905.0) == pytest.approx(1.010, abs=1e-3)


def test_a_film_at_a_wavelength_without_data_is_told_with_its_sensor():
    problem = r"^weather.window.film_mm: sensor 'a': liquid water: no value at 2000 nm, .*1800 nm$"
    with pytest.raises(ConfigurationError, match=problem):
        sensor_windows(WindowSection(film_mm=1.0), {"a": 2000.0}, 0)
    assert {*sensor_windows(WindowSection(drops=0.1), {"a": 2000.0}, 0)} == {"a"}


def test_a_film_of_water_weakens_the_light_twice_beside_dirt_and_drops():
    looks = sensor_windows(WindowSection(transmission=0.8, drops=1.0, film_mm=0.5), A_AND_B, 0)
    for name, wavelength_nm in A_AND_B.items():
        film = film_transmission(0.5, wavelength_nm=wavelength_nm)
        np.testing.assert_allclose(looks[name].passed(AHEAD[:9]), 0.32 * film**2, rtol=1e-6)
    assert set(sensor_windows(WindowSection(film_mm=3.0), A_AND_B, 0)) == {"a", "b"}
    assert sensor_windows(WindowSection(film_mm=3.0), A_AND_B, 0)["b"].blocked_share(AHEAD) == 1.0


def test_clear_windows_are_none():
    assert sensor_windows(WindowSection(), A_AND_B, 0) == {}
    assert set(sensor_windows(WindowSection(transmission=0.9), A_AND_B, 0)) == {"a", "b"}
    assert set(sensor_windows(WindowSection(drops=0.1, sensors=["b"]), A_AND_B, 0)) == {"b"}


def test_an_image_holds_the_transmission_one_way(tmp_path):
    grey = np.array([[0, 255], [51, 102]], np.uint8)
    image = written(tmp_path / "dirt.png", grey_png(grey))
    window = window_of(WindowSection(transmission=str(image), drops=0.2))
    np.testing.assert_array_equal(window.transmission, grey / 255.0)
    assert window.drops == 0.2
    white = written(tmp_path / "white.png", grey_png(np.full((3, 2), 255, np.uint8)))
    assert sensor_windows(WindowSection(transmission=str(white)), {"a": 905.0}, 0) == {}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (png([[0, 255]]), "has 2 x 1 pixels, expected 2 x 2 or more"),
        (png([[0], [255], [3]]), "has 1 x 3 pixels, expected 2 x 2 or more"),
        (b"", "cannot be read: is not an image of PNG, JPEG"),
        (PNG, "cannot be read: "),
        (png([[0, 255], [3, 4]])[:45], "cannot be read: "),
        (None, "no such file"),
    ],
    ids=["low", "narrow", "empty", "no image", "cut off", "absent"],
)
def test_an_image_that_cannot_be_used_is_told_in_one_line(tmp_path, content, problem):
    path = tmp_path / "dirt.png"
    if content is not None:
        path.write_bytes(content)
    with one_line(ConfigurationError, start=f"weather.window.transmission: {path}: {problem}"):
        window_of(WindowSection(transmission=path))


def test_without_pillow_one_line_says_what_to_install(tmp_path, monkeypatch):
    def absent(_):
        raise ImportError

    monkeypatch.setattr(pixels, "import_module", absent)
    path = written(tmp_path / "dirt.png", png([[0, 255], [3, 4]]))
    with one_line(ConfigurationError, "needs Pillow", "pip install 'osi-lidar[images]'"):
        window_of(WindowSection(transmission=path))


def test_a_name_of_no_sensor_is_told_in_one_line():
    problem = "there is no sensor 'frnt', did you mean 'front'? (allowed: front, r)"
    with one_line(ConfigurationError, start=f"weather.window.sensors: {problem}"):
        sensor_windows(WindowSection(sensors=["frnt"]), {"front": 905.0, "r": 905.0}, 0)
