# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Hashes of the inputs of a batch."""

import logging

from lidar_app.batch import contents


def test_a_folder_with_too_many_files_is_said_to_be_followed_in_part(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(contents, "_MOST_FILES", 1)
    for place in ("first.obj", "second.obj", "a/third.obj"):
        file = tmp_path / place
        file.parent.mkdir(exist_ok=True)
        file.write_text("o", encoding="utf-8")
    hashes = contents.InputHashes(str(tmp_path / "out"))
    with caplog.at_level(logging.WARNING):
        before = hashes.of_folder(tmp_path)
        assert hashes.of_folder(tmp_path) == before
    expected = [f"{tmp_path}: more than 1 files; others may change unnoticed"]
    assert [each.message for each in caplog.records] == expected
