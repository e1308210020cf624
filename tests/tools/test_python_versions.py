"""All parts use one Python version, and `make` finds it."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest


ROOT = Path(__file__).parents[2]
IMAGE = "3.13"
OLDEST = "3.11"


def find(home: Path, *versions: str) -> str:
    """The output of the script with an empty home and with programs in its folder ``bin``."""
    found = subprocess.run(
        [ROOT / "tools" / "find-python", *versions],
        env={"HOME": str(home), "PATH": f"{home / 'bin'}:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    return found.stdout.strip()


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def python(path: Path, version: tuple[int, int, int]) -> Path:
    """An interpreter that reports another version."""
    lie = f"import sys; sys.version_info = {version}; exec(sys.argv[1])"
    return program(path, f'exec {sys.executable} -c "{lie}" "$2"')


def test_the_image_make_ci_and_the_readme_name_one_python() -> None:
    assert f"ARG PYTHON={IMAGE}\n" in (ROOT / "Dockerfile").read_text()
    assert f"tools/find-python {IMAGE} " in (ROOT / "Makefile").read_text()
    assert f"Python {IMAGE} " in (ROOT / "README.md").read_text()
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_the_fast_tests_run_on_the_declared_python_versions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert declared == [OLDEST, IMAGE]
    assert project["requires-python"].startswith(f">={OLDEST},")
    assert f"PYTHONS := {OLDEST} {IMAGE}\n" in (ROOT / "Makefile").read_text()


def test_a_failing_pyenv_command_is_skipped_for_the_python_in_its_folder(
    tmp_path: Path,
) -> None:
    program(tmp_path / "bin" / "python3.13", "echo not active >&2; exit 127")
    python(tmp_path / "bin" / "python3.11", (3, 11, 7))
    inside = python(tmp_path / ".pyenv/versions/3.13.0/bin/python3.13", (3, 13, 0))
    assert find(tmp_path, "3.13", "3.11") == str(inside)


def test_the_first_installed_version_is_used(tmp_path: Path) -> None:
    there = python(tmp_path / "bin" / "python3.11", (3, 11, 7))
    assert find(tmp_path, "3.13", "3.12", "3.11") == str(there)


@pytest.mark.parametrize("version", [(3, 10, 13), (3, 12, 0), (3, 12, 3)])
def test_a_version_outside_of_the_declared_range_is_not_used(
    tmp_path: Path, version: tuple[int, int, int]
) -> None:
    python(tmp_path / "bin" / "python3", version)
    assert find(tmp_path, "3") == ""
