"""The Python packages: wheels and source distributions, by the build tools that are pinned."""

import os
import subprocess
import sys
from pathlib import Path


def write(root: Path, to: Path) -> None:
    """Write those of the operator and of the importers into a folder; raises as `build`."""
    for project in (root, root / "importers"):
        build(project, to)


def build(project: Path, to: Path) -> None:
    """Write both of one project into a folder; raises `subprocess.CalledProcessError`."""
    for target in ("wheel", "sdist"):
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", to],
            cwd=project,
            # Times in the archives, so that the same source gives the same bytes.
            env={**os.environ, "SOURCE_DATE_EPOCH": "1577836800"},
            check=True,
            stdout=subprocess.DEVNULL,
        )
