"""The program in one file unpacks itself once, and runs on the Pythons that it is for."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from dist import archive, krew, launcher, packages


OWN = "cp{}{}".format(*sys.version_info[:2])
LAUNCHER = Path(launcher.__file__).read_bytes()
MAIN = b"import sys, binary\ndef main():\n    print(sys.argv[0], binary.VALUE)\n    return 3\n"


def write(path: Path, tag: str = OWN) -> Path:
    """A program with a command line of one line and a package for one Python."""
    files = {
        "common/elasticquota_cli/__init__.py": b"",
        "common/elasticquota_cli/start.py": MAIN,
        f"{tag}/binary.py": b"VALUE = 7\n",
    }
    archive.program(path, LAUNCHER, files)
    return path


def run(program: Path, home: Path) -> "subprocess.CompletedProcess[str]":
    """Run it without site packages, in an environment that has a home and nothing else."""
    return subprocess.run(
        [sys.executable, "-I", "-S", str(program)],
        env={"HOME": str(home), "TMPDIR": str(home.parent)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_unpacks_once_and_runs_from_there(tmp_path: Path) -> None:
    program, home = write(tmp_path / "x.pyz"), tmp_path / "home"
    home.mkdir()
    for _ in range(2):
        done = run(program, home)
        assert (done.returncode, done.stderr) == (3, "")
        assert done.stdout == f"{tmp_path / launcher.NAME} 7\n"
    (build,) = (home / ".cache" / launcher.NAME).iterdir()
    assert sorted(path.name for path in build.iterdir()) == ["common", OWN]


def test_where_the_cache_cannot_be_written_the_temporary_folder_is_used(tmp_path: Path) -> None:
    program, home = write(tmp_path / "x.pyz"), tmp_path / "home"
    home.write_text("a file")
    assert run(program, home).stdout.endswith(" 7\n")
    assert (tmp_path / f"{launcher.NAME}-{os.getuid()}").is_dir()


def test_on_another_python_it_says_which_it_needs(tmp_path: Path) -> None:
    done = run(write(tmp_path / "x.pyz", "cp399"), tmp_path)
    assert done.returncode == 1
    assert "this file is for Python 3.99" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a.pyz"), write(tmp_path / "b.pyz")
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes().startswith(b"#!/usr/bin/env python3\n")
    assert "BUILD" in zipfile.ZipFile(first).namelist()


def test_a_package_with_extension_modules_is_for_one_python(tmp_path: Path) -> None:
    (tmp_path / "pure").mkdir()
    (tmp_path / "pure/a.py").write_text("")
    (tmp_path / "fast").mkdir()
    (tmp_path / "fast/a.cpython-313-x86_64-linux-gnu.so").write_text("")
    found = {path.name: is_binary for path, is_binary in packages.parted(tmp_path)}
    assert found == {"pure": False, "fast": True}


@pytest.mark.parametrize("platform", packages.PLATFORMS)
def test_the_manifest_names_an_archive_for_each_platform(platform: str) -> None:
    found = yaml.safe_load(krew.manifest("0.1.0", "https://x/", {platform: ("a.tar.gz", "abc")}))
    (entry,) = found["spec"]["platforms"]
    assert (entry["uri"], entry["sha256"]) == ("https://x/a.tar.gz", "abc")
    assert "-".join(entry["selector"]["matchLabels"].values()) == platform
    assert {each["from"] for each in entry["files"]} == {"kubectl-elastic_quota", "LICENSE"}
