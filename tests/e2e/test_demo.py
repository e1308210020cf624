"""``make demo`` makes its own cluster, shows its seven steps, and every claim in them is true."""

import subprocess
import sys
from pathlib import Path

import pytest


pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]


def test_every_claim_of_the_demo_is_true(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "demo", "--down", "--dir", str(tmp_path / "cluster")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "Every claim was true." in done.stdout
