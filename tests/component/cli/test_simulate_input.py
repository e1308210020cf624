"""Bad input of ``simulate`` leads to sentences that name the file, the document and the path."""

import json
from pathlib import Path
from typing import Any

import pytest

from elasticquota.wire.codec import yaml_text
from elasticquota_cli import main as cli
from elasticquota_cli.failures.failure import InputFault
from elasticquota_cli.simulate import documents


Screen = pytest.CaptureFixture[str]

QUOTA = "kind: ElasticQuota\napiVersion: scheduling.sigs.k8s.io/v1alpha1\n"
IN_FORCE = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: elastic-quota-in-force}\n"
POD = "kind: Pod\napiVersion: v1\n"


def faults(folder: Path, capsys: Screen, text: str, *arguments: str) -> list[str]:
    """The lines about this file, without the names of the program and the folder."""
    (folder / "f.yaml").write_text(text, encoding="utf-8")
    assert cli.main(["simulate", "-f", str(folder / "f.yaml"), *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    lead = f"elastic-quota: {folder}/"
    assert all(line.startswith(lead) for line in shown.err.splitlines())
    return [line.removeprefix(lead) for line in shown.err.splitlines()]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        # not YAML, or too much of it
        ("a: [1\nb", "f.yaml: line 2: did not find expected ',' or ']'"),
        ("a: 1\nb: c: d", "f.yaml: line 2: mapping values are not allowed in this context"),
        ('{"kind": "Pod",\n "x" 1}', "f.yaml: line 2: did not find expected ',' or '}'"),
        ("[" * 100_000, "f.yaml: line 1: nested more than 100 levels deep"),
        ('{"a":' * 100_000, "f.yaml: line 1: nested more than 100 levels deep"),
        (
            "a: !!python/none",
            "f.yaml: line 1: the tag tag:yaml.org,2002:python/none is not understood",
        ),
        ("a: &a [*a]", "f.yaml: line 1: the alias *a names nothing that comes before it"),
        ("? [a]\n: 1", "f.yaml: line 1: a key must be a text"),
        ("<<: 1", "f.yaml: line 1: << must name a map or a list of maps"),
        # no object
        ("just text", "f.yaml, document 1: must be an object, got a text"),
        ("---\n---\n- 1", "f.yaml, document 2: must be an object, got a list"),
        ("5", "f.yaml, document 1: must be an object, got a number"),
        ("kind: Pod", "f.yaml, document 1 (Pod): must have an apiVersion and a kind"),
        (
            "kind: List\napiVersion: v1\nitems: [{kind: A, apiVersion: v1}, 7]",
            "f.yaml, document 1, item 2: must be an object",
        ),
        (
            "kind: List\napiVersion: v1\nitems: [{kind: Pod}]",
            "f.yaml, document 1, item 1 (Pod): must have an apiVersion and a kind",
        ),
        # a configuration that no controller would write so
        (
            f'{IN_FORCE}data: {{config.yaml: "reclaim: {{pausd: true}}"}}',
            "f.yaml, document 1 (ConfigMap elastic-quota-in-force): data.config.yaml: "
            "reclaim.pausd: unknown key, did you mean paused?",
        ),
        (
            f"{IN_FORCE}data: {{config.yaml: 5}}",
            "f.yaml, document 1 (ConfigMap elastic-quota-in-force): data.config.yaml: must be a "
            "text, got 5",
        ),
        (
            f"{IN_FORCE}data: 5",
            "f.yaml, document 1 (ConfigMap elastic-quota-in-force): data: must be a map, got 5",
        ),
        # objects of the wrong shape
        (POD, "f.yaml, document 1 (Pod): metadata.name: must be given"),
        (
            f"{POD}metadata: 5",
            "f.yaml, document 1 (Pod): metadata: must be a map, got a whole number",
        ),
        (
            f"{POD}metadata: {{name: a, labels: {{x: yes}}}}",
            "f.yaml, document 1 (Pod a): metadata.labels[...]: must be a text, got true or false",
        ),
        (
            f"{POD}metadata: {{name: a}}\nspec: {{containers: [{{resources: 1}}]}}",
            "f.yaml, document 1 (Pod a): spec.containers[0].resources: must be a map, "
            "got a whole number",
        ),
        (
            "kind: Deployment\napiVersion: apps/v1\nmetadata: {name: a}\nspec: {replicas: many}",
            "f.yaml, document 1 (Deployment a): spec.replicas: must be a whole number, got a text",
        ),
        (
            "kind: Deployment\napiVersion: apps/v1\nmetadata: {name: a}\nspec: {replicas: 1000000}",
            "f.yaml, document 1 (Deployment a): must have between 0 and 200000 pods, got 1000000",
        ),
        (
            "kind: Job\napiVersion: batch/v1\nmetadata: {name: a}",
            "f.yaml, document 1 (Job a): must have spec",
        ),
        (
            "kind: Node\napiVersion: v1\nmetadata: {name: n}",
            "f.yaml, document 1 (Node n): status.allocatable: must say what the node offers",
        ),
        (
            "kind: Node\napiVersion: v1\nmetadata: {name: n}\nstatus: {allocatable: {cpu: 4}}",
            "f.yaml, document 1 (Node n): status.allocatable.pods: must be given, usually 110",
        ),
        # quantities
        (
            "kind: Node\napiVersion: v1\nmetadata: {name: n}\n"
            "status: {allocatable: {pods: 9, cpu: 4c}}",
            "f.yaml, document 1 (Node n): status.allocatable.cpu: '4c' is not a quantity; write "
            "a number with an optional suffix like 500m, 2, 1.5, 64k or 16Gi",
        ),
        (
            "kind: Job\napiVersion: batch/v1\nmetadata: {name: a}\nspec: {template: {spec: "
            "{containers: [{resources: {limits: {cpu: 1K}}}]}}}",
            "f.yaml, document 1 (Job a): spec.template.spec.containers[0].resources.requests.cpu: "
            "'1K' is not a quantity; write a number with an optional suffix like 500m, 2, 1.5, 64k "
            "or 16Gi",
        ),
        # directives
        (
            f"{POD}metadata: {{name: a}}\n$patch: delete",
            "f.yaml, document 1 (Pod a): $patch: delete is for files of --what-if",
        ),
        (
            f"{POD}metadata: {{name: a}}\n$patch: merge",
            "f.yaml, document 1 (Pod a): $patch: must be delete, got merge",
        ),
        (
            "kind: Namespace\napiVersion: v1\nmetadata: {name: a}\n$patch: delete",
            "f.yaml, document 1 (Namespace a): $patch: a Namespace cannot be deleted here; delete "
            "what uses it",
        ),
    ],
)
def test_bad_input_is_reported_with_its_place(
    text: str, sentence: str, tmp_path: Path, capsys: Screen
) -> None:
    assert faults(tmp_path, capsys, text) == [sentence]


