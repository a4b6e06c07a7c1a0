# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Batches over object storage: memory of the process, and a local server that speaks S3."""

import json
import os
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from urllib.request import urlopen

import pyarrow.parquet as pq
import pytest

from lidar_app.batch.files import StoredFiles
from lidar_app.batch.running import Machines, run_batch
from lidar_app.batch.shards import Shard
from lidar_app.batch.table import read_jobs
from lidar_app.batch.work import JobWorker
from osi_lidar.errors import InputError, OutputError
from tests.builders.batches import CONFIG, answers_here, outputs, plan_in, write_traces
from tests.builders.meshes import CUBE
from tests.commands import assert_one_line, run

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")


def upload(files, folder, address):
    for path in folder.rglob("*"):
        if path.is_file():
            files.pipe_file(f"{address}/{path.relative_to(folder).as_posix()}", path.read_bytes())


def download(files, address, folder):
    """Copy what is below an address into a folder, and return it."""
    for name in files.find(address):
        path = folder / name[len(files._strip_protocol(address)) :].lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(files.cat_file(name))
    return folder


def stored_outputs(files, address, folder):
    """Return the outputs at an address, without the paths that differ from those of a folder."""
    found = outputs(download(files, address, folder))
    return {name: without_paths(each) for name, each in found.items()}


def without_paths(content):
    if not isinstance(content, dict):
        return content
    return {**content, "input": {**content["input"], "file": ""}, "config": None}


def on_this_disk(tmp_path):
    """Return the outputs of the traces where they lie on this machine."""
    plan = plan_in(tmp_path, tmp_path / "here")
    for answer in answers_here(plan, read_jobs(str(tmp_path / "traces"), plan.out)):
        assert answer.outcome.status == "done"
    return {name: without_paths(each) for name, each in outputs(plan.out).items()}


def test_a_bucket_gives_the_bytes_of_a_folder(tmp_path, memory):
    write_traces(tmp_path / "traces", 3)
    expected = on_this_disk(tmp_path)
    upload(memory, tmp_path / "traces", "memory://in/drives")
    memory.pipe_file("memory://in/config/lidar.yaml", CONFIG.encode())
    plan = plan_in(tmp_path, "memory://out/batch", config="memory://in/config/lidar.yaml")
    jobs = read_jobs("memory://in/drives", plan.out)
    assert [job.trace for job in jobs] == [f"memory://in/drives/drive00{n}.osi" for n in range(3)]
    report = run_batch(plan, jobs, Shard(), Machines())
    assert (report.n_new, report.failures) == (3, [])
    assert stored_outputs(memory, plan.out, tmp_path / "copy") == expected
    with memory.open("memory://out/batch/index.parquet") as file:
        rows = pq.read_table(file).to_pylist()
    assert [row["uri"] for row in rows] == [f"memory://out/batch/{row['job']}" for row in rows]
    run_json = json.loads(memory.cat_file(f"{rows[0]['uri']}/run.json"))
    assert run_json["input"]["file"] == "memory://in/drives/drive000.osi"
    assert not list((tmp_path / "scratch").rglob("*.part"))
    assert not list((tmp_path / "scratch" / "placed").iterdir())
    assert run_batch(plan, jobs, Shard(), Machines()).n_new == 0


def test_objects_that_no_batch_wrote_are_left_alone(tmp_path, memory):
    write_traces(tmp_path / "traces", 1)
    upload(memory, tmp_path / "traces", "memory://in")
    memory.pipe_file("memory://in/jobs.csv", b"trace,out\ndrive000.osi,precious\n")
    memory.pipe_file("memory://out/precious/thesis.txt", b"thesis")
    plan = plan_in(tmp_path, "memory://out")
    (job,) = read_jobs("memory://in/jobs.csv", plan.out)
    outcome = JobWorker(plan).perform(job).outcome
    assert outcome.error.endswith(
        "which no batch wrote, so the folder is not replaced; choose another --out"
    )
    assert memory.find("memory://out/precious") == ["/out/precious/thesis.txt"]
    memory.rm_file("memory://out/precious/thesis.txt")
    again = replace(plan, retry_failed=True)
    assert JobWorker(again).perform(job).outcome.status == "done"
    memory.pipe_file("memory://out/precious/VLP-16/notes.txt", b"mine")
    changed = replace(plan, changes='[[["seed"], 5]]', options="other")
    error = JobWorker(changed).perform(job).outcome.error
    assert "precious: contains VLP-16/notes.txt, which no batch wrote, so" in error
    assert memory.cat_file("memory://out/precious/VLP-16/notes.txt") == b"mine"


