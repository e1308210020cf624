"""Programs in the folder that the environment names are used before any is built."""

from pathlib import Path

import pytest

from local_cluster import binaries, build


def program(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.touch(mode=0o755)
    return path


def test_each_program_in_the_assets_folder_is_used_and_the_others_are_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = {name: program(tmp_path, name) for name in ("etcd", "kubectl")}
    program(tmp_path, "another")
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))
    monkeypatch.setattr(build, "ensure", lambda names, _: {name: Path("built") for name in names})
    built = dict.fromkeys(build.NEWEST.packages, Path("built"))
    assert binaries.find(print) == {**built, **mine}


def test_the_path_is_not_searched(tmp_path: Path) -> None:
    program(tmp_path, "etcd")
    assert binaries.look_up({"PATH": str(tmp_path)}) == {}
