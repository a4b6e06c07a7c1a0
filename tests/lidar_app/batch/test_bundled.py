# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A batch takes bundles in place of traces, with the configurations in them."""

import json

import pytest

from lidar_app.batch.table import read_jobs
from lidar_app.bundle.opening import open_bundle
from tests.builders.batches import answers_here, in_one_process, index_of, plan_in, table_of
from tests.builders.messages import ahead, host
from tests.builders.runs import write_worlds
from tests.commands import assert_one_line, run
from tests.lidar_app.bundle.scenarios import bundled, clouds, clouds_of_bundle, plain, with_code
from tests.lidar_app.datasets.test_data_set import contents


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


def test_a_bundle_stands_for_the_configuration_of_a_batch_or_of_a_row(
    tmp_path, monkeypatch, caplog
):
    in_one_process(monkeypatch)
    place = plain(tmp_path / "home")
    coded = bundled(with_code(tmp_path / "code", "curve.txt"), tmp_path / "code.osib")
    bundled(place, tmp_path / "scene.osib")
    jobs = table_of(
        tmp_path, "trace,config,seed", "home/drive.osi,,1", "home/drive.osi,scene.osib,2"
    )
    options = ("--workers", 1, "--scratch", tmp_path / "scratch", "--config", coded)
    told = run("batch", jobs, "--out", tmp_path / "out", *options)
    assert told.exit_code == 0, told.output
    code = [each for each in caplog.messages if "Python code" in each]
    assert code == [f"{coded}: its configuration runs Python code: files/0/curve.txt"]
    first, second = index_of(tmp_path / "out")
    assert (first["status"], second["status"]) == ("done", "done")
    report = json.loads((tmp_path / "out" / first["job"] / "run.json").read_text())
    assert report["config"]["sensors"][0]["pattern"]["file"] == f"{coded}/files/0/curve.txt"
    expected = clouds(place.config, place.trace, tmp_path / "expected")
    assert clouds_in(tmp_path / "out" / second["job"]) == expected
    told = run("batch", place.trace, "-c", tmp_path / "no.osib", "--out", tmp_path / "none")
    assert_one_line(told, 2, "no.osib: no such file")


@pytest.fixture(scope="module")
def scheduler():
    """Return the address of a cluster of one process."""
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    from osi_lidar.run.cluster import cluster

    with cluster(workers=1) as client:
        yield client.scheduler.address


def test_workers_of_a_cluster_take_bundles_and_tell_of_code_once(tmp_path, scheduler, caplog):
    file = bundled(with_code(tmp_path / "home", "curve.txt"), tmp_path / "code.osib")
    jobs = table_of(tmp_path, "trace,seed", "code.osib,1", "code.osib,2")
    options = ("--scheduler", scheduler, "--scratch", tmp_path / "scratch")
    told = run("batch", jobs, "--out", tmp_path / "out", *options)
    assert told.exit_code == 0, told.output
    code = [each for each in caplog.messages if "Python code" in each]
    assert code == [f"{file}: its configuration runs Python code: files/0/curve.txt"]
    assert [each["status"] for each in index_of(tmp_path / "out")] == ["done", "done"]


def test_a_bundle_is_unpacked_where_all_machines_of_a_cluster_see_it(
    tmp_path, scheduler, bundle, monkeypatch
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "absent"))
    expected = clouds_of_bundle_beside(bundle, tmp_path)
    told = run("replay", bundle, "--scheduler", scheduler, "--out", tmp_path / "shared" / "out")
    assert told.exit_code == 0, told.output
    assert clouds_in(tmp_path / "shared" / "out") == expected
    text = (tmp_path / "shared" / "out" / "run.json").read_text()
    assert ".osi-lidar-bundle-" not in text
    vary = ("--vary", "seed=1,2", "--out", tmp_path / "sweep")
    told = run("sweep", bundle, "--scheduler", scheduler, *vary)
    assert told.exit_code == 0, told.output
    assert not [*tmp_path.rglob(".osi-lidar-bundle-*")]