def test_an_upload_that_was_killed_is_replaced(tmp_path, memory, monkeypatch):
    write_traces(tmp_path / "traces", 1)
    upload(memory, tmp_path / "traces", "memory://in")
    plan = plan_in(tmp_path, "memory://out")
    (job,) = read_jobs("memory://in", plan.out)
    first = JobWorker(plan).perform(job).outcome
    changed = replace(plan, changes='[[["seed"], 5]]')
    whole = memory.find(first.uri)

    class KilledError(BaseException):
        pass

    def put_half(self, folder, names, address):
        real(self, folder, names[:1], address)
        raise KilledError

    real = StoredFiles.put
    monkeypatch.setattr(StoredFiles, "put", put_half)
    memory.rm_file(f"{first.uri}/run.json")
    with pytest.raises(KilledError):
        JobWorker(plan).perform(job)
    monkeypatch.setattr(StoredFiles, "put", real)
    assert JobWorker(plan).perform(job).outcome.status == "done"
    assert memory.find(first.uri) == whole
    assert JobWorker(changed).perform(job).outcome.status == "done"


def test_copies_alone_make_room_in_the_scratch_folder(tmp_path, memory):
    write_traces(tmp_path / "traces", 1)
    upload(memory, tmp_path / "traces", "memory://in")
    own = tmp_path / "scratch" / "traces" / "drive" / "precious.osi"
    own.parent.mkdir(parents=True)
    own.write_bytes(b"mine")
    plan = replace(plan_in(tmp_path, "memory://out"), keep_bytes=0)
    (job,) = read_jobs("memory://in", plan.out)
    assert JobWorker(plan).perform(job).outcome.status == "done"
    assert own.read_bytes() == b"mine"


def test_a_mesh_beside_a_stored_trace_is_used(tmp_path, memory):
    (trace,) = write_traces(tmp_path / "traces", 1)
    upload(memory, tmp_path / "traces", "memory://in")
    plan = plan_in(tmp_path, "memory://out")
    jobs = read_jobs("memory://in/*.osi", plan.out)
    first = JobWorker(plan).perform(jobs[0]).outcome
    memory.pipe_file("memory://in/meshes/cube.obj", CUBE.encode())
    second = JobWorker(plan).perform(jobs[0]).outcome
    assert first.job != second.job
    assert jobs[0].trace.endswith(trace.name)


def test_a_half_uploaded_job_is_made_anew(tmp_path, memory):
    write_traces(tmp_path / "traces", 1)
    plan = plan_in(tmp_path, "memory://out")
    jobs = read_jobs(str(tmp_path / "traces"), plan.out)
    first = JobWorker(plan).perform(jobs[0]).outcome
    whole = stored_outputs(memory, first.uri, tmp_path / "whole")
    memory.rm_file(f"{first.uri}/run.json")
    assert JobWorker(plan).perform(jobs[0]).is_new
    assert stored_outputs(memory, first.uri, tmp_path / "again") == whole


def test_copies_make_room(tmp_path, memory):
    write_traces(tmp_path / "traces", 3)
    upload(memory, tmp_path / "traces", "memory://in")
    plan = plan_in(tmp_path, "memory://out", keep_bytes=0)
    jobs = read_jobs("memory://in", plan.out)
    assert not run_batch(plan, jobs, Shard(), Machines()).failures
    assert not [path for path in (tmp_path / "scratch" / "traces").rglob("*") if path.is_file()]


