"""``export`` prints ElasticQuotaTrees for our quotas, and what they cannot say."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import translations
from elasticquota_cli import main as cli


Screen = pytest.CaptureFixture[str]

EXAMPLES = Path(__file__).parents[3] / "examples/import"
Given = Callable[..., list[str]]
PREFIX = "quota.scheduling.koordinator.sh/"


def quota(name: str, labels: Any = None, annotations: Any = None, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {
            "name": name,
            "namespace": "kube-system",
            "labels": labels or {},
            "annotations": annotations or {},
        },
        "spec": spec,
    }


@pytest.fixture
def given(tmp_path: Path) -> Given:
    """The options that name a file with objects."""

    def give(*objects: Any) -> list[str]:
        file = tmp_path / "quotas.json"
        file.write_text("\n".join(json.dumps(each) for each in objects))
        return ["-f", str(file)]

    return give


def test_an_imported_tree_comes_out_with_the_same_nodes(tmp_path: Path, capsys: Screen) -> None:
    """The published example: 7 nodes, of which the root has a max and becomes a quota."""
    assert cli.main(["import", "ack", "-f", str(EXAMPLES / "elasticquotatree.yaml")]) == 0
    file = tmp_path / "quotas.yaml"
    file.write_text(capsys.readouterr().out)
    assert cli.main(["export", "ack", "-f", str(file)]) == 0
    (tree,) = translations.decoded(capsys.readouterr().out)
    assert tree["kind"] == "ElasticQuotaTree"
    assert tree["metadata"] == {"name": "koordinator-root-quota", "namespace": "kube-system"}
    (top,) = tree["spec"]["root"]["children"]
    assert [each["name"] for each in top["children"]] == [
        "root-algorithm",
        "root-devops",
        "root-infrastructure",
    ]
    video = top["children"][0]["children"][1]
    assert (video["name"], video["namespaces"]) == ("root-algorithm-video", ["video"])


def test_what_is_left_out_is_a_note_and_with_strict_a_failure(given: Given, capsys: Screen) -> None:
    weighted = quota("team", annotations={f"{PREFIX}shared-weight": '{"cpu": 3}'}, max={"cpu": 4})
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    assert cli.main(["export", "ack", *given(weighted, pod), "--strict"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "note: skipped, because it says nothing about quotas: Pod v1 (1)",
        "note: ElasticQuota kube-system/team: spec.weight: is no field of a node; left out",
    ]
    plain = quota("team", max={"cpu": 4})
    assert cli.main(["export", "ack", *given(plain), "--strict"]) == 0
    assert capsys.readouterr().err == ""


def test_a_quota_that_is_refused_is_left_out_and_the_rest_is_printed(
    given: Given, capsys: Screen
) -> None:
    bad, good = quota("bad", min={"cpu": 5}, max={"cpu": 4}), quota("good", max={"cpu": 4})
    assert cli.main(["export", "ack", *given(bad, good)]) == 0
    shown = capsys.readouterr()
    (tree,) = translations.decoded(shown.out)
    assert [each["name"] for each in tree["spec"]["root"]["children"]] == ["good"]
    assert "kube-system/bad: is not accepted; left out with all below it" in shown.err


def test_input_without_quotas_is_bad_input(given: Given, capsys: Screen) -> None:
    for objects in ((), ({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}},)):
        assert cli.main(["export", "ack", *given(*objects)]) == 2
        shown = capsys.readouterr()
        assert shown.out == ""
        assert "there is no ElasticQuota scheduling.sigs.k8s.io/v1alpha1" in shown.err


def test_a_quota_of_a_shape_that_cannot_be_is_named(given: Given, capsys: Screen) -> None:
    odd = {**quota("team"), "metadata": {"name": "team", "labels": 7}}
    assert cli.main(["export", "ack", *given(odd)]) == 2
    assert "metadata.labels: must be" in capsys.readouterr().err
