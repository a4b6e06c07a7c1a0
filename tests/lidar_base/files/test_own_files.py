# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files are replaced where an earlier run has written them, and nowhere else."""

import json
import re

import pytest

from lidar_base.errors import OutputError
from lidar_base.files.own_files import (
    LIST,
    check_names,
    check_whole,
    claimed,
    note,
    remove_own,
    written_in,
)
from lidar_base.files.whole_files import cause_of, replacing
from tests.builders.refusals import one_line


def write(path, text, by="view", **options):
    with claimed(by, path, **options), replacing(path) as part:
        part.write_text(text)


def test_a_file_of_an_earlier_run_is_replaced(tmp_path):
    for text in ("one", "two", "three"):
        write(tmp_path / "a.html", text)
    assert (tmp_path / "a.html").read_text() == "three"


def test_a_foreign_file_is_replaced_only_where_overwrite_names_it(tmp_path):
    path = tmp_path / "a.html"
    path.write_text("mine")
    with pytest.raises(OutputError, match=r"a\.html: exists, .* or give --overwrite$"):
        write(path, "new")
    assert path.read_text() == "mine"
    assert [each.name for each in tmp_path.iterdir()] == ["a.html"]
    write(path, "new", overwrite=True)
    write(path, "newer")
    assert path.read_text() == "newer"


def test_a_file_that_was_edited_is_foreign(tmp_path):
    write(tmp_path / "a.html", "new")
    (tmp_path / "a.html").write_text("edited")
    with pytest.raises(OutputError, match="was not written by `view`"):
        write(tmp_path / "a.html", "newer")


def test_a_file_of_another_command_is_foreign(tmp_path):
    write(tmp_path / "a.yaml", "kept", by="config init")
    with pytest.raises(OutputError, match="was not written by `view`"):
        write(tmp_path / "a.yaml", "new")
    write(tmp_path / "a.yaml", "new", overwrite=True)
    with pytest.raises(OutputError, match="was not written by `config init`"):
        write(tmp_path / "a.yaml", "newer", by="config init")


def test_a_file_that_the_claim_did_not_name_is_checked_too(tmp_path):
    (tmp_path / "a.mtl").write_text("mine")
    with (
        pytest.raises(OutputError, match=r"a\.mtl: exists"),
        claimed("world", tmp_path / "a.obj"),
        replacing(tmp_path / "a.mtl"),
    ):
        pass
    assert (tmp_path / "a.mtl").read_text() == "mine"


def test_a_link_is_foreign_and_what_it_leads_to_stays(tmp_path):
    (tmp_path / "precious.txt").write_text("mine")
    (tmp_path / "a.html").symlink_to("precious.txt")
    with pytest.raises(OutputError, match="exists"):
        write(tmp_path / "a.html", "new")
    write(tmp_path / "a.html", "new", overwrite=True)  # the link was named, not its target
    assert (tmp_path / "precious.txt").read_text() == "mine"


def test_files_are_removed_by_the_list_and_never_behind_links(tmp_path):
    run, precious = tmp_path / "run", tmp_path / "precious"
    for folder in (run / "roof", precious):
        folder.mkdir(parents=True)
    names = ["roof/000000.pcd", "front/000000.pcd", "../precious/000000.pcd", "a.txt"]
    note(run, names, "replay")
    note(run, ["b.txt"], "view")
    (run / "front").symlink_to(precious)
    kept = [run / "roof/000001.pcd", precious / "000000.pcd", run / "b.txt"]
    for path in [run / "roof/000000.pcd", run / "a.txt", *kept]:
        path.write_text("x")
    remove_own(run, "replay")
    assert all(path.is_file() for path in kept)
    assert sorted(each.name for each in run.rglob("*")) == sorted(
        [LIST, "000001.pcd", "b.txt", "front", "roof"]
    )
    assert written_in(run, "replay") == {}
    assert written_in(run, "view") == {"b.txt": None}


def test_a_list_that_was_cut_or_made_up_leads_nowhere(tmp_path):
    lines = ['["../a", null, "x"]', '["/etc/a", null, "x"]', "[1]", "{}", "\xff", '["a", nul']
    (tmp_path / LIST).write_text("\n".join([*lines, "[" * 100_000]))
    assert written_in(tmp_path, "x") == {}


def test_a_name_that_is_to_be_written_is_free_or_own(tmp_path):
    names = re.compile(r"run\.json|roof|roof/\d{6}\.pcd")
    (tmp_path / "roof").mkdir()
    note(tmp_path, ["roof/000000.pcd"], "replay")
    for name in ("roof/000000.pcd", "notes.txt", "roof/notes.txt"):
        (tmp_path / name).touch()
    check_names(tmp_path, names, "replay")
    (tmp_path / "roof" / "000001.pcd").touch()
    with pytest.raises(OutputError, match=r"roof/000001\.pcd, which no replay wrote"):
        check_names(tmp_path, names, "replay")


def test_a_folder_is_replaced_as_a_whole_if_nothing_in_it_is_foreign(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    check_whole(out, "export.json", what="export")
    (out / "a.bin").touch()
    with pytest.raises(OutputError, match=r"a\.bin, which no export wrote"):
        check_whole(out, "export.json", what="export")
    (out / "export.json").write_text("[" * 100_000)
    with pytest.raises(OutputError, match=r"no export wrote"):
        check_whole(out, "export.json", what="export")
    (out / "export.json").write_text(json.dumps({"files": ["a.bin"]}))
    check_whole(out, "export.json", what="export")
    write(out / "view.html", "page")  # made of what is beside it
    check_whole(out, "export.json", what="export")
    (tmp_path / "link").symlink_to(out)
    with pytest.raises(OutputError, match="is a link, so it is not replaced"):
        check_whole(tmp_path / "link", "export.json", what="export")
    (out / "link").symlink_to(tmp_path)
    with pytest.raises(OutputError, match="link, which no export wrote"):
        check_whole(out, "export.json", what="export")


def test_the_cause_of_an_error_without_words_is_told():
    assert cause_of(OSError(28, "No space left on device")) == "No space left on device"
    told = cause_of(OSError("157 requested and 77 written"))
    assert told == "the disk is full, or the file may not grow: 77 of 157 values written"
    assert cause_of(OSError("odd\nthing")) == "odd thing"
    assert cause_of(OSError()) == "OSError"


@pytest.mark.parametrize("names", [("a.txt",), ()])
def test_what_cannot_be_removed_is_one_line(tmp_path, monkeypatch, names):
    write(tmp_path / "a.txt", "x")

    def refuse(*_args, **_options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(tmp_path), "unlink", refuse)
    with one_line(OutputError, match=r"a\.txt: cannot be removed: Permission denied$"):
        remove_own(tmp_path, "view", *names)
    (tmp_path / "a.txt").write_text("changed since")
    if not names:
        with one_line(OutputError, match="files: cannot be removed: Permission denied$"):
            remove_own(tmp_path, "view")
