"""``doctor`` reads what it may of a cluster, reports what it may not, and sets an exit code."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from api_double import ApiDouble, Refusal
from api_double.kinds import Kind
from doctor_fixture import OURS, publish
from elasticquota import names
from elasticquota.model import definition_fields
from elasticquota_cli import main as cli
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource
from live_cluster import Live
from stored import Document, Stored


Screen = pytest.CaptureFixture[str]
AUTHORITY = "elastic-quota-webhook-ca"


def ours(name: str, namespace: str = "", **parts: object) -> Document:
    place = {"namespace": namespace} if namespace else {}
    return {"metadata": {"name": name, "labels": OURS, **place}, **parts}


@pytest.fixture
async def double(tmp_path: Path, capsys: Screen) -> AsyncIterator[Live]:
    """A faultless installation, with a quota that fits its ResourceQuota."""
    stored = Stored()
    quota = stored.quota("team-a", 4, 8, parent="koordinator-root-quota")
    publish(quota, observedGeneration=9)
    async with Live(tmp_path, capsys) as double:
        for resource, kind in (
            (paths.RESOURCE_QUOTAS, "ResourceQuota"),
            (paths.DEPLOYMENTS, "Deployment"),
            (paths.QUEUE_UNITS, "QueueUnit"),
            (paths.JOB_QUEUES, "Queue"),
        ):
            double.serve(Kind(resource, kind))
        double.put(paths.QUOTAS, quota)
        for name in names.RESERVED_QUOTAS:
            kept: Document = {"metadata": {"name": name, "namespace": "eq"}, "spec": {}}
            publish(kept, observedGeneration=9)
            double.put(paths.QUOTAS, kept)
        text = "lease: {name: eq-controller}"
        double.put(paths.CONFIG_MAPS, ours("eq-config", "eq", data={"config.yaml": text}))
        hook = {
            "name": "quota.elasticquota.dev",
            "clientConfig": {"caBundle": "Q0E=", "service": {"path": "/t/x"}},
        }
        for configurations in (paths.MUTATING_WEBHOOKS, paths.VALIDATING_WEBHOOKS):
            double.put(configurations, ours("eq-webhook", webhooks=[hook]))
        double.put(paths.SECRETS, {"metadata": {"name": AUTHORITY, "namespace": "eq"}})
        renewed = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        spec = {"holderIdentity": "eq-0", "renewTime": renewed, "leaseDurationSeconds": 3600}
        lease = {"name": "eq-controller", "namespace": "eq"}
        double.put(paths.LEASES, {"metadata": lease, "spec": spec})
        limited(double, "20")
        yield double


def limited(double: ApiDouble, cpu: str) -> None:
    name = {"name": "rq", "namespace": "team-a"}
    double.put(paths.RESOURCE_QUOTAS, {"metadata": name, "spec": {"hard": {"cpu": cpu}}})


def forbid(double: ApiDouble, *closed: Resource) -> None:
    """Forbidden in all namespaces; a single namespace may be read."""
    for resource in closed:
        refusal = Refusal(403, "Forbidden", "no")
        double.faults.answer(refusal, times=9, method="GET", path=resource.list())


async def test_a_healthy_cluster_gives_one_line(double: Live) -> None:
    limited(double, "8000000m")
    double.edit(paths.QUOTAS, "team-a", "team-a", lambda found: found["spec"].clear())
    assert await double.run("doctor") == 0
    shown = double.said()
    assert (shown.out, shown.err) == ("0 errors, 0 warnings, 0 notices\n", "")
    assert {call.method for call in double.calls} == {"GET"}


async def test_findings_come_worst_first_and_an_error_is_the_exit_code(double: Live) -> None:
    label = {"quota.scheduling.koordinator.sh/name": "team-b"}
    meta = {"name": "web", "namespace": "team-a", "labels": label}
    double.put(paths.PODS, {"metadata": meta, "spec": {}})
    assert await double.run("doctor") == 0
    assert double.said().out == (
        "WARNING   Namespace team-a\n"
        "   1 pod (web) with label quota.scheduling.koordinator.sh/name=team-b, and there is no "
        "such quota: until there is, quota team-a counts instead; did you mean team-a?\n"
        "   -> create quota team-b, or correct the label where the pods are made\n"
        "INFO   ElasticQuota team-a/team-a\n"
        "   team-a may ask for 20 cpu (ResourceQuota team-a/rq), more than max 8: 12 cpu may wait "
        "while all of max is used, and more is refused\n"
        "   -> nothing, if so much may wait; else raise it, or leave the resource to the quota\n"
        "0 errors, 1 warning, 1 notice\n"
    )
    limited(double, "2")
    assert await double.run("doctor") == 1
    assert double.said().out.startswith("ERROR   ElasticQuota team-a/team-a\n")


async def test_a_missing_namespace_is_not_reported_as_healthy(double: Live) -> None:
    assert await double.run("doctor", "-n", "team-x") == 1
    assert double.said().err == "elastic-quota: there is no namespace 'team-x'\n"
    forbid(double, paths.NAMESPACES)
    refusal = Refusal(403, "Forbidden", "no")
    double.faults.answer(refusal, times=9, method="GET", path="/namespaces/team-x")
    await double.run("doctor", "-n", "team-x")
    assert "there is no namespace" not in double.said().err


async def test_forbidden_reads_skip_only_the_rules_that_need_them(double: Live) -> None:
    limited(double, "2")
    forbid(double, paths.LEASES, paths.MUTATING_WEBHOOKS)
    assert await double.run("doctor") == 1
    shown = double.said()
    assert shown.err.splitlines() == [
        "note: not checked: webhook configurations "
        "(mutatingwebhookconfigurations: you may not read them)",
    ]
    assert "less than its min 4" in shown.out


async def test_a_deleted_secret_of_the_webhooks_authority_is_found(double: Live) -> None:
    double.remove(paths.SECRETS, "eq", AUTHORITY)
    assert await double.run("doctor") == 1
    assert double.said().out.startswith(
        f"ERROR   Secret eq/{AUTHORITY}\n"
        "   is gone: replicas of the webhook go on until their certificates expire, new ones do "
        "not get ready\n"
        "   -> helm upgrade the release, which creates it (docs/certificates.md)\n"
    )


async def test_of_secrets_only_the_metadata_of_one_is_asked_for(double: Live) -> None:
    await double.run("doctor")
    asked = [call for call in double.calls if "/secrets" in call.path]
    assert [(call.path, "as=PartialObjectMetadata" in call.accept) for call in asked] == [
        (f"/api/v1/namespaces/eq/secrets/{AUTHORITY}", True)
    ]


async def test_a_note_names_the_authority_where_secrets_may_not_be_read(double: Live) -> None:
    refusal = Refusal(403, "Forbidden", "no")
    double.faults.answer(refusal, times=9, method="GET", path=f"/secrets/{AUTHORITY}")
    limited(double, "8")
    assert await double.run("doctor") == 0
    assert double.said().err == (
        "note: not checked: the webhook's authority (secrets: you may not read them)\n"
    )


async def test_who_may_read_only_the_operators_namespace_gets_its_report(double: Live) -> None:
    """As the pod of `helm test`."""
    state = {"spec": {"replicas": 2}, "status": {"readyReplicas": 2}}
    double.put(paths.DEPLOYMENTS, ours("eq-webhook", "eq", **state))
    forbid(double, paths.CONFIG_MAPS, paths.DEPLOYMENTS)
    assert await double.run("doctor", "-n", "eq") == 0
    assert double.said().err == ""
    double.put(paths.DEPLOYMENTS, ours("eq-controller", "eq", spec={"replicas": 2}))
    assert await double.run("doctor", "-n", "eq") == 1
    assert "0 of 2 replicas are ready" in double.said().out


async def test_a_tenant_gets_the_report_of_a_named_namespace(double: Live) -> None:
    limited(double, "2")
    everything = (
        paths.CONFIG_MAPS,
        paths.QUOTAS,
        paths.PROFILES,
        paths.PODS,
        paths.RESOURCE_QUOTAS,
        paths.LEASES,
        paths.DEPLOYMENTS,
        paths.MUTATING_WEBHOOKS,
        paths.VALIDATING_WEBHOOKS,
        paths.QUEUE_UNITS,
        paths.JOB_QUEUES,
    )
    forbid(double, *everything)
    assert await double.run("doctor", "-n", "team-a", "-o", "json") == 1
    found = json.loads(double.said().out)
    assert [each["message"] for each in found["findings"]] == [
        "team-a may ask for 2 cpu (ResourceQuota team-a/rq), less than its min 4: 2 cpu of the "
        "guarantee go unused"
    ]
    assert [note.split(" (")[0].removeprefix("not checked: ") for note in found["notes"]] == [
        "the configuration",
        "the leader",
        "replicas",
        "webhook configurations",
        "policies of the release",
        "built-in quotas",
        "guarantees that do not fit",
        "trees that hold too much",
        "nodes out of service",
        "unknown quotas",
        "pods on nodes of other trees",
        "the kind of ProvisioningRequests",
        "leftovers of job queues",
    ]
    forbid(double, *everything)
    assert await double.run("doctor") == 0
    shown = double.said()
    assert shown.out == "0 errors, 0 warnings, 0 notices\n"
    assert len(shown.err.splitlines()) == 20


async def test_a_check_of_the_operator_asks_for_no_pods_and_no_nodes(double: Live) -> None:
    limited(double, "2")
    others = (paths.PODS, paths.NODES, paths.RESOURCE_QUOTAS, paths.QUEUE_UNITS, paths.JOB_QUEUES)
    forbid(double, *others)
    assert await double.run("doctor", "--operator") == 0
    assert double.said().err == ""
    asked = {call.path for call in double.calls}
    assert asked.isdisjoint(each.list() for each in others)


async def test_who_may_read_nothing_gets_an_exit_code_of_its_own(double: Live) -> None:
    """A check that was never made is no check that was passed."""
    double.faults.answer(Refusal(403, "Forbidden", "you may not"), times=999)
    assert await double.run("doctor") == 3
    assert double.said().err.splitlines()[-1] == (
        "note: nothing was checked: you may read none of these kinds in all namespaces; "
        "-n NAMESPACE asks one"
    )
    assert await double.run("doctor", "-n", "team-a") == 3
    assert double.said().err.splitlines()[-1] == (
        "note: nothing was checked: you may read none of these kinds in namespace team-a"
    )


async def test_a_cluster_without_our_kinds_is_reported(double: Live) -> None:
    missing = Refusal(404, "NotFound", "no such thing")
    double.faults.answer(missing, times=9, path=paths.QUOTAS.list())
    assert await double.run("doctor") == 1
    assert double.said().out.splitlines()[:3] == [
        "ERROR   CustomResourceDefinition elasticquotas.scheduling.sigs.k8s.io",
        "   the API server does not know this kind: there are no quotas at all",
        "   -> install the chart, or kubectl apply --server-side -f crds/",
    ]


async def test_definitions_of_another_version_are_an_error_that_names_what_is_dropped(
    double: Live,
) -> None:
    fields = [each.removeprefix("status.") for each in definition_fields.FIELDS["ElasticQuota"]]
    double.keep_only(paths.QUOTAS, *fields)
    assert await double.run("doctor") == 0
    double.keep_only(paths.QUOTAS, *(set(fields) - {"pods", "conditions"}))
    double.said()
    assert await double.run("doctor") == 1
    assert double.said().out.splitlines()[:3] == [
        "ERROR   CustomResourceDefinition elasticquotas.scheduling.sigs.k8s.io",
        "   it is not the one of this version. The API server drops status.pods, "
        "status.conditions, which are not published",
        "   -> kubectl apply --server-side --force-conflicts -f crds/ of this version, and restart "
        "the controller",
    ]


async def test_without_the_chart_it_asks_for_the_configuration(double: Live) -> None:
    double.remove(paths.CONFIG_MAPS, "eq", "eq-config")
    assert await double.run("doctor") == 1
    assert double.said().out.splitlines()[:3] == [
        "ERROR   Lease elastic-quota-controller",
        "   neither it nor a ConfigMap of the chart "
        "(app.kubernetes.io/part-of=elastic-quota-operator) is there",
        "   -> install the chart, or name the controller's configuration with --config",
    ]
    config = double.folder / "config.yaml"
    config.write_text("lease: {name: eq-controller}", encoding="utf-8")
    assert await double.run("doctor", "--config", str(config)) == 0


async def test_a_lease_that_was_never_held_is_reported(double: Live) -> None:
    double.remove(paths.LEASES, "eq", "eq-controller")
    assert await double.run("doctor") == 1
    assert double.said().out.splitlines()[:2] == [
        "ERROR   Lease eq-controller",
        "   there is none: no controller has ever led",
    ]


async def test_an_unreadable_configmap_is_an_error(double: Live) -> None:
    def spoil(found: Document) -> None:
        found["data"]["config.yaml"] = "leese: {}"

    double.edit(paths.CONFIG_MAPS, "eq", "eq-config", spoil)
    assert await double.run("doctor") == 1
    assert double.said().out.splitlines()[:2] == [
        "ERROR   ConfigMap eq/eq-config",
        "   leese: unknown key, did you mean lease?: processes that run keep the last good "
        "configuration, and none starts with this one",
    ]


@pytest.mark.parametrize("resource", [paths.PODS, paths.QUOTAS, paths.LEASES, paths.CONFIG_MAPS])
async def test_an_unreadable_object_is_named_and_skipped(resource: Resource, double: Live) -> None:
    odd = {"name": "eq-controller", "namespace": "odd", "labels": OURS | {"x": [3]}}
    double.put(resource, {"metadata": odd, "spec": {}})
    assert await double.run("doctor") == 0
    assert double.said().err == (
        f"note: {resource.plural} that are not understood count nowhere here: "
        "one without a readable name\n"
    )


async def test_without_an_api_server_it_says_so(tmp_path: Path, capsys: Screen) -> None:
    assert await Live(tmp_path, capsys).run("doctor") == 1
    assert capsys.readouterr().err.startswith("elastic-quota: cannot read the configmaps: ")


def test_bad_input_has_its_exit_code(tmp_path: Path, capsys: Screen) -> None:
    absent = str(tmp_path / "absent.yaml")
    assert cli.main(["doctor", "-f", absent]) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"elastic-quota: {absent}: cannot be read: No such file or directory"
    ]
    config = tmp_path / "config.yaml"
    config.write_text("leese: {}", encoding="utf-8")
    assert cli.main(["doctor", "-f", str(config), "--config", str(config)]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "elastic-quota: leese: unknown key, did you mean lease?"
    ]


async def test_replicas_are_those_of_the_chart(double: Live) -> None:
    double.put(paths.DEPLOYMENTS, ours("eq-webhook", "eq", spec={"replicas": 2}, status={}))
    theirs = {"name": "theirs", "namespace": "lab"}
    double.put(paths.DEPLOYMENTS, {"metadata": theirs, "spec": {"replicas": 2}, "status": {}})
    assert await double.run("doctor") == 1
    shown = double.said().out
    assert "0 of 2 replicas are ready" in shown
    assert "theirs" not in shown


@pytest.mark.parametrize(
    ("pod", "name"),
    [
        ("metadata: {name: web}, spec: [3]", "default/web"),
        ("metadata: 5", "one without a readable name"),
    ],
)
def test_an_odd_object_in_a_file_is_named_once(
    tmp_path: Path, capsys: Screen, pod: str, name: str
) -> None:
    file = tmp_path / "odd.yaml"
    file.write_text(f"{{apiVersion: v1, kind: Pod, {pod}}}")
    assert cli.main(["doctor", "-f", str(file)]) == 0
    assert capsys.readouterr().err.splitlines()[0] == (
        f"note: pods that are not understood count nowhere here: {name}"
    )


def test_an_unreadable_limit_is_named(tmp_path: Path, capsys: Screen) -> None:
    file = tmp_path / "rq.yaml"
    file.write_text(
        "{apiVersion: v1, kind: ResourceQuota, metadata: {name: rq}, spec: {hard: {cpu: many}}}"
    )
    assert cli.main(["doctor", "-f", str(file)]) == 0
    assert (
        capsys.readouterr()
        .err.splitlines()[0]
        .startswith("note: ResourceQuota default/rq: spec.hard.cpu: 'many' is not a quantity")
    )


async def test_a_kind_that_is_served_in_no_version_that_is_read_is_an_error(double: Live) -> None:
    text = "lease: {name: eq-controller}\npodGroups: {kinds: [kubernetes, volcano]}"
    double.put(paths.CONFIG_MAPS, ours("eq-config", "eq", data={"config.yaml": text}))
    assert await double.run("doctor") == 0
    double.serve(Kind(Resource("scheduling.k8s.io", "v2", "podgroups"), "PodGroup"))
    double.said()
    assert await double.run("doctor") == 1
    assert double.said().out.startswith(
        "ERROR   definition podgroups.scheduling.k8s.io\n"
        "   the API server serves podgroups.scheduling.k8s.io as v2, and this version of the "
        "operator reads v1, v1beta1, v1alpha3, v1alpha2: its objects count nowhere, and the pods "
        "of its kubernetes groups wait\n"
        "   -> upgrade the operator, serve a version that it reads, or take the kind out of the "
        "configuration\n"
    )
    double.serve(Kind(Resource("scheduling.k8s.io", "v1beta1", "podgroups"), "PodGroup"))
    assert await double.run("doctor") == 0


async def test_a_kind_by_which_nodes_are_to_be_asked_for_and_that_is_not_there_is_reported(
    double: Live,
) -> None:
    text = "lease: {name: eq-controller}\nprovisioning: {className: check.example.com}"
    double.put(paths.CONFIG_MAPS, ours("eq-config", "eq", data={"config.yaml": text}))
    assert await double.run("doctor") == 0
    assert double.said().out.startswith(
        "WARNING   CustomResourceDefinition provisioningrequests.autoscaling.x-k8s.io\n"
        "   provisioning.className is check.example.com, and the API server does not know this "
        "kind: groups and jobs start without asking the autoscaler for nodes\n"
        "   -> install the definition of Cluster Autoscaler, or empty "
        "config.provisioning.className\n"
    )
    double.serve(Kind(paths.PROVISIONING_REQUESTS, "ProvisioningRequest"))
    await double.run("doctor")
    assert "provisioningrequests" not in double.said().out
