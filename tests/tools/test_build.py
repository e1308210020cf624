"""Programs are built once per recipe, completely or not at all."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from local_cluster import build
from local_cluster.build import Recipe


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with its own modules and a Go that records its arguments."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "go.mod").write_text("module x")
    (tools / "go.sum").write_text("hashes")
    monkeypatch.setattr(build, "CACHE", tmp_path / "cache")
    use_go(tmp_path, monkeypatch, 'echo program >"$5"')
    return tmp_path


def use_go(room: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    folder = room / "bin"
    folder.mkdir(exist_ok=True)
    (folder / "go").write_text(f'#!/bin/sh\necho "$@" >>"{room}/asked"\n{script}\n')
    (folder / "go").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def recipe(room: Path) -> Recipe:
    return replace(build.NEWEST, modules=room / "tools")


def ensure(room: Path, *names: str, say: Callable[[str], None] = lambda _: None) -> dict[str, Path]:
    return build.ensure(names, say, recipe(room))


def asked(room: Path) -> list[str]:
    return [line.split()[-1] for line in (room / "asked").read_text().splitlines()]


def test_missing_programs_are_built_with_progress_and_then_kept(room: Path) -> None:
    said: list[str] = []
    found = ensure(room, "etcd", "helm", say=said.append)
    assert asked(room) == ["go.etcd.io/etcd/server/v3", "helm.sh/helm/v4/cmd/helm"]
    assert [line for line in said if line.startswith("building")] == [
        "building 2 programs from source, once: about 11 min on 2 cores when nothing is cached, "
        "about 1 min when Go has seen them",
        "building etcd (1 of 2)",
        "building helm (2 of 2)",
    ]
    assert found["etcd"].read_text() == "program\n"
    said.clear()
    assert ensure(room, "etcd", "helm", say=said.append) == found
    assert said == []
    assert len(asked(room)) == 2


def test_only_missing_programs_are_built(room: Path) -> None:
    ensure(room, "etcd")
    ensure(room, "etcd", "helm")
    assert asked(room) == ["go.etcd.io/etcd/server/v3", "helm.sh/helm/v4/cmd/helm"]


def test_a_change_of_modules_is_another_recipe(room: Path) -> None:
    before = recipe(room).key()
    (room / "tools" / "go.sum").write_text("other hashes")
    assert recipe(room).key() != before


def test_a_change_of_a_program_of_ours_is_another_recipe(room: Path) -> None:
    (room / "tools" / "main.go").write_text("package main")
    before = recipe(room).key()
    (room / "tools" / "main.go").write_text("package main // changed")
    assert recipe(room).key() != before


def test_the_version_is_stamped_in_and_part_of_the_recipe(room: Path) -> None:
    older = replace(recipe(room), kubernetes="1.30.14")
    assert older.key() != recipe(room).key()
    assert "-X k8s.io/component-base/version.gitVersion=v1.30.14" in older.flags
    assert "-X k8s.io/component-base/version.gitMinor=30" in older.flags


@pytest.mark.parametrize("whole", build.BY_MINOR.values(), ids=lambda whole: whole.kubernetes)
def test_the_stamped_version_is_the_version_of_the_modules(whole: Recipe) -> None:
    required = (whole.modules / "go.mod").read_text().split()
    assert required[required.index("k8s.io/kubernetes") + 1] == f"v{whole.kubernetes}"


def test_a_failed_build_shows_the_output_of_go_and_leaves_no_files(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_go(room, monkeypatch, 'echo half >"$5"; echo "no such module" >&2; exit 1')
    with pytest.raises(build.BuildError) as failed:
        ensure(room, "etcd")
    assert str(failed.value) == "building etcd failed; go said:\nno such module"
    assert [path.name for path in (room / "cache" / recipe(room).key()).iterdir()] == [".lock"]


def test_without_go_one_sentence_says_what_to_do(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(room))
    with pytest.raises(build.BuildError) as failed:
        ensure(room, "etcd", "helm")
    assert str(failed.value) == (
        "the control plane has to be built (etcd, helm), and no Go is on the PATH: install Go 1.26 "
        "or later, or point KUBEBUILDER_ASSETS to a folder with these programs"
    )
