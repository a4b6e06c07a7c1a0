# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A batch takes bundles in place of traces, with the configurations in them."""

import pytest

from lidar_app.batch.table import read_jobs
from tests.builders.batches import answers_here, in_one_process, index_of, plan_in, table_of
from tests.commands import assert_one_line, run
from tests.lidar_app.bundle.scenarios import bundled, clouds_of_bundle, plain, with_code


@pytest.fixture
def bundle(tmp_path):
    """Return a bundle; the files that it was made of are gone."""
    file = bundled(plain(tmp_path / "home"), tmp_path / "bundles" / "scene.osib")
    (tmp_path / "home").rename(tmp_path / "gone")
    return file


def clouds_in(folder):
    """Return the clouds of all runs in a folder, by their names there."""
    return {
        each.relative_to(each.parents[1]).as_posix(): each.read_bytes()
        for each in folder.rglob("*.pcd")
    }


def test_a_bundle_is_run_with_its_own_configuration(tmp_path, bundle):
    plan = plan_in(tmp_path, tmp_path / "out", config="")
    (answer,) = answers_here(plan, read_jobs(str(bundle.parent), plan.out))
    assert answer.outcome.status == "done", answer.outcome
    expected = clouds_of_bundle(bundle, tmp_path / "expected")
    assert clouds_in(tmp_path / "out") == expected
    (again,) = answers_here(plan, read_jobs(str(bundle.parent), plan.out))
    assert (again.outcome.job, again.is_new) == (answer.outcome.job, False)
    elsewhere = bundle.rename(tmp_path / "moved.osib")
    (moved,) = answers_here(plan, read_jobs(str(elsewhere), plan.out))
    assert (moved.outcome.job, moved.is_new) == (answer.outcome.job, False)


def test_a_table_changes_what_a_bundle_says_and_a_damaged_one_is_a_failed_row(
    tmp_path, bundle, monkeypatch
):
    in_one_process(monkeypatch)
    (tmp_path / "cut.osib").write_bytes(bundle.read_bytes()[:-9])
    rows = ("bundles/scene.osib,7,", "bundles/scene.osib,,VLP-16", "cut.osib,,")
    jobs = table_of(tmp_path, "trace,seed,sensor", *rows)
    options = ("--workers", 1, "--scratch", tmp_path / "scratch")
    result = run("batch", jobs, "--out", tmp_path / "out", *options)
    first, other, cut = index_of(tmp_path / "out")
    assert result.exit_code == 1
    assert (first["status"], other["status"], cut["status"]) == ("done", "done", "failed")
    assert first["points"] < other["points"]
    assert "cut.osib: is damaged or cut short" in cut["error"]


def test_workers_tell_of_code_once_and_rows_name_the_bundle(tmp_path, caplog):
    file = bundled(with_code(tmp_path / "home", "curve.txt"), tmp_path / "code.osib")
    jobs = table_of(tmp_path, "trace,seed,sensor", "code.osib,1,", "code.osib,2,", "code.osib,,No")
    options = ("--workers", 1, "--scratch", tmp_path / "scratch")
    result = run("batch", jobs, "--out", tmp_path / "out", *options)
    told = [each for each in caplog.messages if "Python code" in each]
    assert told == [f"{file}: its configuration runs Python code: files/0/curve.txt"]
    *done, bad = index_of(tmp_path / "out")
    assert [each["status"] for each in done] == ["done", "done"]
    assert bad["error"].startswith(f"{file}/config.yaml: sensors[0].preset")
    assert ".osi-lidar-bundle-" not in result.output


def test_a_data_set_takes_runs_of_bundles_alone(tmp_path, bundle):
    told = run("dataset", bundle, "--format", "kitti", "--out", tmp_path / "set")
    assert_one_line(told, 2, "scene.osib: is a bundle, expected its run, by `replay` or `batch`")
