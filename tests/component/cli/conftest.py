"""Fixtures of the command line."""

from pathlib import Path

import pytest

from simulated import Screen, Simulator


@pytest.fixture
def simulator(tmp_path: Path, capsys: Screen) -> Simulator:
    return Simulator(tmp_path, capsys)
