"""The controller keeps the objects of the built-in quotas on a double of the API server."""

from typing import Any

import pytest

from api_double import ApiDouble
from api_double.waiting import until
from elasticquota import names
from elasticquota_kube.client import paths
from small_cluster import controller, summary


HOME = "operator"
ALL = sorted(names.RESERVED_QUOTAS)


@pytest.fixture(autouse=True)
def one_node(double: ApiDouble) -> None:
    put_node(double, "n-1")


def put_node(double: ApiDouble, name: str) -> None:
    ready = {"type": "Ready", "status": "True"}
    offer = {"cpu": "8", "memory": "32Gi", "pods": "110"}
    status = {"allocatable": offer, "conditions": [ready]}
    double.put(paths.NODES, {"metadata": {"name": name}, "status": status})


def kept(double: ApiDouble) -> list[str]:
    return sorted(
        quota["metadata"]["name"]
        for quota in double.objects(paths.QUOTAS)
        if quota["metadata"]["namespace"] == HOME
    )


def root(double: ApiDouble) -> dict[str, Any]:
    return double.object(paths.QUOTAS, HOME, names.ROOT_QUOTA)


def total(double: ApiDouble) -> str:
    annotations = root(double)["metadata"].get("annotations") or {}
    return str(annotations.get(names.TOTAL_RESOURCE, ""))


async def test_one_that_is_deleted_behind_our_back_comes_again(
    double: ApiDouble, port: int
) -> None:
    async with controller(double, "one", port):
        await until(lambda: kept(double) == ALL, within=10)
        for name in ALL:
            double.remove(paths.QUOTAS, HOME, name)
        await until(lambda: kept(double) == ALL, within=10)


async def test_a_default_quota_of_an_administrator_keeps_its_spec(
    double: ApiDouble, port: int
) -> None:
    metadata = {"namespace": HOME, "name": names.DEFAULT_QUOTA, "labels": {"team": "infra"}}
    double.put(paths.QUOTAS, {"metadata": metadata, "spec": {"max": {"cpu": "3"}}})
    async with controller(double, "one", port):
        await until(lambda: kept(double) == ALL, within=10)
        await until(lambda: summary(double, names.DEFAULT_QUOTA).get("cpu") == "0/0/0..3")
    found = double.object(paths.QUOTAS, HOME, names.DEFAULT_QUOTA)
    assert found["spec"] == {"max": {"cpu": "3"}}
    assert found["metadata"]["labels"] == {"team": "infra"}


async def test_the_three_have_total_and_status_and_what_another_writes_on_the_root_stays(
    double: ApiDouble, port: int
) -> None:
    """A Koordinator that still runs labels the root as it likes, and the controller lets it."""
    async with controller(double, "one", port):
        await until(lambda: kept(double) == ALL, within=10)
        await until(lambda: (root(double).get("status") or {}).get("tree") == names.ROOT_QUOTA)
        await until(lambda: total(double) == '{"cpu":"8","memory":"32Gi","pods":"110"}')
        assert root(double)["spec"] == {}
        labels = {names.IS_PARENT: "true", names.PARENT: ""}
        double.edit(
            paths.QUOTAS, HOME, names.ROOT_QUOTA, lambda q: q["metadata"].update(labels=labels)
        )
        put_node(double, "n-2")
        await until(lambda: '"cpu":"16"' in total(double))
    assert root(double)["metadata"]["labels"] == labels
