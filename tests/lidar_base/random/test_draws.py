# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Random numbers: the published generator, the distributions, and what they depend on."""

import math

import numpy as np
import pytest

from lidar_base.block_kernels import BLOCK
from lidar_base.random import random_kernels
from lidar_base.random.draws import Draws
from lidar_base.random.random_kernels import DROP_OUT, LASER_BIAS, LINE_OF_SIGHT, RANGE_NOISE
from tests.builders.threads import kernel_threads

N = 200_000
INDEX = np.arange(N, dtype=np.uint32)
# Kolmogorov-Smirnov: sup |F_n - F| exceeds 1.95 / sqrt(n) in one sample of 1000.
KS_LIMIT = 1.95 / math.sqrt(N)
# An uncorrelated pair of columns gives 4 / sqrt(n) in one sample of 16 000.
CORRELATION_LIMIT = 4.0 / math.sqrt(N)


def draws(seed=1, sensor="roof", time_ns=1_700_000_000_100_000_000):
    return Draws.of(seed=seed, sensor=sensor, time_ns=time_ns)


def ks_distance(values, cumulative):
    """Return the largest distance between a sample's distribution and the one it should have."""
    expected = cumulative(np.sort(values))
    steps = np.arange(len(values) + 1) / len(values)
    return max((expected - steps[:-1]).max(), (steps[1:] - expected).max())


def gaussian_cdf(x):
    return 0.5 * np.array([math.erfc(-value / math.sqrt(2.0)) for value in x])


