# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Base classes of the sections of a configuration."""

from abc import abstractmethod
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, model_validator

from lidar_base.near_match import near_match
from osi_lidar.config.values import problem_at
from raycore.pattern.source import PatternSource


class Section(BaseModel):
    """One mapping of the configuration file; it is immutable and refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, data: object) -> object:
        for key in data if isinstance(data, Mapping) else ():
            if key not in cls.model_fields:
                hint = near_match(key, cls.model_fields)
                allowed = ", ".join(cls.model_fields)
                raise problem_at(str(key), message=f"unknown key{hint} (allowed: {allowed})")
        return data


class PatternSection(Section):
    """A section that describes a scan pattern."""

    @abstractmethod
    def source(self, period_s: float) -> PatternSource:
        """Return the beams of scans of this duration [s].

        Raises
        ------
        ConfigurationError, PatternError
            If a file or a plugin cannot be used, or the pattern is impossible.
        """

    def check(self, period_s: float) -> None:
        """Check, without making all beams, that the pattern fits a scan of this duration [s].

        Raises
        ------
        PatternError
            If it does not fit.
        """
