"""The Python package: wheel and source distribution, by the build tools that are pinned."""

import os
import subprocess
import sys
from pathlib import Path


def write(root: Path, to: Path) -> None:
    """Write both into a folder; raises `subprocess.CalledProcessError`."""
    for target in ("wheel", "sdist"):
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", to],
            cwd=root,
            # Times in the archives, so that the same source gives the same bytes.
            env={**os.environ, "SOURCE_DATE_EPOCH": "1577836800"},
            check=True,
            stdout=subprocess.DEVNULL,
        )
