"""External systems are pinned and kept apart, and the pages say which versions are built."""

import re
from pathlib import Path

import pytest

from external_systems import recipes
from external_systems.recipes import System
from local_cluster import build


ROOT = Path(__file__).parents[2]
DECISION = "docs/decisions/0030-real-programs-in-tests.md"


def version(system: System) -> str:
    """The version that is built, such as ``v0.17.0``."""
    modules = (system.recipe.modules / "go.mod").read_text(encoding="utf-8")
    (found,) = re.findall(rf"{re.escape(system.module)} (v\S+)", modules)
    return str(found)


def page(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("system", recipes.ALL, ids=lambda system: system.name)
def test_each_program_is_of_the_pinned_module(system: System) -> None:
    sums = (system.recipe.modules / "go.sum").read_text(encoding="utf-8")
    assert f"{system.module} {version(system)} h1:" in sums
    for package in system.recipe.packages.values():
        assert package == "." or package.startswith(system.module)
    assert not any(each.endswith("/") for each in system.recipe.packages.values())


@pytest.mark.parametrize("system", recipes.ALL, ids=lambda system: system.name)
def test_the_pages_name_the_version_that_is_built(system: System) -> None:
    assert f"| `{system.module}` | {version(system)} |" in page(DECISION)
    (row,) = (
        line
        for line in page("docs/kubernetes-versions.md").splitlines()
        if line.lower().startswith(f"| {system.name.replace('-', ' ')}")
    )
    assert f" {version(system).removeprefix('v')}" in row


def test_what_is_built_is_kept_apart_from_the_control_plane(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipes, "_CACHE", tmp_path)
    system = recipes.VERTICAL_POD_AUTOSCALER
    folder = tmp_path / system.recipe.key()
    folder.mkdir()
    for name in system.packages:
        (folder / name).touch()
    found = system.programs(pytest.fail)
    assert found == {name: folder / name for name in system.packages}
    assert tmp_path != build.CACHE


def test_a_module_that_cannot_be_read_is_an_error_with_the_output_of_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "go").write_text('#!/bin/sh\necho "{\\"Error\\": \\"not found\\"}"\nexit 1\n')
    (tmp_path / "go").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(build.BuildError, match=r"jobset cannot be read; go said:\n.*not found"):
        recipes.JOBSET.sources()
