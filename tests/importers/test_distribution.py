"""The importers are a distribution of their own, which adds two verbs to the command line."""

import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from elasticquota_cli import main as cli
from elasticquota_cli import verbs


ROOT = Path(__file__).parents[2]
DISTRIBUTION = "elastic-quota-import"


def project(folder: str) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))
    return found["project"]  # type: ignore[no-any-return]  # a table


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    """No distribution has verbs."""
    monkeypatch.setattr(metadata, "entry_points", lambda **_: metadata.EntryPoints(()))


@pytest.mark.parametrize("words", [["import", "kueue", "-f", "-"], ["export", "--help"]])
@pytest.mark.usefixtures("without")
def test_without_it_a_verb_says_what_to_install(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(words) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"elastic-quota: {words[0]} is in the Python distribution elastic-quota-import, which is "
        "not installed; from the source: pip install ./importers"
    ]


@pytest.mark.usefixtures("without")
def test_without_it_the_verbs_are_listed_and_complete_to_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["--help"]) == 0
    assert "import" in capsys.readouterr().out
    assert cli.main(["__complete", "import", ""]) == 0
    assert capsys.readouterr().out.strip() == ""


def test_it_names_the_module_of_each_verb_that_it_has() -> None:
    listed = {verb.name for verb in verbs.VERBS if verb.distribution == DISTRIBUTION}
    assert project("importers")["entry-points"][verbs.PLUGINS].keys() == listed


def test_it_needs_the_operator_of_its_own_version() -> None:
    version = project(".")["version"]
    own = project("importers")
    assert own["version"] == version
    assert own["dependencies"] == [f"elastic-quota-operator=={version}"]
    assert own["requires-python"] == project(".")["requires-python"]


def test_its_license_is_that_of_the_operator() -> None:
    assert (ROOT / "importers/LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