def test_what_is_not_in_storage_is_one_line(tmp_path, memory):
    plan = plan_in(tmp_path, "memory://out")
    with pytest.raises(InputError, match="no such bucket or prefix"):
        read_jobs("memory://nowhere", plan.out)
    with pytest.raises(InputError, match="no such file"):
        read_jobs("memory://in/jobs.csv", plan.out)
    memory.pipe_file("memory://in/jobs.csv", b"trace\ngone.osi\n")
    report = run_batch(plan, read_jobs("memory://in/jobs.csv", plan.out), Shard(), Machines())
    assert [row.error for row in report.failures] == ["memory://in/gone.osi: no such file"]
    write_traces(tmp_path / "traces", 1)
    plan = replace(plan, config="memory://in/none.yaml")
    with pytest.raises(InputError, match=r"none\.yaml: no such file"):
        run_batch(plan, read_jobs(str(tmp_path / "traces"), plan.out), Shard(), Machines())


def test_a_missing_package_is_one_line(tmp_path, monkeypatch):
    write_traces(tmp_path / "traces", 1)
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    result = run("batch", tmp_path / "traces", "--out", "gs://bucket/out")
    assert_one_line(result, 2, "gs://bucket/out", "needs gcsfs: pip install gcsfs")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    result = run("batch", tmp_path / "traces", "--out", "gs://bucket/out")
    assert_one_line(result, 2, "needs fsspec: pip install 'osi-lidar[cloud]'")


@pytest.fixture(scope="module")
def server():
    """Yield the address of a server that speaks S3, with the bucket ``drives``."""
    pytest.importorskip("moto", reason="moto is not installed")
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(OSError), urlopen(address):
            break
        time.sleep(0.1)
    yield address
    process.terminate()
    process.wait()


@pytest.fixture
def s3(server, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", server)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    files = fsspec.filesystem("s3", skip_instance_cache=True, use_listings_cache=False)
    if not files.exists("drives"):
        files.mkdir("s3://drives")
    return files


def test_s3_in_two_shards_gives_the_bytes_of_a_folder(tmp_path, s3):
    write_traces(tmp_path / "traces", 4)
    expected = on_this_disk(tmp_path)
    upload(s3, tmp_path / "traces", "drives/2026")
    command = ["batch", "s3://drives/2026", "--config", tmp_path / "lidar.yaml", "--workers", "1",
               "--out", "s3://drives/clouds", "--scratch", tmp_path / "scratch"]  # fmt: skip
    first = run(*command, "--shard", "0/2")
    assert first.exit_code == 0, first.output
    second = subprocess.run(
        [sys.executable, "-m", "osi_lidar", *map(str, command)],
        env={**os.environ, "JOB_COMPLETION_INDEX": "1", "JOB_COMPLETIONS": "2"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert second.returncode == 0, second.stderr
    assert stored_outputs(s3, "drives/clouds", tmp_path / "copy") == expected
    status = run(*command, "--status")
    assert status.exit_code == 0, status.output
    assert "Done" in status.stdout
    assert "Not run" not in status.stdout


@pytest.mark.usefixtures("s3")
def test_a_missing_bucket_is_one_line(tmp_path):
    write_traces(tmp_path / "traces", 1)
    result = run("batch", tmp_path / "traces", "--out", "s3://no-such-bucket/out")
    assert_one_line(result, 2, "s3://no-such-bucket/out", "no such")
    result = run("batch", "s3://no-such-bucket/in", "--out", tmp_path / "out")
    assert_one_line(result, 2, "s3://no-such-bucket/in", "no such bucket")


@pytest.mark.usefixtures("s3")
def test_missing_credentials_are_one_line(tmp_path, monkeypatch):
    write_traces(tmp_path / "traces", 1)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", str(tmp_path))
    plan = plan_in(tmp_path, "s3://drives/out")
    fsspec.filesystem("s3").clear_instance_cache()
    with pytest.raises(OutputError, match="no credentials found"):
        run_batch(plan, read_jobs(str(tmp_path / "traces"), plan.out), Shard(), Machines())
