# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""An FMU as a guest of a process: threads, signals, memory, other FMUs, the end."""

import os
import signal
import subprocess
import sysconfig
from pathlib import Path

import pytest

from osi_lidar.config import load_config
from tests.builders.messages import moving
from tests.fmu.driving import direct, without_times
from tests.fmu.native.c_master import MAINLY, Master, kinds, needs_cc

pytestmark = needs_cc
TBB = Path(sysconfig.get_path("data")) / "lib" / "libtbb.so.12"
LAYERS = (
    "omp",
    pytest.param(
        "tbb", marks=pytest.mark.skipif(not TBB.is_file(), reason="needs the package tbb")
    ),
    "workqueue",
)
CYCLES, SETTLED_CYCLES = 100, 20
SOAK_STEPS, SETTLED_STEPS = 6000, 500
MOST_GROWTH_KB = 5000
RUNS = 20


def of_layer(layer):
    """Return an environment that chooses a threading layer of numba."""
    return {"NUMBA_THREADING_LAYER": layer, "LD_LIBRARY_PATH": str(TBB.parent)}


def memory_of(path):
    """Return the memory at each step that the master has noted, in kilobytes."""
    return {int(index): int(size) for index, size in map(str.split, path.read_text().splitlines())}


def in_two_threads(master, messages, folder, layer):
    """Return what two instances in two threads answer."""
    outs = [folder / f"{name}.osi" for name in ("a", "b")]
    first, second = (master.words(messages, out=out, name=out.stem, parallel=1) for out in outs)
    master.run(first, second, environment=of_layer(layer))
    return [master.answers(out) for out in outs]


def of_the_model(config, messages):
    """Return what the model of a configuration answers, without times."""
    return list(map(without_times, direct(load_config(config), messages)))


@kinds(MAINLY)
@pytest.mark.parametrize("layer", LAYERS)
def test_two_instances_in_two_threads_answer_as_one_alone(small_master, config, tmp_path, layer):
    messages = moving(15)
    first, second = in_two_threads(small_master, messages, tmp_path, layer)
    assert first == second
    assert list(map(without_times, first)) == of_the_model(config, messages)


def test_two_fmus_of_one_process_answer_as_one_alone(program, small_fmus, fmu_of, config, tmp_path):
    other = tmp_path / "other.yaml"
    other.write_text("sensors: [{preset: VLP-16, columns: 360}]\n")
    fmus = [small_fmus("native, FMI 2"), small_fmus("native, FMI 3")]
    fmus.append(fmu_of("native, FMI 2", other))
    masters = []
    for index, fmu in enumerate(fmus):
        folder = tmp_path / str(index)
        folder.mkdir()
        masters.append(Master(program, fmu, folder))
    messages = moving(5)
    alone = [of_the_model(each, messages) for each in (config, config, other)]
    assert alone[0] != alone[2]
    for parallel in (0, 1):
        groups = [master.words(messages, parallel=parallel) for master in masters]
        masters[0].run(*groups)
        answers = [list(map(without_times, master.answers())) for master in masters]
        assert answers == alone


@kinds(MAINLY)
def test_library_can_be_unloaded_and_loaded_again(small_master):
    words = small_master.words(moving(2))
    assert small_master.run(words, words, words).stdout == "111111"


@kinds(MAINLY)
def test_library_can_be_opened_again_below_an_instance(small_master):
    """As ecos does for a second instance of an FMU."""
    assert small_master.run(small_master.words(moving(2), reopen=1)).stdout == "11"


@kinds(MAINLY)
@pytest.mark.parametrize("handler", [0, 1])
def test_interrupt_does_what_the_host_has_chosen(small_master, handler):
    command = small_master.command(small_master.words(moving(2), steps=10**6, handler=handler))
    with subprocess.Popen(command, env={}, stdout=subprocess.PIPE) as process:
        assert process.stdout.read(50) == b"1" * 50
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        code = process.wait(timeout=60)
    assert set(rest) <= {ord("1")}
    assert code == (4 if handler else -signal.SIGINT)  # a shell says 130 of the latter


@pytest.mark.slow
@kinds(MAINLY)
@pytest.mark.parametrize("layer", LAYERS)
def test_process_ends_cleanly_in_every_run(small_master, layer):
    words = small_master.words(moving(3))
    for _ in range(RUNS):
        done = small_master.run(words, environment=of_layer(layer))  # asserts exit code 0
        assert done.stdout == "111"


@pytest.mark.slow
@kinds(MAINLY)
def test_hundred_instances_need_no_more_memory_than_twenty(small_master, tmp_path):
    memory = tmp_path / "memory.txt"
    words = small_master.words(moving(2), mode="cycles", steps=CYCLES, memory=memory)
    assert small_master.run(words).stdout == "1" * CYCLES
    sizes = memory_of(memory)
    assert sizes[CYCLES - 1] - sizes[SETTLED_CYCLES] < MOST_GROWTH_KB


@pytest.mark.slow
@kinds(MAINLY)
@pytest.mark.parametrize("layer", LAYERS)
def test_memory_is_flat_over_six_thousand_steps(small_master, tmp_path, layer):
    """The master's thread is not that which started Python: each call makes a thread state."""
    memory = tmp_path / "memory.txt"
    keys = {"steps": SOAK_STEPS, "memory": memory, "out": Path(os.devnull)}
    words = small_master.words(moving(50), parallel=1, **keys)
    starter = small_master.words(steps=1, out=Path(os.devnull), parallel=1, memory=tmp_path / "x")
    small_master.run(words, starter, environment=of_layer(layer))
    sizes = memory_of(memory)
    settled = sizes[SETTLED_STEPS]
    assert max(size for index, size in sizes.items() if index > SETTLED_STEPS) - settled < (
        MOST_GROWTH_KB
    )
