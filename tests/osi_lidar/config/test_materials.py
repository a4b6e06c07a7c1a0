# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The section `materials` of a configuration."""

import json

import pytest

from osi_lidar.config import Config, load_config
from tests.builders.worlds import config_file


@pytest.mark.parametrize(
    ("materials", "guesses"),
    [
        ("", True),
        ("materials: {}", True),
        ("materials: {default: concrete}", False),
        ("materials: {default: concrete, guess: true}", True),
        ("materials: {guess: false}", False),
    ],
)
def test_materials_are_guessed_where_nothing_is_said_of_them(tmp_path, materials, guesses):
    config = load_config(config_file(tmp_path, f"sensors: [{{preset: VLP-16}}]\n{materials}"))
    assert config.materials.guess is guesses
    again = Config.model_validate(json.loads(json.dumps(config.resolved())))
    assert again.materials.guess is guesses
