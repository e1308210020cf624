"""The benchmark's yardstick is honest: it answers as Koordinator does, and does the same work."""

import json
import pathlib
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from elasticquota import names, resources
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota


REPOSITORY = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(REPOSITORY))  # the benchmarks are no part of the product

from benchmarks import product, rounds, workloads  # noqa: E402
from benchmarks.rounds import Record  # noqa: E402
from benchmarks.usual_method import UsualMethod  # noqa: E402
from benchmarks.workloads import Workload  # noqa: E402


GROUPS = json.loads((REPOSITORY / "tests" / "vectors" / "koordinator.json").read_text("utf-8"))[
    "groups"
]
VECTORS = {name: group.get("vectors", ()) for name, group in GROUPS.items()}
LEVELS = {
    vector["id"]: vector
    for vector in (*VECTORS["redistribution"], *VECTORS["proposal_images"])
    if "nodes" in vector
}
TREES = {
    vector["id"]: vector for vector in VECTORS["tree"] if not vector["options"]["guarantee_usage"]
}
DEPARTMENTS = next(vector for vector in VECTORS["proposal_images"] if vector["id"] == "img-02")


def shares(vector: Mapping[str, Any]) -> dict[str, int]:
    records = {
        node["name"]: Record(
            min=max(node["min"], node["guarantee"]),
            weight=node["shared_weight"],
            lends=node["allow_lent"],
            request=node["request"],
        )
        for node in sorted(vector["nodes"], key=lambda node: str(node["name"]))
    }
    rounds.redistribute(vector["total"], records.values())
    return {name: record.runtime for name, record in records.items()}


@pytest.mark.parametrize("name", sorted(LEVELS))
def test_one_level_comes_out_as_the_peer_published_it(name: str) -> None:
    assert shares(LEVELS[name]) == LEVELS[name]["expected_runtime"]


def test_identical_quotas_drift_apart_as_they_do_at_the_peer() -> None:
    caps, weights = (6, 29, 13, 18, 21, 11), (1, 1, 1, 1, 1, 2)
    records = [Record(0, weight, True, cap) for cap, weight in zip(caps, weights, strict=True)]
    rounds.redistribute(75, records)
    assert [record.runtime for record in records] == [6, 16, 13, 16, 13, 11]


def quota(node: Mapping[str, Any]) -> Quota:
    return Quota(
        key=Key("ns", node["name"]),
        uid=node["name"],
        created="",
        parent=node["parent"],
        min=resources.parse(node["min"]),
        max=resources.parse(node["max"]),
        shared_weight=resources.parse(node["shared_weight"]),
        allow_lent=node["allow_lent"],
    )


def parents_first(quotas: list[Quota]) -> list[Quota]:
    placed: list[Quota] = []
    known = {names.ROOT_QUOTA}
    while len(placed) < len(quotas):
        ready = [found for found in quotas if found.parent in known and found not in placed]
        placed += ready
        known |= {found.name for found in ready}
    return placed


@pytest.mark.parametrize("way", ["refresh_leaves", "solve_once"])
@pytest.mark.parametrize("name", sorted(TREES))
def test_a_tree_comes_out_as_in_the_peers_tests(name: str, way: str) -> None:
    vector = TREES[name]
    method = UsualMethod(
        names.ROOT_QUOTA,
        parents_first([quota(node) for node in vector["quotas"]]),
        scale_min=vector["options"]["scale_min"],
    )
    method.set_total(resources.parse(vector["total"]))
    for quota_name, asked in vector["self_request"].items():
        method.set_request(quota_name, resources.parse(asked))
    getattr(method, way)()
    seen = {
        "request": method.requests(),
        "limited_request": method.limited_requests(),
        "runtime": method.runtimes(),
    }
    compared = 0
    for quota_name, expectations in vector["expected"].items():
        for figure in seen.keys() & expectations.keys():
            for key, amount in resources.parse(expectations[figure]).items():
                assert seen[figure][quota_name].get(key, 0) == amount, (quota_name, figure, key)
                compared += 1
    assert compared


