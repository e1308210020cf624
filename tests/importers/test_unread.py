"""Nothing that means something to the other system is left out without a note."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from elasticquota_cli import main as cli


Notes = Callable[..., tuple[int, list[str]]]


def queue(**metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": "team", **metadata},
        "spec": {"capability": {"cpu": "4"}},
    }


@pytest.fixture
def notes(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> Notes:
    """The exit code with ``--strict``, and the notes on objects of Volcano."""

    def run(*objects: dict[str, Any]) -> tuple[int, list[str]]:
        file = tmp_path / "objects.json"
        file.write_text("\n".join(map(json.dumps, objects)))
        code = cli.main(["import", "volcano", "-f", str(file), "--strict"])
        return code, capsys.readouterr().err.splitlines()

    return run


def test_annotations_and_labels_that_no_reader_knows_are_notes(notes: Notes) -> None:
    annotations = {"volcano.sh/hierarchy": "root/a", "volcano.sh/hierarchy-weights": "1/2"}
    told = queue(annotations=annotations, labels={"koord-queue/queue-policy": "Block"})
    assert notes(told) == (
        1,
        [
            "note: Queue team: metadata.annotations[volcano.sh/hierarchy-weights]: '1/2' is not "
            "taken over",
            "note: Queue team: metadata.annotations[volcano.sh/hierarchy]: 'root/a' is not taken "
            "over",
            "note: Queue team: metadata.labels[koord-queue/queue-policy]: 'Block' is not taken "
            "over",
        ],
    )


def test_keys_of_tools_and_of_users_are_none(notes: Notes) -> None:
    labels = {"app.kubernetes.io/name": "x", "helm.sh/chart": "y", "team": "z"}
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": "{}"}
    assert notes(queue(labels=labels, annotations=annotations)) == (0, [])


def test_objects_that_state_quotas_of_another_kind_are_notes(notes: Notes) -> None:
    other = {
        "apiVersion": "quota.openshift.io/v1",
        "kind": "ClusterResourceQuota",
        "metadata": {"name": "of-team"},
    }
    assert notes(queue(), other) == (
        1,
        [
            "note: ClusterResourceQuota of-team: it states quotas, and this import does not read "
            "quota.openshift.io/v1; not taken over"
        ],
    )
