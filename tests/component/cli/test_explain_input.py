"""``explain`` answers unusual questions and objects with a sentence, never with a traceback."""

import json
from pathlib import Path
from typing import Any

import pytest

from elasticquota_cli import main as cli
from stored import Stored


Screen = pytest.CaptureFixture[str]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    stored = Stored()
    stored.tree(20)
    stored.quota("team-a", 8, 20)
    stored.runs("web-1", 2)
    stored.runs("api-1", 2, namespace="team-b")
    return stored.write(tmp_path)


def refused(screen: Screen, code: int, *words: str) -> list[str]:
    assert cli.main(["explain", *words]) == code
    shown = screen.readouterr()
    assert shown.out == ""
    return shown.err.splitlines()


@pytest.mark.parametrize(
    ("what", "name", "said"),
    [
        ("pod", "team-a/wbe-1", "there is no pod team-a/wbe-1; did you mean team-a/web-1?"),
        ("pod", "team-a/api-1", "there is no pod team-a/api-1; did you mean team-b/api-1?"),
        ("pod", "taem-a/else", "there is no pod taem-a/else; did you mean team-a?"),
        ("pod", "team-a/zzz", "there is no pod team-a/zzz"),
        ("quota", "tem-a", "there is no quota tem-a; did you mean team-a?"),
        ("quota", "x/team-a", "there is no quota x/team-a; did you mean team-a/team-a?"),
        ("quota", "zzz", "there is no quota zzz"),
    ],
)
def test_an_unknown_name_suggests_the_nearest_one(
    what: str, name: str, said: str, file: Path, capsys: Screen
) -> None:
    assert refused(capsys, 1, what, name, "-f", str(file)) == [f"elastic-quota: {said}"]


@pytest.mark.parametrize(
    ("what", "name"),
    [("pod", "a/b/c"), ("pod", "team-a/"), ("pod", "/x"), ("quota", "a/b/c"), ("quota", "")],
)
def test_a_malformed_name_is_bad_input(what: str, name: str, file: Path, capsys: Screen) -> None:
    assert refused(capsys, 2, what, name, "-f", str(file)) == [
        f"elastic-quota: '{name}': must be NAME or NAMESPACE/NAME"
    ]


def test_faults_of_files_are_reported_as_by_simulate(tmp_path: Path, capsys: Screen) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text("kind: Pod\napiVersion: v1\nmetadata: {name: x, labels: 3}", encoding="utf-8")
    (said,) = refused(capsys, 2, "pod", "default/x", "-f", str(file))
    assert said.endswith(
        "bad.yaml, document 1 (Pod x): metadata.labels: must be a map, got a whole number"
    )


def test_a_deletion_cannot_be_explained(tmp_path: Path, capsys: Screen) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(
        "kind: Pod\napiVersion: v1\n$patch: delete\nmetadata: {name: x}", encoding="utf-8"
    )
    (said,) = refused(capsys, 2, "pod", "default/x", "-f", str(file))
    assert said.endswith("$patch is for files of simulate --what-if")


def test_a_pod_refused_by_the_webhook_is_missing_and_the_reason_is_reported(
    file: Path, tmp_path: Path, capsys: Screen
) -> None:
    pod: dict[str, Any] = {"kind": "Pod", "apiVersion": "v1"}
    pod["metadata"] = {"name": "new", "namespace": "team-a"}
    quota = {"quota.scheduling.koordinator.sh/name": "pool"}
    pod["metadata"]["labels"] = quota
    other = tmp_path / "new.json"
    other.write_text(json.dumps(pod), encoding="utf-8")
    said = refused(capsys, 1, "pod", "team-a/new", "-f", str(file), "-f", str(other))
    assert "there is no pod team-a/new" in said[0]
    assert "PD1301" in said[1]


def test_a_bad_configuration_is_bad_input(file: Path, tmp_path: Path, capsys: Screen) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("leese: {}", encoding="utf-8")
    words = ("pod", "team-a/web-1", "-f", str(file), "--config", str(config))
    assert refused(capsys, 2, *words) == ["elastic-quota: leese: unknown key, did you mean lease?"]
