"""``simulate`` and ``doctor`` warn of keys and fields that have no effect."""

from pathlib import Path

import pytest

from doctor_fixture import StoredCluster
from elasticquota_cli import main as cli


K = "quota.scheduling.koordinator.sh/"
FILE = f"""
kind: ElasticQuota
apiVersion: scheduling.sigs.k8s.io/v1alpha1
metadata:
  name: team-a
  namespace: team-a
  annotations: {{{K}shared-wieght: "{{}}", 7: x}}
spec: {{mim: {{cpu: 1}}, max: {{cpu: 2}}}}
---
kind: Deployment
apiVersion: apps/v1
metadata: {{name: web, namespace: team-a}}
spec:
  template:
    metadata: {{labels: {{{K}parent: team-a}}}}
    spec: {{containers: []}}
---
kind: CronJob
apiVersion: batch/v1
metadata: {{name: nightly, namespace: team-a, annotations: {{{K}name: team-a}}}}
spec: {{jobTemplate: {{spec: {{template: {{metadata: {{annotations: {{{K}name: team-a}}}}}}}}}}}}
"""


def test_simulate_notes_each_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "f.yaml"
    path.write_text(FILE.replace(", 7: x", ""), encoding="utf-8")
    cli.main(["simulate", "-f", str(path)])
    shown = capsys.readouterr().err.replace(f"{tmp_path}/", "")
    for line in (
        "note: f.yaml, document 1 (ElasticQuota team-a/team-a): metadata.annotations"
        f"[{K}shared-wieght]: has no effect; did you mean shared-weight?",
        "note: f.yaml, document 1 (ElasticQuota team-a/team-a): spec.mim: is no field of it and "
        "has no effect; did you mean min?",
        "note: f.yaml, document 2 (Deployment team-a/web): spec.template.metadata.labels"
        f"[{K}parent]: has no effect on a pod; it is a label of quotas",
        "note: f.yaml, document 3 (CronJob team-a/nightly): spec.jobTemplate.spec.template."
        f"metadata.annotations[{K}name]: has no effect: it is a label, not an annotation",
    ):
        assert line in shown.splitlines()


def test_simulate_writes_twenty_of_very_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = f"kind: Namespace\napiVersion: v1\nmetadata: {{name: n-%d, labels: {{{K}name: x}}}}\n"
    path = tmp_path / "f.yaml"
    path.write_text("---\n".join(one % number for number in range(30)), encoding="utf-8")
    cli.main(["simulate", "-f", str(path)])
    lines = capsys.readouterr().err.splitlines()
    assert sum("has no effect" in line for line in lines) == 20
    assert "note: and 10 more such keys and fields" in lines


def test_doctor_reports_them_once_for_the_pods_of_a_namespace() -> None:
    cluster = StoredCluster()
    cluster.alone("team-a", 8, 16)
    cluster.documents[0]["metadata"]["annotations"] = {f"{K}tree-id": "x"}
    for number in range(2):
        cluster.runs(f"web-{number}", 1, labels={f"{K}parent": "team-a"})
    cluster.add("v1", "Namespace", "", "team-a")
    cluster.documents[-1]["metadata"]["annotations"] = {"elasticquota.dev/quota": "team-a"}
    found = cluster.findings("warning")
    assert {(each.object, each.message) for each in found} == {
        (
            "ElasticQuota team-a/team-a",
            f"metadata.annotations[{K}tree-id]: has no effect: it is a label, not an annotation",
        ),
        (
            "Namespace team-a",
            f"2 Pods (web-0, web-1): metadata.labels[{K}parent]: has no effect on a pod; it is a "
            "label of quotas",
        ),
        (
            "Namespace team-a",
            "metadata.annotations[elasticquota.dev/quota]: has no effect: it is a label, not an "
            "annotation",
        ),
    }
    assert all(each.namespaces == ("team-a",) for each in found)


def test_doctor_reports_a_field_that_does_not_exist_where_a_file_has_it() -> None:
    cluster = StoredCluster()
    cluster.alone("team-a", 8, 16)
    cluster.documents[0]["spec"]["mim"] = {"cpu": 1}
    (found,) = cluster.findings("warning")
    assert found.message == "spec.mim: is no field of it and has no effect; did you mean min?"
