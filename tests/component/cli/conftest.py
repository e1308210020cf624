"""Fixtures of the command line."""

from pathlib import Path

import pytest

from explain_fixture import Explained
from simulated import Screen, Simulator


@pytest.fixture
def simulator(tmp_path: Path, capsys: Screen) -> Simulator:
    return Simulator(tmp_path, capsys)


@pytest.fixture
def explained(tmp_path: Path, capsys: Screen) -> Explained:
    """Nothing is stored yet."""
    return Explained(tmp_path, capsys)
