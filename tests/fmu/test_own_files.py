# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""An FMU replaces the files of its earlier runs, and nobody else's."""

import pytest

from osi_lidar.errors import InputError
from tests.builders.messages import moving
from tests.fmu.driving import complaints, running, step


def clouds(folder):
    return {path.name: path.read_bytes() for path in (folder / "lidar" / "s").glob("*.pcd")}


def run_once(fmu, folder):
    with running(fmu, pcd_folder=str(folder)) as one:
        assert step(one, moving()[0])
        one.terminate()


def test_a_second_run_replaces_the_clouds_of_the_first(small_fmu, tmp_path):
    run_once(small_fmu, tmp_path)
    first = clouds(tmp_path)
    run_once(small_fmu, tmp_path)
    assert clouds(tmp_path) == first
    assert first


@pytest.mark.parametrize("name", ["lidar/s/000000.pcd", "lidar/s"])
def test_an_fmu_refuses_a_folder_with_clouds_of_others(small_fmu, tmp_path, name):
    other, log = tmp_path / "other", []
    foreign = tmp_path / name
    foreign.parent.mkdir(parents=True)
    if foreign.suffix:
        foreign.write_text("mine")
    else:
        other.mkdir()
        foreign.symlink_to(other)
    started = running(small_fmu, log, pcd_folder=str(tmp_path))
    with pytest.raises(InputError), started:
        pass
    words = f"contains {name.partition('/')[2]}, which no run wrote"
    assert [line for line in complaints(log) if words in line]
    assert foreign.is_symlink() or foreign.read_text() == "mine"