def test_aliases_of_aliases_cannot_fill_the_memory(tmp_path: Path, capsys: Screen) -> None:
    lines = ["a0: &a0 [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]"]
    for level in range(1, 12):
        names = ", ".join([f"*a{level - 1}"] * 10)
        lines.append(f"a{level}: &a{level} [{names}]")
    assert faults(tmp_path, capsys, "\n".join(lines)) == [
        "f.yaml: line 5: aliases stand for more than 100000 values"
    ]


def test_all_faults_are_reported_at_once(tmp_path: Path, capsys: Screen) -> None:
    text = f"{POD}---\n7\n"
    assert len(faults(tmp_path, capsys, text)) == 2


@pytest.mark.parametrize("amount", ["x", ".inf", "-1", "1e99", "2026-01-01"])
def test_a_quota_that_cannot_be_read_is_refused_as_by_the_webhook(
    amount: str, tmp_path: Path, capsys: Screen
) -> None:
    text = f"{QUOTA}metadata: {{name: a}}\nspec: {{max: {{cpu: {amount}}}}}"
    (tmp_path / "f.yaml").write_text(text, encoding="utf-8")
    assert cli.main(["simulate", "-f", str(tmp_path / "f.yaml"), "--strict", "-o", "json"]) == 1
    (refused,) = json.loads(capsys.readouterr().out)["refused"]
    assert refused["message"].startswith("ElasticQuota default/a: spec.max.cpu: ")
    assert refused["message"].endswith(" [EQ1001]")


def test_files_that_cannot_be_read_are_named(tmp_path: Path, capsys: Screen) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "latin.yaml").write_bytes("größe: 1".encode("latin-1"))
    paths = [tmp_path / "missing.yaml", tmp_path / "empty", tmp_path / "latin.yaml"]
    arguments = [part for path in paths for part in ("-f", str(path))]
    assert cli.main(["simulate", *arguments]) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"elastic-quota: {paths[0]}: cannot be read: No such file or directory",
        f"elastic-quota: {paths[1]}: has no file that ends with .json, .yaml, .yml",
        f"elastic-quota: {paths[2]}: is not a text in UTF-8",
    ]


def test_an_invalid_stored_quota_is_judged_like_by_the_controller(
    tmp_path: Path, capsys: Screen
) -> None:
    text = f"{QUOTA}metadata: {{name: a, uid: u}}\nspec: {{min: {{cpu: x}}}}"
    (tmp_path / "f.yaml").write_text(text, encoding="utf-8")
    assert cli.main(["simulate", "-f", str(tmp_path / "f.yaml")]) == 0
    assert "InvalidSpec" in capsys.readouterr().out


