"""The software bill of materials (CycloneDX): what the image installs, with licenses.

It is read from an environment that has what the image has, as the Dockerfile installs it: the
pinned requirements, and our wheel.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any


def write(root: Path, wheel: Path, cyclonedx: Path, to: Path) -> None:
    """Write it by the program ``cyclonedx-py``; the same packages give the same bytes.

    Raises `subprocess.CalledProcessError`.
    """
    with tempfile.TemporaryDirectory() as folder:
        python = installed(root, wheel, Path(folder))
        _run(
            *(cyclonedx, "environment", python, "--pyproject", root / "pyproject.toml"),
            *("--mc-type", "application", "--spec-version", "1.6", "--output-reproducible"),
            *("--output-format", "JSON", "--output-file", to),
        )


def installed(root: Path, wheel: Path, folder: Path) -> Path:
    """Install the wheel into an empty folder, with its pinned requirements; returns its Python.

    Raises `subprocess.CalledProcessError`.
    """
    _run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet")
    _run(*pip, "--require-hashes", "--requirement", root / "requirements" / "runtime.txt")
    _run(*pip, "--no-deps", wheel)
    return python


def _run(*words: Any) -> None:
    subprocess.run([*words], check=True)
