"""Programs on the machine are used before any is built."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from local_cluster import binaries


ETCD = binaries.PROGRAMS[0]
HELM = binaries.Program("helm", "4.3.")


def program(folder: Path, name: str, says: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


def test_a_program_in_the_assets_folder_wins_with_any_version(tmp_path: Path) -> None:
    mine = program(tmp_path / "assets", "etcd", "etcd Version: 3.5.0")
    program(tmp_path / "bin", "etcd", "etcd Version: 3.7.0")
    found = binaries.look_up(
        {"KUBEBUILDER_ASSETS": str(tmp_path / "assets"), "PATH": str(tmp_path / "bin")}
    )
    assert found == {"etcd": mine}


def test_the_path_is_searched_for_the_wanted_version(tmp_path: Path) -> None:
    program(tmp_path / "old", "etcd", "etcd Version: 3.5.0")
    right = program(tmp_path / "new", "etcd", "etcd Version: 3.7.0")
    program(tmp_path / "new", "kubectl", "Client Version: v1.32.4")
    assert binaries.look_up({"PATH": f"{tmp_path / 'old'}:{tmp_path / 'new'}"}) == {"etcd": right}


def test_each_program_is_looked_up_on_its_own(tmp_path: Path) -> None:
    asked: list[str] = []

    def version_of(path: Path, asks: Sequence[str]) -> str:
        del asks
        asked.append(path.name)
        return "1.37.2"

    for name in ("kubectl", "kube-scheduler", "etcd"):
        program(tmp_path, name)
    found = binaries.look_up({"PATH": str(tmp_path)}, version_of)
    assert sorted(found) == ["kube-scheduler", "kubectl"]
    assert sorted(asked) == ["etcd", "kube-scheduler", "kubectl"]


def test_nothing_is_found_on_an_empty_path() -> None:
    assert binaries.look_up({}) == {}


@pytest.mark.parametrize(
    ("wanted", "told", "fits"),
    [
        (ETCD, "3.7.0", True),
        (ETCD, "3.7.00", False),
        (HELM, "4.3.9", True),
        (HELM, "4.30.1", False),
        (HELM, None, False),
    ],
)
def test_a_version_matches_exactly_or_by_its_minor(
    wanted: binaries.Program, told: str | None, fits: bool
) -> None:
    assert binaries.accepts(wanted, told) is fits


@pytest.mark.parametrize(
    ("says", "version"),
    [
        ("Kubernetes v1.37.2", "1.37.2"),
        ("etcd Version: 3.7.0\nGit SHA: Not provided", "3.7.0"),
        ("v4.2.4+gabc", "4.2.4"),
        # A build from another source, or a release candidate, is not the release.
        ("Client Version: v1.37.2-dispatcher", None),
        ("v1.37.2-rc.1", None),
        ("no idea", None),
    ],
)
def test_the_version_is_read_from_the_output_of_a_program(
    tmp_path: Path, says: str, version: str | None
) -> None:
    assert binaries.ask_version(program(tmp_path, "p", says), []) == version


def test_a_program_that_cannot_start_has_no_version(tmp_path: Path) -> None:
    broken = tmp_path / "p"
    broken.write_text("not a program")
    assert binaries.ask_version(broken, []) is None
