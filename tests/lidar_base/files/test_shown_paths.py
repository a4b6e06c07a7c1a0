# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths of unpacked files are shown as those of their archive."""

from contextlib import ExitStack

import pytest

from lidar_base.files import shown_paths
from lidar_base.files.shown_paths import actual_values, shown_as, shown_text, shown_values


def test_an_error_that_leaves_the_block_names_the_archive(tmp_path, monkeypatch):
    monkeypatch.setattr(shown_paths, "_shown", {})
    error = ValueError(f"{tmp_path}/unpacked/car.obj: no mesh", 3)
    shown = shown_as(tmp_path / "unpacked", tmp_path / "scene.osib")
    with pytest.raises(ValueError, match="no mesh") as caught, shown:
        raise error
    assert caught.value.args == (f"{tmp_path}/scene.osib/car.obj: no mesh", 3)


def test_paths_below_the_folder_are_shown_below_the_archive(tmp_path, monkeypatch):
    monkeypatch.setattr(shown_paths, "_shown", {})
    folder, archive = tmp_path / "unpacked", tmp_path / "sent" / ".." / "scene.osib"
    assert shown_values([str(folder)]) == [str(folder)]
    with shown_as(folder, archive):
        assert actual_values({"a": [f"{tmp_path}/scene.osib/x"]}) == {"a": [f"{folder}/x"]}
        with shown_as(tmp_path / "again", archive):
            assert actual_values(f"{tmp_path}/scene.osib/x") == f"{tmp_path}/again/x"
        assert actual_values(f"{tmp_path}/scene.osib/x") == f"{folder}/x"
        assert actual_values(f"{tmp_path}/scene.osib2/x") == f"{tmp_path}/scene.osib2/x"
    assert actual_values(f"{tmp_path}/scene.osib/x") == f"{tmp_path}/scene.osib/x"
    assert shown_text(f"{folder}/car.obj: no mesh") == f"{tmp_path}/scene.osib/car.obj: no mesh"
    value = {"a": (str(folder), 1, None), "b": {"c": f"{folder}/x"}, "d": 2.5}
    assert shown_values(value) == {
        "a": [f"{tmp_path}/scene.osib", 1, None],
        "b": {"c": f"{tmp_path}/scene.osib/x"},
        "d": 2.5,
    }


def test_blocks_of_one_archive_may_end_in_any_order_as_in_threads(tmp_path, monkeypatch):
    monkeypatch.setattr(shown_paths, "_shown", {})
    archive = tmp_path / "scene.osib"
    first, second = (shown_as(tmp_path / name, archive) for name in ("first", "second"))
    with ExitStack() as one, ExitStack() as other:
        one.enter_context(first)
        other.enter_context(second)
        one.close()
        assert actual_values(f"{archive}/x") == f"{tmp_path}/second/x"
    assert actual_values(f"{archive}/x") == f"{archive}/x"
    assert not shown_paths.unpacked_archives()
