"""Programs are built once per recipe, whole or not at all."""

from pathlib import Path

import pytest

from local_cluster import build


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with modules of its own and a Go that notes what it is asked."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "go.mod").write_text("module x")
    (tools / "go.sum").write_text("hashes")
    monkeypatch.setattr(build, "TOOLS", tools)
    monkeypatch.setattr(build, "CACHE", tmp_path / "cache")
    use_go(tmp_path, monkeypatch, 'echo program >"$5"')
    return tmp_path


def use_go(room: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    folder = room / "bin"
    folder.mkdir(exist_ok=True)
    (folder / "go").write_text(f'#!/bin/sh\necho "$@" >>"{room}/asked"\n{script}\n')
    (folder / "go").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def asked(room: Path) -> list[str]:
    return [line.split()[-1] for line in (room / "asked").read_text().splitlines()]


def test_missing_programs_are_built_with_progress_and_then_kept(room: Path) -> None:
    said: list[str] = []
    found = build.ensure(["etcd", "helm"], said.append)
    assert asked(room) == ["go.etcd.io/etcd/server/v3", "helm.sh/helm/v4/cmd/helm"]
    assert [line for line in said if line.startswith("building")] == [
        "building 2 programs from source, once: about 11 min on 2 cores when nothing is cached, "
        "about 1 min when Go has seen them before",
        "building etcd (1 of 2)",
        "building helm (2 of 2)",
    ]
    assert found["etcd"].read_text() == "program\n"
    said.clear()
    assert build.ensure(["etcd", "helm"], said.append) == found
    assert said == []
    assert len(asked(room)) == 2


def test_only_what_is_missing_is_built(room: Path) -> None:
    build.ensure(["etcd"], lambda _: None)
    build.ensure(["etcd", "helm"], lambda _: None)
    assert asked(room) == ["go.etcd.io/etcd/server/v3", "helm.sh/helm/v4/cmd/helm"]


def test_a_change_of_modules_is_another_recipe(room: Path) -> None:
    before = build.key()
    (room / "tools" / "go.sum").write_text("other hashes")
    assert build.key() != before


def test_a_failed_build_says_what_go_said_and_leaves_nothing(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_go(room, monkeypatch, 'echo half >"$5"; echo "no such module" >&2; exit 1')
    with pytest.raises(build.BuildError) as failed:
        build.ensure(["etcd"], lambda _: None)
    assert str(failed.value) == "building etcd failed; go said:\nno such module"
    assert [path.name for path in (room / "cache" / build.key()).iterdir()] == [".lock"]


def test_without_go_one_sentence_says_what_to_do(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(room))
    with pytest.raises(build.BuildError) as failed:
        build.ensure(["etcd", "helm"], lambda _: None)
    assert str(failed.value) == (
        "the control plane has to be built (etcd, helm), and no Go is on the PATH: install Go 1.26 "
        "or later, or point KUBEBUILDER_ASSETS to a folder with these programs"
    )