def laplace_cdf(x):
    """Of standard deviation 1: the scale is 1 / sqrt(2)."""
    tail = 0.5 * np.exp(-np.abs(x) * math.sqrt(2.0))
    return np.where(x < 0, tail, 1.0 - tail)


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    # kat_vectors of Random123, the generator's authors' own library
    [
        ("00000000 " * 4, "00000000 " * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff " * 4, "ffffffff " * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            "243f6a88 85a308d3 13198a2e 03707344",
            "a4093822 299f31d0",
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_philox_gives_the_known_answers_of_its_authors(counter, key, words):
    arguments = [np.uint64(int(word, 16)) for word in (counter + " " + key).split()]
    got = random_kernels.philox4x32(*arguments)
    assert [f"{int(word):08x}" for word in got] == words.split()


def test_the_logarithm_is_that_of_the_mathematics_library():
    values = [*np.random.default_rng(1).uniform(0, 1, 2000), 2.0**-104, 2.0**-53, 0.5, 1.0, 7.5]
    for value in values:
        expected = math.log(value)
        assert random_kernels.logarithm(value) == pytest.approx(expected, rel=1e-15, abs=1e-15)


def test_uniform_numbers_fill_their_interval_evenly_and_leave_out_its_ends():
    drawn = draws().uniform(DROP_OUT, INDEX)
    assert drawn.min() > 0.0
    assert drawn.max() < 1.0
    counts = np.bincount((drawn * 256).astype(int), minlength=256)
    # chi-square of 255 degrees of freedom: above 330.5 in one sample of 1000
    assert ((counts - N / 256) ** 2).sum() / (N / 256) < 330.5
    assert ks_distance(drawn, lambda x: x) < KS_LIMIT


@pytest.mark.parametrize(
    ("distribution", "cumulative"), [("gaussian", gaussian_cdf), ("laplace", laplace_cdf)]
)
def test_normal_numbers_have_their_distribution(distribution, cumulative):
    drawn = draws().normal(RANGE_NOISE, INDEX, distribution)
    assert ks_distance(drawn, cumulative) < KS_LIMIT
    assert drawn.std() == pytest.approx(1.0, abs=0.01)


def gaussian_pairs_of(stream, purpose, index):
    """Draw pairs by the kernel, block by block, as float64 (2, n)."""
    pairs, redraw = np.empty((2, len(index))), random_kernels.new_redraw()
    for first in range(0, len(index), BLOCK):
        part = index[first : first + BLOCK]
        one, other = pairs[:, first : first + BLOCK]
        random_kernels.gaussian_pairs(stream, purpose, part, len(part), redraw, one, other)
    return pairs


def uniform_pair_alone(stream, purpose, index):
    """Return the pair of one index as it is defined, one step after the other."""
    counter = (int(index), int(purpose), *map(int, stream[2:]))
    words = random_kernels.philox4x32(*map(np.uint64, (*counter, *stream[:2])))
    w0, w1, w2, w3 = map(int, words)
    return tuple(
        (leading + 0.5) * 2.0**-52 for leading in ((w0 << 32 | w1) >> 12, (w2 << 32 | w3) >> 12)
    )


def logarithm_alone(x):
    mantissa, exponent = math.frexp(x)
    if mantissa < math.sqrt(0.5):
        mantissa, exponent = 2.0 * mantissa, exponent - 1
    z, series = (mantissa - 1.0) / (mantissa + 1.0), 0.0
    for k in range(10, -1, -1):
        series = series * (z * z) + 1.0 / (2 * k + 1)
    return 2.0 * z * series + exponent * math.log(2.0)


def laplace_alone(stream, purpose, index):
    share = 2.0 * uniform_pair_alone(stream, purpose, index)[0] - 1.0
    return math.copysign(-logarithm_alone(1.0 - abs(share)) * math.sqrt(0.5), share)


def gaussian_pair_alone(stream, purpose, index):
    """Return the pair, and how many attempts were refused (Marsaglia's method)."""
    for attempt in range(100):
        uniform = uniform_pair_alone(stream, int(purpose) | attempt << 16, index)
        x, y = (2.0 * each - 1.0 for each in uniform)
        square = x * x + y * y
        if square < 1.0:
            factor = math.sqrt(-2.0 * logarithm_alone(square) / square)
            return x * factor, y * factor, attempt
    raise AssertionError


def gaussian_pairs_alone(stream, purpose, index):
    return np.array([gaussian_pair_alone(stream, purpose, i)[:2] for i in index]).T


@pytest.mark.parametrize("n", [1, 2, 7, 9, 1023, 1024, 1025, 3001])
def test_a_block_draws_what_each_index_would_draw_alone(n):
    """To the last bit, also where attempts are refused, several in a row among them."""
    one, index = draws(), np.arange(n, dtype=np.uint32) * np.uint32(1_000_003)
    stream = one.stream
    *pairs, refused = np.array([gaussian_pair_alone(stream, RANGE_NOISE, i) for i in index]).T
    assert n < 1000 or (np.bincount(refused.astype(int))[:5] > 0).all()
    np.testing.assert_array_equal(gaussian_pairs_of(stream, RANGE_NOISE, index), pairs)
    np.testing.assert_array_equal(one.normal(RANGE_NOISE, index), pairs[0])
    laplaces = [laplace_alone(stream, RANGE_NOISE, i) for i in index]
    np.testing.assert_array_equal(one.normal(RANGE_NOISE, index, "laplace"), laplaces)
    uniforms = np.array([uniform_pair_alone(stream, DROP_OUT, i) for i in index]).T
    np.testing.assert_array_equal(one.uniform(DROP_OUT, index), uniforms[0])
    first, second = np.empty((2, n))
    random_kernels.uniform_pairs(stream, DROP_OUT, index, n, first, second)
    np.testing.assert_array_equal((first, second), uniforms)


def test_blocks_draw_the_same_where_all_or_no_first_attempts_are_refused():
    stream, index = draws().stream, np.arange(4000, dtype=np.uint32)
    refused = np.array([gaussian_pair_alone(stream, RANGE_NOISE, i)[2] for i in index])
    for some in (index[refused > 0], index[refused == 0], index[refused > 2]):
        expected = gaussian_pairs_alone(stream, RANGE_NOISE, some)
        np.testing.assert_array_equal(gaussian_pairs_of(stream, RANGE_NOISE, some), expected)


def test_no_index_draws_nothing():
    assert len(draws().normal(RANGE_NOISE, INDEX[:0])) == 0


def test_the_two_numbers_of_a_pair_are_gaussian_and_independent():
    pairs = gaussian_pairs_of(draws().stream, LINE_OF_SIGHT, INDEX)
    assert ks_distance(pairs[1], gaussian_cdf) < KS_LIMIT
    assert abs(np.corrcoef(pairs)[0, 1]) < CORRELATION_LIMIT
    assert abs(np.corrcoef(np.abs(pairs))[0, 1]) < CORRELATION_LIMIT


@pytest.mark.parametrize(
    "other",
    [
        draws(seed=2),
        draws(seed=1 + 2**63),
        draws(sensor="front"),
        draws(time_ns=1_700_000_000_100_000_001),
        draws(time_ns=1_700_000_000_100_000_000 + 2**32),
        draws(time_ns=-5),
    ],
)
def test_another_seed_sensor_or_time_draws_other_numbers(other):
    one = draws().normal(RANGE_NOISE, INDEX)
    assert abs(np.corrcoef(one, other.normal(RANGE_NOISE, INDEX))[0, 1]) < CORRELATION_LIMIT


def test_neighbouring_beams_and_other_purposes_draw_other_numbers():
    one = draws().uniform(RANGE_NOISE, INDEX)
    for other in (
        np.roll(one, 1),
        *(draws().uniform(each, INDEX) for each in (LASER_BIAS, LINE_OF_SIGHT, DROP_OUT)),
    ):
        assert abs(np.corrcoef(one, other)[0, 1]) < CORRELATION_LIMIT


def test_a_number_does_not_depend_on_which_others_are_drawn_or_on_threads():
    with kernel_threads(2):
        whole = draws().normal(RANGE_NOISE, INDEX)
    some = np.array([70_003, 5, 199_999], np.uint32)
    assert draws().normal(RANGE_NOISE, some).tobytes() == whole[some].tobytes()
    with kernel_threads(1):
        assert draws().normal(RANGE_NOISE, INDEX).tobytes() == whole.tobytes()


def test_every_machine_draws_the_same_numbers():
    """To the last bit; a change of these is a change of every run with a seed."""
    index = np.array([0, 1, 131_071], np.uint32)
    one = draws()
    drawn = [
        one.uniform(DROP_OUT, index),
        one.normal(RANGE_NOISE, index),
        one.normal(RANGE_NOISE, index, "laplace"),
    ]
    assert [[x.hex() for x in row] for row in drawn] == [
        ["0x1.ab4341ec6bb6dp-1", "0x1.297e5ea971552p-2", "0x1.b269be367ef4cp-3"],
        ["-0x1.4639ecdb9ae81p-1", "0x1.2342ef2b39080p-1", "0x1.2c0d1a5397b98p-1"],
        ["-0x1.94d1269e23b1ep-3", "0x1.4383d37b77b46p+0", "0x1.d53f96d0e3d4ep+0"],
    ]
