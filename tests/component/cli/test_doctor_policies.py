"""``doctor`` names each policy and binding of the release that is gone or does less."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from api_double import ApiDouble, Refusal
from api_double.kinds import Kind
from doctor_fixture import OURS, StoredCluster
from elasticquota.wire.admission.admission_policies import MUTATING, VALIDATING
from elasticquota_cli import main as cli
from elasticquota_cli.doctor.report import Finding
from elasticquota_kube.client import paths


Screen = pytest.CaptureFixture[str]

API = "admissionregistration.k8s.io/v1"
GATE = f"{{kind: {VALIDATING}, name: eq-gate, binding: eq-gate, actions: [Deny]}}"
SCHEDULERS = f"{{kind: {VALIDATING}, name: eq-schedulers, binding: eq-warn, actions: [Warn]}}"
MUTATION = f"{{kind: {MUTATING}, name: eq-gate, binding: eq-gate}}"
AGAIN = "helm upgrade the release, which makes it again"
UNCHECKED = "the API server does not check what its rule is about"


def made(*rows: str) -> StoredCluster:
    """A release that made these policies, of which none is stored yet."""
    cluster = StoredCluster()
    cluster.configuration(f"{{lease: {{name: eq-controller}}, policies: [{', '.join(rows)}]}}")
    return cluster


def policy(cluster: StoredCluster, name: str = "eq-gate", kind: str = VALIDATING) -> None:
    cluster.add(API, kind, "", name, spec={})


def binding(
    cluster: StoredCluster, name: str = "eq-gate", of: str = "eq-gate", action: str = "Deny"
) -> None:
    spec = {"policyName": of, "validationActions": [action]}
    cluster.add(API, f"{VALIDATING}Binding", "", name, spec=spec)


def test_policies_and_bindings_as_the_release_made_them_are_fine() -> None:
    cluster = made(GATE, SCHEDULERS)
    policy(cluster)
    binding(cluster)
    policy(cluster, "eq-schedulers")
    binding(cluster, "eq-warn", "eq-schedulers", "Warn")
    assert cluster.findings() == []


def test_a_binding_that_is_gone_is_an_error() -> None:
    cluster = made(GATE)
    policy(cluster)
    assert cluster.findings() == [
        Finding("error", f"{VALIDATING}Binding eq-gate", f"it is gone: {UNCHECKED}", AGAIN, ())
    ]


def test_a_policy_that_is_gone_is_an_error() -> None:
    cluster = made(GATE)
    binding(cluster)
    assert cluster.findings() == [
        Finding("error", f"{VALIDATING} eq-gate", f"it is gone: {UNCHECKED}", AGAIN, ())
    ]


def test_a_binding_that_no_longer_denies_is_an_error() -> None:
    cluster = made(GATE)
    policy(cluster)
    binding(cluster, action="Audit")
    assert cluster.findings() == [
        Finding(
            "error",
            f"{VALIDATING}Binding eq-gate",
            f"its validationActions are Audit instead of Deny: {UNCHECKED}",
            f"delete it and {AGAIN}",
            (),
        )
    ]


def test_what_the_values_switch_off_is_not_missing() -> None:
    """The release made one policy; there is no list of others."""
    cluster = made(GATE)
    policy(cluster)
    binding(cluster)
    assert cluster.findings() == []
    assert made().findings() == []


@pytest.fixture
async def double() -> AsyncIterator[ApiDouble]:
    """An API server without mutating policies, which has the validating policy of the release."""
    async with ApiDouble() as double:
        for resource, kind in (
            (paths.VALIDATING_POLICIES, VALIDATING),
            (paths.VALIDATING_BINDINGS, f"{VALIDATING}Binding"),
        ):
            double.serve(Kind(resource, kind, namespaced=False))
        release(double, GATE)
        double.put(paths.VALIDATING_POLICIES, {"metadata": {"name": "eq-gate"}, "spec": {}})
        spec = {"policyName": "eq-gate", "validationActions": ["Deny"]}
        double.put(paths.VALIDATING_BINDINGS, {"metadata": {"name": "eq-gate"}, "spec": spec})
        yield double


def release(double: ApiDouble, *rows: str) -> None:
    text = f"policies: [{', '.join(rows)}]"
    metadata = {"name": "eq-config", "namespace": "eq", "labels": OURS}
    double.put(paths.CONFIG_MAPS, {"metadata": metadata, "data": {"config.yaml": text}})


async def policies_found(double: ApiDouble, folder: Path, capsys: Screen) -> tuple[list[str], str]:
    """The objects of the findings about policies, and the notes."""
    kubeconfig = str(double.kubeconfig(folder))
    await asyncio.to_thread(cli.main, ["doctor", "--kubeconfig", kubeconfig])
    shown = capsys.readouterr()
    heads = [line for line in shown.out.splitlines() if "AdmissionPolicy" in line]
    return heads, shown.err


async def test_a_live_cluster_is_asked_only_for_the_kinds_that_the_release_made(
    double: ApiDouble, tmp_path: Path, capsys: Screen
) -> None:
    assert (await policies_found(double, tmp_path, capsys))[0] == []
    assert double.count("GET", "/mutatingadmissionpolicies") == 0
    double.remove(paths.VALIDATING_BINDINGS, "", "eq-gate")
    heads, _ = await policies_found(double, tmp_path, capsys)
    assert heads == [f"ERROR   {VALIDATING}Binding eq-gate"]


async def test_a_mutating_policy_that_the_server_does_not_serve_is_gone(
    double: ApiDouble, tmp_path: Path, capsys: Screen
) -> None:
    release(double, MUTATION)
    heads, _ = await policies_found(double, tmp_path, capsys)
    assert heads == [f"ERROR   {MUTATING} eq-gate", f"ERROR   {MUTATING}Binding eq-gate"]


async def test_who_may_not_read_policies_is_not_said_to_lack_them(
    double: ApiDouble, tmp_path: Path, capsys: Screen
) -> None:
    double.remove(paths.VALIDATING_BINDINGS, "", "eq-gate")
    refusal = Refusal(403, "Forbidden", "no")
    double.faults.answer(refusal, times=9, method="GET", path=paths.VALIDATING_BINDINGS.list())
    heads, notes = await policies_found(double, tmp_path, capsys)
    assert heads == []
    assert "not checked: policies of the release (validatingadmissionpolicybindings: " in notes