@pytest.mark.parametrize(("uid", "code"), [("", 2), ("uid-1", 0)])
def test_what_one_tenant_has_stored_does_not_end_the_simulation_of_the_cluster(
    tmp_path: Path, capsys: Screen, uid: str, code: int
) -> None:
    """The controller goes on, too, and the pod that needs the claim reads what is wrong with it."""
    count = 2**63 - 1
    template = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"namespace": "a", "name": "large", "uid": uid},
        "spec": {
            "spec": {
                "devices": {
                    "requests": [
                        {"name": "r", "exactly": {"deviceClassName": "gpu", "count": count}}
                    ]
                }
            }
        },
    }
    file = tmp_path / "template.json"
    file.write_text(json.dumps(template))
    assert cli.main(["simulate", "-f", str(file)]) == code
    (said,) = capsys.readouterr().err.splitlines()
    assert said.endswith(f"exactly.count: must be a number from 1 to 2147483647, got {count}")
    assert said.startswith("elastic-quota: " if code else "note: ")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True),
        ("Off", False),
        ("~", None),
        ("0x10", 16),
        ("010", 8),
        ("0o17", 15),
        ("0b101", 5),
        ("-3", -3),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("1e400", "1e400"),
        (".inf", ".inf"),
        ("1:30", "1:30"),
        ("2026-01-01", "2026-01-01"),
        ("500m", "500m"),
        ("'5'", "5"),
        ("!!str 5", "5"),
        ("!!int '5'", 5),
        ("1_000", "1_000"),
        ("9" * 70, 1e70),
    ],
)
def test_plain_scalars_are_read_as_by_kubectl(text: str, value: Any) -> None:
    (found,) = yaml_text.documents(text)
    assert (found, type(found)) == (value, type(value))


def test_anchors_and_merge_keys_are_followed() -> None:
    text = "a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc: [*a, *a]\nd: &d word\ne: *d"
    (found,) = yaml_text.documents(text)
    assert found["b"] == {"x": 1, "y": 3}
    assert found["c"] == [{"x": 1, "y": 2}] * 2
    assert found["e"] == "word"


def test_documents_come_from_streams_lists_and_folders(tmp_path: Path) -> None:
    def pod(name: str) -> dict[str, Any]:
        return {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name}}

    bare = {key: value for key, value in pod("typed").items() if key == "metadata"}
    typed = {"kind": "PodList", "apiVersion": "v1", "items": [bare]}
    mixed = {"kind": "List", "apiVersion": "v1", "items": [pod("listed")]}
    several = f"{json.dumps(pod('first'))}\n{json.dumps(pod('second'))}\n"
    (tmp_path / "a.json").write_text(json.dumps(typed), encoding="utf-8")
    (tmp_path / "b.json").write_text(several, encoding="utf-8")
    (tmp_path / "c.yaml").write_text(f"---\n---\n{json.dumps(mixed)}\n", encoding="utf-8")
    (tmp_path / "d.yml").write_text("\ufeff# nothing but a comment\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("not read", encoding="utf-8")
    (tmp_path / "below.yaml").mkdir()
    found: list[InputFault] = []
    read = documents.read([str(tmp_path)], found)
    assert found == []
    assert [document.where.removeprefix(f"{tmp_path}/") for document in read] == [
        "a.json, document 1, item 1 (Pod typed)",
        "b.json, document 1 (Pod first)",
        "b.json, document 2 (Pod second)",
        "c.yaml, document 2, item 1 (Pod listed)",
    ]


def test_the_configuration_in_the_file_is_used_unless_another_is_given(
    tmp_path: Path, capsys: Screen
) -> None:
    file, other = tmp_path / "f.yaml", tmp_path / "config.yaml"
    settings = 'data: {config.yaml: "accounting: {defaultQuota: false}"}'
    pod = f"{POD}metadata: {{name: a}}\nspec: {{}}"
    file.write_text(f"{IN_FORCE}{settings}\n---\n{pod}", encoding="utf-8")
    other.write_text("", encoding="utf-8")

    def holder(*arguments: str) -> str:
        assert cli.main(["simulate", "-f", str(file), *arguments]) == 0
        notes = capsys.readouterr().err
        return notes.partition("held by ")[2].partition(":")[0]

    assert holder() == "no quota"
    assert holder("--config", str(other)) == "koordinator-default-quota"


def test_other_configmaps_are_ignored(tmp_path: Path, capsys: Screen) -> None:
    file = tmp_path / "f.yaml"
    for name in ("metadata: {name: other}", "metadata: 5", "$patch: delete"):
        file.write_text(f"kind: ConfigMap\napiVersion: v1\n{name}", encoding="utf-8")
        assert cli.main(["simulate", "-f", str(file)]) == 0
        assert "skipped, because they have no part" in capsys.readouterr().err
