# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A master may write the place of the resources in every way that a standard allows."""

from urllib.parse import quote

from tests.builders.messages import moving
from tests.fmu.native.c_master import Master, kinds, needs_cc

pytestmark = needs_cc
FOLDER = "müller (1) %41 ✓"


def every_byte(path):
    """Return the percent codes of all bytes but slashes."""
    return "/".join("".join(f"%{byte:02x}" for byte in part.encode()) for part in path.split("/"))


WRITTEN = {
    "one slash": lambda path: f"file:{quote(path)}",
    "three slashes": lambda path: f"file://{quote(path)}",
    "localhost": lambda path: f"file://localhost{quote(path)}",
    "capitals": lambda path: f"FILE://LOCALHOST{quote(path)}",
    "every byte coded": lambda path: f"file://{every_byte(path)}",
    "raw but for percent signs": lambda path: f"file://{path.replace('%', '%25')}",
    "slash at the end": lambda path: f"file://{quote(path)}/",
    "a path": lambda path: path,
}


def test_place_of_resources_is_found_however_it_is_written(program, small_fmus, tmp_path):
    folder = tmp_path / FOLDER
    folder.mkdir()
    master = Master(program, small_fmus("native, FMI 2"), folder)
    places = {name: written(str(master.resources)) for name, written in WRITTEN.items()}
    done = master.run(*(master.words(moving(1), resources=each) for each in places.values()))
    assert dict(zip(places, done.stdout, strict=True)) == dict.fromkeys(places, "1")


def test_place_of_fmi_3_is_a_path_of_any_letters(program, small_fmus, tmp_path):
    folder = tmp_path / FOLDER
    folder.mkdir()
    _, valid, _ = Master(program, small_fmus("native, FMI 3"), folder).drive(moving(1))
    assert valid == "1"


@kinds(["native, FMI 2"])
def test_place_that_is_no_utf8_is_told_as_utf8(small_master):
    place = "file:///no\udcffwhere"
    _, valid, (line,) = small_master.drive(moving(1), resources=place)
    assert valid == "x"
    assert "/no?where: has no" in line
