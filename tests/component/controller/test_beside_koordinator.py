"""Beside a Koordinator that still runs, the controller writes nothing that Koordinator owns."""

from typing import Any

import pytest

from api_double import ApiDouble
from api_double.waiting import until
from elasticquota import names
from elasticquota_kube.client import paths
from small_cluster import controller, gated, pod, pool, summary, team


@pytest.fixture(autouse=True)
def kept_by_koordinator(double: ApiDouble) -> None:
    pool(double)
    team(double)
    # Koordinator's manager made this root, and counts otherwise than we do.
    labels = {names.IS_ROOT: "true", names.IS_PARENT: "true", names.PROFILE: "pool"}
    labels[names.TREE_ID] = "42"
    annotations = {names.TOTAL_RESOURCE: '{"cpu":"7"}', names.RUNTIME: '{"cpu":"1"}'}
    metadata = {"namespace": "pools", "name": "root", "labels": labels}
    metadata["annotations"] = annotations
    spec = {"min": {"cpu": "7"}, "max": {"cpu": "1000"}}
    double.put(paths.QUOTAS, {"metadata": metadata, "spec": spec})
    double.edit(
        paths.PROFILES,
        "pools",
        "pool",
        lambda found: found["metadata"].update(labels={names.TREE_ID: "42"}),
    )


def written(double: ApiDouble) -> list[tuple[str, str]]:
    """Method and path of all writes that are no status, Lease or event."""
    return [
        (call.method, call.path)
        for call in double.calls
        if call.method in ("POST", "PATCH", "PUT", "DELETE")
        and not call.path.endswith("/status")
        and "/leases" not in call.path
        and "/events" not in call.path
    ]


@pytest.mark.parametrize("beside", [True, False])
async def test_it_publishes_statuses_and_leaves_quotas_and_pods_alone(
    double: ApiDouble, port: int, beside: bool
) -> None:
    for number in range(5):
        pod(double, f"p-{number}", "3")
        double.edit(paths.PODS, "team", f"p-{number}", _runs)
    before: list[dict[str, Any]] = [
        {key: found[key] for key in ("metadata", "spec")} for found in double.objects(paths.QUOTAS)
    ]
    async with controller(
        double,
        "one",
        port,
        besideKoordinator=beside,
        reclaim={"graceSeconds": 0, "delaySeconds": 0},
    ):
        # 15 of max 8 run: enforcing would evict, and the status says what is used.
        await until(lambda: summary(double, "team").get("cpu", "").startswith("15/"), within=10)
        if not beside:
            await until(lambda: double.count("POST", "eviction") > 0, within=10)
            return
        pod(double, "late", "3")
        await until(lambda: gated(double) == [])
        await until(lambda: summary(double, "team").get("cpu", "").startswith("15/"))
    gate_of_late = [("PATCH", "/api/v1/namespaces/team/pods/late")]
    assert written(double) == gate_of_late
    after = [
        {key: found[key] for key in ("metadata", "spec")} for found in double.objects(paths.QUOTAS)
    ]
    assert [_essence(each) for each in after] == [_essence(each) for each in before]


def _runs(found: dict[str, Any]) -> None:
    found["spec"].update(schedulingGates=[], nodeName="n-1")
    found["status"] = {"phase": "Running", "conditions": []}


def _essence(quota: dict[str, Any]) -> dict[str, Any]:
    metadata = quota["metadata"]
    return {
        "labels": metadata.get("labels"),
        "annotations": metadata.get("annotations"),
        "spec": quota["spec"],
    }