def clouds_of_bundle_beside(bundle, folder):
    """Return the clouds of a bundle, which is unpacked into a folder for it."""
    with open_bundle(bundle, folder) as opened:
        return clouds(opened.config, opened.trace, folder / "expected")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_data_set_of_bundles_is_that_of_what_they_hold(tmp_path, workers, caplog):
    options = ("--format", "openpcdet", "--split", "1/0/1", "--workers", workers)
    place = with_code(tmp_path / "home", "curve.txt")
    other = with_code(tmp_path / "other", "curve.txt")
    write_worlds(other.trace, [[host(), ahead(2, "car.obj", x_m=9.0)]])
    for each in (place, other):
        bundled(each, each.trace.with_suffix(".osib"))
    traces, bundles = zip(
        *((each.trace, each.trace.with_suffix(".osib")) for each in (place, other)), strict=True
    )
    told = run("dataset", *traces, "-c", place.config, *options, "--out", tmp_path / "expected")
    assert told.exit_code == 0, told.output
    told = run("dataset", *bundles, *options, "--out", tmp_path / "set")
    assert told.exit_code == 0, told.output
    code = [each for each in caplog.messages if "Python code" in each]
    assert code == [
        f"{file}: its configuration runs Python code: files/0/curve.txt" for file in bundles
    ]
    found, expected = contents(tmp_path / "set"), contents(tmp_path / "expected")
    card = found.pop("README.md").decode()
    assert "osi-lidar dataset drive.osib drive.osib --format" in card
    del expected["README.md"]
    assert found == expected
    assert not [each for each in caplog.messages if "get no class" in each]
    mixed = ("dataset", traces[0], bundles[1], "-c", bundles[0], *options)
    told = run(*mixed, "--out", tmp_path / "mixed")
    assert told.exit_code == 0, told.output
    assert not [*tmp_path.glob(".*")]


def test_a_data_set_reads_the_trace_in_a_bundle_where_no_tables_of_truth_can_be_written(
    tmp_path, bundle, monkeypatch
):
    for module in ("replays", "tables"):
        monkeypatch.setattr(f"lidar_app.datasets.{module}.is_parquet_missing", lambda: True)
    options = ("--format", "openpcdet", "--split", "1/0/0", "--workers", 1)
    gone = tmp_path / "gone"
    told = run(
        "dataset", gone / "drive.osi", "-c", gone / "config.yaml", *options, "-o", tmp_path / "a"
    )
    assert told.exit_code == 0, told.output
    named = bundle.rename(tmp_path / "drive.osib")  # as the trace, which names the scene
    told = run("dataset", named, *options, "-o", tmp_path / "b")
    assert told.exit_code == 0, told.output
    found, expected = contents(tmp_path / "b"), contents(tmp_path / "a")
    for each in (found, expected):
        del each["README.md"]
    assert found == expected
    assert not [*tmp_path.glob(".*")]


def test_a_data_set_finds_the_trace_of_the_runs_of_a_batch_in_their_bundle(
    tmp_path, bundle, monkeypatch
):
    unpacked = []

    def noting(file, *more, **options):
        unpacked.append(file)
        return open_bundle(file, *more, **options)

    table_of(tmp_path, "trace,sensor", f"{bundle},", f"{bundle},VLP-16")
    told = run("batch", tmp_path / "jobs.csv", "--out", tmp_path / "out", "--workers", 1)
    assert told.exit_code == 0, told.output
    monkeypatch.setattr("lidar_app.bundle.opening.open_bundle", noting)
    options = ("--format", "kitti", "--split", "1/0/0", "--workers", 1)
    told = run("dataset", tmp_path / "out", *options, "--out", tmp_path / "set")
    assert told.exit_code == 0, told.output
    assert unpacked == [bundle]


def test_what_is_wrong_with_a_bundle_of_a_data_set_is_one_line(tmp_path, bundle):
    (tmp_path / "cut.osib").write_bytes(bundle.read_bytes()[:-9])
    options = ("--format", "kitti", "--out", tmp_path / "set")
    told = run("dataset", bundle, tmp_path / "cut.osib", *options)
    assert_one_line(told, 2, f"{tmp_path}/cut.osib: is damaged or cut short")
    told = run("dataset", bundle, "-c", tmp_path / "cut.osib", *options)
    assert_one_line(told, 2, f"{tmp_path}/cut.osib: is damaged or cut short")
    assert not (tmp_path / "set").exists()
