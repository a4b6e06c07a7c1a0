# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The options that all jobs of a batch share, and the configuration of each job."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lidar_app.batch.addresses import joined, protocol
from lidar_app.batch.scratch import make_scratch
from lidar_app.batch.variation import key_of
from lidar_app.bundle import names_bundle
from lidar_base.files.whole_files import replacing
from osi_lidar.errors import ConfigurationError

if TYPE_CHECKING:
    from lidar_app.batch.inputs import Inputs
    from lidar_app.batch.table import Job
    from osi_lidar.config import Config
    from osi_lidar.config.fidelity import Fidelity

GIGABYTE = 10**9
DEFAULT_KEPT_GB = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPlan:
    """Options that all jobs of a batch share.

    Attributes
    ----------
    out : str
        Absolute address of the outputs.
    scratch : Path
        Local folder for copies of inputs, and for outputs before they go to object storage.
    config, sensor : str
        For jobs that name none: absolute address of a configuration, name of a preset; may be
        empty.
    fidelity : Fidelity or None
        Fidelity of all jobs; None: as in their configurations.
    changes : str
        Values to set in every configuration, as JSON: a list of pairs of key path and value.
    message_type, host_id, frames, source
        How messages are read, see `osi_lidar.run.frame_source.FrameSource`; `frames` is start,
        stop and step of its slice.
    truth : bool
        Whether outputs include tables of ground truth.
    retry_failed : bool
        Whether jobs that have failed are run again.
    keep_bytes : int
        Largest total size of copied traces that stay in `scratch` for later jobs. [bytes]
    threads : int, optional
        Number of threads of each job; default: as many as the process has.
    options : str
        Hash of all options that affect jobs. A job that failed with other options is run again.
    """

    out: str
    scratch: Path
    config: str = ""
    sensor: str = ""
    fidelity: Fidelity | None = None
    changes: str = "[]"
    message_type: str | None = None
    host_id: int | None = None
    frames: tuple[int | None, int | None, int | None] = (None, None, None)
    source: str | None = None
    truth: bool = False
    retry_failed: bool = False
    keep_bytes: int = int(DEFAULT_KEPT_GB * GIGABYTE)
    threads: int | None = None
    options: str = ""

    @property
    def asked(self) -> list[object]:
        """The options for reading messages, as a list that goes into the hash of `job_id`."""
        source = [] if self.source is None else [self.source]
        return [self.message_type, self.host_id, *self.frames, *source]

    @property
    def work(self) -> Path:
        """Local folder for unfinished outputs; complete ones are moved or uploaded from there."""
        return self.scratch / "runs" if protocol(self.out) else Path(self.out)

    def place(self, name: str) -> str:
        """Return the address of a job's folder of outputs; its name is `Job.out` or by `job_id`."""
        return joined(self.out, name)

    def configuration(self, job: Job, inputs: Inputs, bundled: Path | None = None) -> Config:
        """Return the configuration of a job; its sensor, file and changes override the plan's.

        Parameters
        ----------
        job, inputs : Job, Inputs
            The job, and the access to its input files.
        bundled : Path, optional
            The unpacked configuration of a bundle. It is used if neither job nor plan names a
            configuration, or if the one that they name is itself a bundle.

        Raises
        ------
        ConfigurationError, InputError
            If the configuration cannot be read, or is invalid with the values of the job.
        """
        from osi_lidar.config import load_config
        from osi_lidar.config.models import DEFAULT_SENSOR

        changes: dict[tuple[str | int, ...], object]
        changes = {tuple(key): value for key, value in json.loads(self.changes)}
        changes.update((key_of(name), value) for name, value in job.changes)
        sensor, address = job.sensor or self.sensor, job.config or self.config
        file = bundled
        if address and (bundled is None or not names_bundle(address)):
            file = inputs.config(address)
        if file is not None:
            return load_config(
                file,
                sensor=sensor or None,
                fidelity=self.fidelity,
                changes=changes,
            )
        plain = self._plain_config()
        try:
            return load_config(
                plain, sensor=sensor or DEFAULT_SENSOR, fidelity=self.fidelity, changes=changes
            )
        except ConfigurationError as error:  # the user does not know this file
            raise ConfigurationError(str(error).removeprefix(f"{plain}: ")) from None

    def _plain_config(self) -> Path:
        """Return the file of an empty configuration, for jobs that name none."""
        file = self.scratch / "plain.yaml"
        make_scratch(self.scratch)
        if not file.is_file():
            with replacing(file) as temporary:
                temporary.write_text("version: 1\n", encoding="utf-8")
        return file
