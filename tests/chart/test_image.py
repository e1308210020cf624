"""The Dockerfile's own steps make a program that runs: no engine is here, so they run in a folder.

Every RUN line is taken from the Dockerfile, with the image's absolute paths moved below a temporary
folder. Only the first install (the build tools) is left out: this test environment is that install.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


pytestmark = pytest.mark.timeout(300)

ROOT = Path(__file__).parents[2]
INSTALLED = "/opt/elastic-quota"
PACKAGES = "usr/local/lib/python3.13/site-packages"
OF_THE_BASE = (
    *(f"{PACKAGES}/pip", f"{PACKAGES}/pip-26.0.dist-info", "usr/local/lib/python3.13/ensurepip"),
    *("usr/local/bin/pip3", f"{PACKAGES}/other"),
)
"""Folders in place of what the base image has."""


def steps() -> list[str]:
    """The RUN lines, without the install of the build tools."""
    lines = re.findall(r"^RUN (.+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    return [line for line in lines if "build.txt" not in line]


@pytest.fixture(name="image", scope="module")
def _image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds what the image would hold."""
    image = tmp_path_factory.mktemp("image")
    source = image / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("operator", "webhooks"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "requirements" / "runtime.txt", image)
    for name in OF_THE_BASE:
        (image / name).mkdir(parents=True)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for step in steps():
        moved = re.sub(r"(?<=\s)/", f"{image}/", step)
        finished = subprocess.run(
            moved,
            shell=True,
            cwd=source,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert finished.returncode == 0, f"{moved}\n{finished.stdout}{finished.stderr}"
    return image


def run(image: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program with nothing of this environment around it."""
    return subprocess.run(
        [f"{image}{INSTALLED}/bin/elastic-quota", *arguments],
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_program_is_there_and_knows_its_version(image: Path) -> None:
    finished = run(image, "version")
    assert finished.returncode == 0, finished.stderr
    assert re.search(r"\b\d+\.\d+\.\d+\b", finished.stdout)


@pytest.mark.parametrize("process", ["controller", "webhook"])
def test_each_process_loads_and_says_what_it_lacks(image: Path, process: str) -> None:
    finished = run(image, "run", process, "--config", "/nowhere.yaml")
    assert finished.returncode == 2
    assert "cannot read the configuration" in finished.stderr
    assert "Traceback" not in finished.stderr


def test_the_importers_are_not_in_the_image(image: Path) -> None:
    assert not list((image / "opt").rglob("elasticquota_import*"))
    finished = run(image, "import", "kueue", "-f", "/nowhere.yaml")
    assert finished.returncode == 2
    assert "elastic-quota-import, which is not installed" in finished.stderr


def test_running_writes_nothing_into_the_image(image: Path) -> None:
    before = sorted(str(path) for path in (image / "opt").rglob("*"))
    run(image, "version")
    assert sorted(str(path) for path in (image / "opt").rglob("*")) == before


def test_no_installer_is_in_the_image(image: Path) -> None:
    assert [path for path in (image / "usr").rglob("*") if "pip" in path.name] == []
    assert (image / PACKAGES / "other").is_dir()
    assert not list((image / "opt").rglob("pip"))


def test_the_image_does_not_run_as_root() -> None:
    assert "USER 65532:65532" in (ROOT / "Dockerfile").read_text()
