# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What kernels run on, how threads wait, which give way, and what memory is kept."""

import os
import platform
import subprocess
import sys

import pytest

from lidar_base.compiled import LAYERS
from lidar_base.process.background import Background
from lidar_base.process.threads import LESS_URGENT, LOOKS, threading_layer

KERNEL = """
import os
from lidar_base.process.threads import sleep_soon
before = dict(os.environ)
sleep_soon()
assert dict(os.environ) == before
import numpy as np
from osi_lidar.clouds.cloud import point_type, spherical
spherical(np.zeros(9, point_type()))
import numba
print(numba.threading_layer())
"""
CHOSEN_IN_PYTHON = """
import numba
numba.config.THREADING_LAYER_PRIORITY = ["workqueue", "omp", "tbb"]
from lidar_base.process.threads import threading_layer
print(threading_layer())
"""
IN_TWO_THREADS = """
import threading
import numba
from osi_lidar.config import default_config
from osi_lidar.model import LidarModel
from osi_bridge import FrameDecoder
from tests.builders.messages import moving

def answers():
    model = LidarModel(default_config("VLP-16", fidelity="physical"))
    decoder = FrameDecoder("SensorView")
    messages = enumerate(moving(5))
    return [model.step(decoder.decode(data, n)).sensor_data for n, data in messages]

together = []
threads = [threading.Thread(target=lambda: together.append(answers())) for _ in range(3)]
for each in threads:
    each.start()
for each in threads:
    each.join()
alone = answers()
print(numba.threading_layer(), sum(each == alone for each in together))
"""
FAULTS = """
import resource
import numpy as np
from lidar_base.process.threads import keep_memory
def faults_of_other_arrays():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    [np.ones(2**20) for _ in range(4)]
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
keep_memory()
print(max([faults_of_other_arrays() for _ in range(20)][5:]))
"""
ORDER = "NUMBA_THREADING_LAYER_PRIORITY"
OURS = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY", "NUMBA_THREADING_LAYER", ORDER)
linux = pytest.mark.skipif(sys.platform != "linux", reason="GNU OpenMP and niceness of threads")


def ran(script, **chosen):
    """Run a script in a process of its own, with nothing chosen in the environment but this."""
    environment = {name: value for name, value in os.environ.items() if name not in OURS}
    return subprocess.run(
        [sys.executable, "-c", script],
        env=environment | chosen,
        capture_output=True,
        check=True,
        text=True,
    )


def settings_of(**chosen):
    """Return what GNU OpenMP says of its settings, where it has run a kernel."""
    done = ran(KERNEL, OMP_DISPLAY_ENV="verbose", **chosen)
    assert done.stdout == "omp\n"
    return [line.strip() for line in done.stderr.splitlines() if "GOMP_SPINCOUNT" in line]


@linux
@pytest.mark.long
def test_waiting_threads_sleep_soon_and_the_environment_stays_as_it_was():
    assert settings_of() == [f"GOMP_SPINCOUNT = '{LOOKS}'"]


@linux
@pytest.mark.long
def test_what_the_environment_says_of_waiting_holds():
    assert settings_of(GOMP_SPINCOUNT="77") == ["GOMP_SPINCOUNT = '77'"]


@pytest.mark.long
@pytest.mark.parametrize(
    "chosen",
    [{"NUMBA_THREADING_LAYER": "workqueue"}, {ORDER: "workqueue tbb omp"}],
    ids=["layer", "order"],
)
def test_what_the_environment_says_of_the_layer_holds(chosen):
    assert ran(KERNEL, **chosen).stdout == "workqueue\n"


@pytest.mark.long
def test_an_order_that_a_program_has_chosen_holds():
    assert ran(CHOSEN_IN_PYTHON).stdout == "workqueue\n"


@pytest.mark.long
@pytest.mark.parametrize("chosen", [{}, {ORDER: "tbb omp workqueue"}], ids=["ours", "numba's own"])
def test_the_order_is_ours_unless_it_is_asked_for(chosen):
    """The order that the user writes may be the one that numba has anyway."""
    script = "import osi_lidar.model, numba; print(*numba.config.THREADING_LAYER_PRIORITY)"
    assert ran(script, **chosen).stdout.split() == (chosen.get(ORDER) or " ".join(LAYERS)).split()


@pytest.mark.long
def test_the_layer_has_a_name_before_a_kernel_runs():
    script = "from lidar_base.process.threads import threading_layer; print(threading_layer())"
    assert ran(script).stdout.strip() in LAYERS
    assert threading_layer() in LAYERS


@pytest.mark.long
@pytest.mark.parametrize("layer", ["workqueue", pytest.param("omp", marks=pytest.mark.slow)])
def test_models_in_several_threads_answer_as_alone(layer):
    """numba itself ends a process in which two threads call kernels of workqueue at once."""
    assert ran(IN_TWO_THREADS, NUMBA_THREADING_LAYER=layer).stdout == f"{layer} 3\n"


@linux
def test_work_in_the_background_gives_way():
    nice = []
    work = Background(lambda _item: nice.append(os.getpriority(os.PRIO_PROCESS, 0)))
    work.give(1)
    work.close()
    assert nice == [min(os.getpriority(os.PRIO_PROCESS, 0) + LESS_URGENT, 19)]


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the setting is glibc's")
def test_a_process_of_ours_asks_once_for_the_memory_of_arrays_that_come_and_go():
    """Four arrays are 8192 pages, which would be asked for in each turn without the setting."""
    assert int(ran(FAULTS).stdout) < 100