def test_the_departments_of_the_proposal_share_27_and_53() -> None:
    rows = DEPARTMENTS["quotas"]
    quotas = [
        Quota(
            Key("ns", row["name"]),
            uid=row["name"],
            created="",
            parent=row["parent"],
            min={"device": row["min"]},
            max={"device": row["max"]},
        )
        for row in rows
    ]
    method = UsualMethod(names.ROOT_QUOTA, quotas)
    method.set_total({"device": DEPARTMENTS["total"]})
    for row in rows:
        method.set_request(row["name"], {"device": row.get("request", 0)})
    method.refresh_leaves()
    found = {name: amounts["device"] for name, amounts in method.runtimes().items()}
    assert found == DEPARTMENTS["expected_runtime"]


def small(name: str, low: int, weight: int) -> Quota:
    return Quota(
        Key("ns", name),
        uid=name,
        created="",
        min={"device": low},
        max={"device": 1000},
        shared_weight={"device": weight},
    )


def test_guarantees_that_fit_are_scaled_down_because_of_idle_ones_as_at_the_peer() -> None:
    quotas = [small("a", 10, 100), small("b", 100, 1), small("c", 90, 1)]
    method = UsualMethod(names.ROOT_QUOTA, quotas)
    method.set_total({"device": 110})
    method.set_request("a", {"device": 100})
    method.set_request("b", {"device": 100})
    method.refresh_leaves()
    method.refresh_leaves()  # the first round still meets minima that are not scaled yet
    assert method.runtimes() == {"a": {"device": 55}, "b": {"device": 55}, "c": {"device": 0}}


def test_siblings_refreshed_one_after_the_other_get_more_than_there_is_as_at_the_peer() -> None:
    method = UsualMethod(names.ROOT_QUOTA, [small("a", 80, 1), small("b", 80, 1)])
    for total in (100, 160):
        method.set_total({"device": total})
        for name in ("a", "b"):
            method.set_request(name, {"device": 200})
        method.refresh_leaves()
    assert method.runtimes() == {"a": {"device": 95}, "b": {"device": 80}}


def asked(workload: Workload) -> UsualMethod:
    method = UsualMethod(names.ROOT_QUOTA, workload.quotas)
    for leaf, own in workload.own_request.items():
        method.set_request(leaf, own)
    method.set_total(workload.available)
    return method


@pytest.mark.parametrize("way", ["refresh_leaves", "solve_once"])
@pytest.mark.parametrize("shape", sorted(workloads.SHAPES))
def test_the_product_and_the_usual_method_agree_within_two_units(shape: str, way: str) -> None:
    workload = workloads.make(shape, 150)
    method = asked(workload)
    getattr(method, way)()
    theirs = method.runtimes()
    ours = product.read_runtimes(product.built(workload))
    found_apart = [
        (name, key)
        for name, amounts in theirs.items()
        for key, amount in amounts.items()
        if abs(amount - ours[name][key]) > 2
    ]
    assert theirs.keys() == ours.keys()
    assert found_apart == []


@pytest.mark.parametrize("shape", sorted(workloads.SHAPES))
def test_pod_events_lead_both_to_the_same_runtimes(shape: str) -> None:
    workload = workloads.make(shape, 60)
    method, handle = asked(workload), product.built(workload)
    for leaf, own in workloads.pod_events(workload, 60):
        method.set_request(leaf, own)
        theirs = method.refresh(leaf)
        ours = product.pod_event(handle, leaf, own)
        assert all(abs(theirs[key] - ours[key]) <= 2 for key in theirs)


def test_a_full_refresh_computes_all_siblings_once_for_each_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    computed: list[int] = []
    real = rounds.redistribute

    def counting(total: int, records: Any) -> None:
        computed.append(len(records))
        real(total, records)

    monkeypatch.setattr(rounds, "redistribute", counting)
    method = asked(workloads.make("flat", 20))
    method.refresh_leaves()
    assert computed == [20] * 20 * len(workloads.LARGEST_REQUEST)
    computed.clear()
    method.refresh_leaves()
    assert computed == []  # nothing changed: the versions say so


@pytest.mark.parametrize("shape", sorted(workloads.SHAPES))
def test_a_workload_asks_for_half_as_much_again_as_there_is(shape: str) -> None:
    workload = workloads.make(shape, 200)
    method = asked(workload)
    limited = method.limited_requests()
    top = [found.name for found in workload.quotas if found.parent == names.ROOT_QUOTA]
    for key, available in workload.available.items():
        demand = sum(limited[name][key] for name in top)
        assert available <= demand / 1.5 < available + 1
    assert len(workload.available) == 8
    assert len(workload.quotas) == 200
