"""``import`` prints our manifests for objects of an external system, and what it leaves out."""

import base64
import gzip
import io
import json
import sys
from pathlib import Path

import pytest

import translations
from elasticquota_cli import main as cli


Screen = pytest.CaptureFixture[str]

EXAMPLES = Path(__file__).parents[3] / "examples/import"
QUEUES = (EXAMPLES / "queues.yaml").read_text()
CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap"}


def printed(capsys: Screen, *arguments: object) -> str:
    assert cli.main(["import", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def faults(capsys: Screen, *arguments: object) -> list[str]:
    assert cli.main(["import", *map(str, arguments)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    return [line.removeprefix("elastic-quota: ") for line in shown.err.splitlines()]


@pytest.mark.parametrize(
    ("dialect", "file", "quotas"),
    [
        ("ack", "elasticquotatree.yaml", 7),
        ("capacity", "capacity.yaml", 4),
        ("yunikorn", "queues.yaml", 3),
        ("yunikorn", "namespaces-in-queues.yaml", 6),
        ("resourcequota", "resourcequota.yaml", 1),
    ],
)
def test_each_integration_prints_manifests_and_nothing_else(
    dialect: str, file: str, quotas: int, capsys: Screen
) -> None:
    documents = translations.decoded(printed(capsys, dialect, "-f", EXAMPLES / file))
    assert [each["kind"] for each in documents] == ["ElasticQuota"] * quotas
    assert all("elasticquota.dev/source" in each["metadata"]["annotations"] for each in documents)


def test_the_printed_manifests_can_be_simulated_without_a_refusal(
    tmp_path: Path, capsys: Screen
) -> None:
    file = tmp_path / "quotas.yaml"
    file.write_text(printed(capsys, "ack", "-f", EXAMPLES / "elasticquotatree.yaml"))
    assert cli.main(["simulate", "-f", str(file), "-o", "json", "--strict"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["refused"] == []
    assert {quota["name"]: quota["accepted"] for quota in found["quotas"]}[
        "root-algorithm-video"
    ] is True


def test_fields_that_are_not_imported_are_noted_on_standard_error(capsys: Screen) -> None:
    cli.main(["import", "capacity", "-f", str(EXAMPLES / "capacity.yaml")])
    assert capsys.readouterr().err == (
        "note: ElasticQuotas of scheduling.x-k8s.io: capacity.max: together the quotas use at most "
        "the sum of their min, 1 cpu; to let them borrow all that the cluster has, take the max "
        "from 'capacity'\n"
    )


@pytest.mark.parametrize(("file", "code"), [("queues.yaml", 1), ("namespaces-in-queues.yaml", 0)])
def test_with_strict_the_exit_code_reports_notes(file: str, code: int, capsys: Screen) -> None:
    assert cli.main(["import", "yunikorn", "--strict", "-f", str(EXAMPLES / file)]) == code
    assert capsys.readouterr().out


def test_quotas_without_a_namespace_get_the_chosen_one(capsys: Screen) -> None:
    shown = printed(capsys, "ack", "-n", "platform", "-f", EXAMPLES / "elasticquotatree.yaml")
    places = {each["metadata"]["namespace"] for each in translations.decoded(shown)}
    assert places == {"platform"}


def test_a_list_from_the_cluster_is_read_and_other_kinds_are_noted(
    tmp_path: Path, capsys: Screen
) -> None:
    tree = translations.decoded((EXAMPLES / "elasticquotatree.yaml").read_text())[0]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    file = tmp_path / "list.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [tree, pod]}))
    assert cli.main(["import", "ack", "-f", str(file)]) == 0
    shown = capsys.readouterr()
    assert "name: root-devops" in shown.out
    assert shown.err.startswith("note: skipped, because it says nothing about quotas: Pod v1 (1)\n")


def test_seed_004_the_configmap_reads_as_the_file_does_also_zipped(
    tmp_path: Path, capsys: Screen
) -> None:
    plain = printed(capsys, "yunikorn", "-f", EXAMPLES / "queues.yaml")
    name = {"metadata": {"name": "yunikorn-configs"}}
    zipped = base64.b64encode(gzip.compress(QUEUES.encode())).decode()
    for content in (
        {"data": {"queues.yaml": QUEUES}},
        {"binaryData": {"queues.yaml.gz": zipped}},
    ):
        file = tmp_path / "map.json"
        file.write_text(json.dumps({**CONFIG_MAP, **name, **content}))
        assert printed(capsys, "yunikorn", "-f", file) == plain


def test_the_configs_come_before_the_defaults(tmp_path: Path, capsys: Screen) -> None:
    for name, queue in (("yunikorn-defaults", "a"), ("yunikorn-configs", "b")):
        text = f"partitions: [{{name: default, queues: [{{name: {queue}}}]}}]"
        content = {"metadata": {"name": name}, "data": {"queues.yaml": text}}
        (tmp_path / f"{name}.json").write_text(json.dumps({**CONFIG_MAP, **content}))
    assert "name: root-b" in printed(capsys, "yunikorn", "-f", tmp_path)


def test_standard_input_is_read_too(monkeypatch: pytest.MonkeyPatch, capsys: Screen) -> None:
    text = (EXAMPLES / "capacity.yaml").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert "name: quota3" in printed(capsys, "capacity", "-f", "-")


def test_a_manifest_without_a_namespace_is_in_the_default_one(
    tmp_path: Path, capsys: Screen
) -> None:
    file = tmp_path / "quota.yaml"
    file.write_text(
        "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: a}\nspec: {hard: {cpu: 1}}"
    )
    shown = translations.decoded(printed(capsys, "resourcequota", "-f", file))
    assert shown[0]["metadata"]["namespace"] == "default"


CUT_OFF = base64.b64encode(gzip.compress(QUEUES.encode())[:-20]).decode()
HEAD = "apiVersion: scheduling.sigs.k8s.io/v1beta1\nkind: ElasticQuotaTree\n"


@pytest.mark.parametrize(
    ("dialect", "text", "sentence"),
    [
        ("ack", "a: [1\nb", "f.yaml: line 2: did not find expected ',' or ']'"),
        (
            "capacity",
            HEAD,
            "there is no ElasticQuota scheduling.x-k8s.io/v1alpha1 in what was given",
        ),
        (
            "ack",
            f"{HEAD}metadata: {{}}",
            "f.yaml, document 1 (ElasticQuotaTree): metadata.name: must be given",
        ),
        (
            "ack",
            f"{HEAD}metadata: 5",
            "f.yaml, document 1 (ElasticQuotaTree): metadata: must be a map, got a whole number",
        ),
        (
            "yunikorn",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {queues.yaml: 'a: ['}",
            "f.yaml, document 1 (ConfigMap a): data.queues.yaml: line 1: did not find expected "
            "node content",
        ),
        (
            "yunikorn",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {queues.yaml: 5}",
            "f.yaml, document 1 (ConfigMap a): data.queues.yaml: must be a text, got 5",
        ),
        (
            "yunikorn",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nbinaryData: {queues.yaml.gz: x}",
            "f.yaml, document 1 (ConfigMap a): binaryData.queues.yaml.gz: must be a zipped text in "
            "base64",
        ),
        (
            "yunikorn",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
            f"binaryData: {{queues.yaml.gz: {CUT_OFF}}}",
            "f.yaml, document 1 (ConfigMap a): binaryData.queues.yaml.gz: must be a zipped text in "
            "base64",
        ),
        (
            "yunikorn",
            "kind: Pod\napiVersion: v1",
            "there is neither queues.yaml nor a Namespace in what was given",
        ),
    ],
)
def test_bad_input_is_one_sentence(
    tmp_path: Path, dialect: str, text: str, sentence: str, capsys: Screen
) -> None:
    (tmp_path / "f.yaml").write_text(text)
    found = faults(capsys, dialect, "-f", tmp_path / "f.yaml")
    assert [line.removeprefix(f"{tmp_path}/") for line in found] == [sentence]


def test_two_configurations_are_refused(tmp_path: Path, capsys: Screen) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(QUEUES)
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    assert faults(capsys, "yunikorn", "-f", first, "-f", second) == [
        f"there must be one configuration of queues, got {first}, {second}"
    ]


def test_a_configmap_beside_a_plain_file_is_refused(tmp_path: Path, capsys: Screen) -> None:
    plain, stored = tmp_path / "queues.yaml", tmp_path / "map.json"
    plain.write_text(QUEUES)
    content = {"metadata": {"name": "yunikorn-configs"}, "data": {"queues.yaml": QUEUES}}
    stored.write_text(json.dumps({**CONFIG_MAP, **content}))
    assert faults(capsys, "yunikorn", "-f", plain, "-f", stored) == [
        f"there must be one configuration of queues, got {plain}, {stored}, document 1 "
        "(ConfigMap yunikorn-configs)"
    ]


def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path: Path, capsys: Screen) -> None:
    bomb = base64.b64encode(gzip.compress(b" " * (17 * 1024 * 1024))).decode()
    content = {"metadata": {"name": "a"}, "binaryData": {"queues.yaml.gz": bomb}}
    file = tmp_path / "map.json"
    file.write_text(json.dumps({**CONFIG_MAP, **content}))
    assert faults(capsys, "yunikorn", "-f", file) == [
        f"{file}, document 1 (ConfigMap a): binaryData.queues.yaml.gz: must not be larger than "
        "4194304 bytes"
    ]


def test_a_malformed_namespace_is_refused(capsys: Screen) -> None:
    file = EXAMPLES / "elasticquotatree.yaml"
    assert faults(capsys, "ack", "-n", "Not One", "-f", file) == [
        "--namespace: must name a namespace, got 'Not One'"
    ]


def test_standard_input_is_read_only_once(capsys: Screen) -> None:
    assert faults(capsys, "ack", "-f", "-", "-f", "-") == [
        "standard input (-) can be read only once"
    ]
