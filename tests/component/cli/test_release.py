"""``release --all`` removes our gate from waiting pods, and changes nothing else."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from api_double import ApiDouble, Refusal, refusals
from elasticquota import names
from elasticquota.model import tree_ids
from elasticquota.model.key import Key
from elasticquota_cli import main as cli
from elasticquota_cli.commands import release as release_all
from elasticquota_kube.client import api, paths
from live_cluster import Live


Screen = pytest.CaptureFixture[str]
OTHER = "example.com/other"


@pytest.fixture
async def double(tmp_path: Path, capsys: Screen) -> AsyncIterator[Live]:
    async with Live(tmp_path, capsys) as double:
        waits(double, "team-a", "alone", [names.GATE])
        waits(double, "team-a", "first", [names.GATE, OTHER])
        waits(double, "team-b", "last", [OTHER, names.GATE])
        waits(double, "team-b", "foreign", [OTHER])
        yield double


def waits(double: ApiDouble, namespace: str, name: str, gates: Sequence[str], **spec: Any) -> None:
    double.put(
        paths.PODS,
        {
            "metadata": {"namespace": namespace, "name": name},
            "spec": {
                "schedulingGates": [{"name": gate} for gate in gates],
                "containers": [],
                **spec,
            },
        },
    )


def with_a_tree(double: ApiDouble, team: str) -> None:
    """A profile of GPU nodes, with the quota of a namespace below its root."""
    profile = {"metadata": {"namespace": "system", "name": "gpu"}}
    spec = {"quotaName": "gpu-root", "nodeSelector": {"matchLabels": {"pool": "gpu"}}}
    double.put(paths.PROFILES, {**profile, "spec": spec})
    root = {names.IS_ROOT: "true", names.IS_PARENT: "true", names.PROFILE: "gpu"}
    tree = {names.TREE_ID: tree_ids.hashed(Key("system", "gpu"))}
    for namespace, name, labels in (
        ("system", "gpu-root", {**root, **tree}),
        (team, team, {names.PARENT: "gpu-root"}),
    ):
        meta = {"namespace": namespace, "name": name, "labels": labels}
        double.put(paths.QUOTAS, {"metadata": meta, "spec": {}})


def demands(double: ApiDouble, namespace: str, name: str) -> list[list[tuple[str, list[str]]]]:
    """What each term of the pod's required node affinity asks for."""
    spec = double.object(paths.PODS, namespace, name)["spec"]
    required = spec.get("affinity", {}).get("nodeAffinity", {})
    terms = required.get("requiredDuringSchedulingIgnoredDuringExecution", {})
    return [
        [(each["key"], each["values"]) for each in term["matchExpressions"]]
        for term in terms.get("nodeSelectorTerms", [])
    ]


def gates(double: ApiDouble) -> dict[str, list[str]]:
    return {
        pod["metadata"]["name"]: [gate["name"] for gate in pod["spec"]["schedulingGates"]]
        for pod in double.objects(paths.PODS)
    }


async def test_gates_of_others_stay_wherever_they_are_in_the_list(double: Live) -> None:
    assert await double.run("release", "--all") == 0
    assert gates(double) == {"alone": [], "first": [OTHER], "last": [OTHER], "foreign": [OTHER]}
    assert double.said().out.splitlines() == [
        "NAMESPACE   PODS",
        "team-a      2",
        "team-b      1",
        "Released 3 pods in 2 namespaces.",
        "2 pods of these also wait at gates of others, which stay.",
    ]


async def test_a_released_pod_keeps_to_the_nodes_of_its_tree(double: Live) -> None:
    """By its label, and what it demands of nodes itself stays."""
    with_a_tree(double, "team-a")
    assert await double.run("release", "--all") == 0
    assert demands(double, "team-a", "alone") == [[("pool", ["gpu"])]]
    assert demands(double, "team-b", "last") == []
    assert double.said().err == ""
    zone = {"key": "zone", "operator": "In", "values": ["a"]}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [zone]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": terms}
    waits(double, "team-a", "choosy", [names.GATE], affinity={"nodeAffinity": required})
    assert await double.run("release", "--all") == 0
    assert demands(double, "team-a", "choosy") == [[("zone", ["a"]), ("pool", ["gpu"])]]


async def test_a_user_who_may_not_list_quotas_releases_and_gets_a_note(double: Live) -> None:
    double.faults.answer(Refusal(403, "Forbidden", "no"), method="GET", path="/elasticquotas")
    assert await double.run("release", "--all") == 0
    assert gates(double)["alone"] == []
    note = "note: released pods may start on nodes of other trees: no\n"
    assert double.said().err == note


async def test_without_our_kinds_there_are_no_trees(double: Live) -> None:
    missing = Refusal(404, "NotFound", "the server could not find the requested resource")
    double.faults.answer(missing, method="GET", path="/elasticquotaprofiles")
    assert await double.run("release", "--all") == 0
    assert (gates(double)["alone"], double.said().err) == ([], "")


async def test_a_dry_run_counts_and_changes_nothing(double: Live) -> None:
    before = gates(double)
    assert await double.run("release", "--all", "--dry-run", "--namespace", "team-b") == 0
    assert "Would release 1 pod in 1 namespace.\n" in double.said().out
    assert gates(double) == before
    assert double.count("PATCH") == 0


async def test_with_a_namespace_pods_of_others_keep_waiting(double: Live) -> None:
    assert await double.run("release", "--all", "-n", "team-b") == 0
    found = gates(double)
    assert (found["last"], found["alone"]) == ([OTHER], [names.GATE])


async def test_a_pod_whose_gates_changed_meanwhile_is_read_again(
    double: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    patch = api.Api.patch

    async def later(self: api.Api, *facts: object, **more: object) -> object:
        if facts[2] == "last" and double.count("PATCH", "/api/v1/namespaces/team-b/pods/last") == 0:
            waits(double, "team-b", "last", [names.GATE, OTHER])
        return await patch(self, *facts, **more)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(api.Api, "patch", later)
    assert await double.run("release", "--all") == 0
    assert gates(double)["last"] == [OTHER]
    assert double.count("PATCH", "/api/v1/namespaces/team-b/pods/last") == 2


async def test_a_webhook_of_others_that_fails_for_a_moment_keeps_no_pod(double: Live) -> None:
    double.faults.answer(refusals.failing_webhook(), method="PATCH")
    assert await double.run("release", "--all") == 0
    assert not any(names.GATE in found for found in gates(double).values())


async def test_all_pages_of_a_big_cluster_are_released(
    double: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "PAGE_SIZE", 10)
    for number in range(45):
        waits(double, "team-c", f"pod-{number}", [names.GATE])
    assert await double.run("release", "--all", "-n", "team-c") == 0
    assert "Released 45 pods in 1 namespace.\n" in double.said().out
    assert double.count("GET", "/api/v1/namespaces/team-c/pods") == 5


async def test_a_user_who_may_not_list_pods_gets_the_needed_rights(double: Live) -> None:
    double.faults.answer(Refusal(403, "Forbidden", "no"), method="GET", path="/api/v1/pods")
    assert await double.run("release", "--all") == 1
    assert double.said().err == (
        "elastic-quota: you may not list pods in all namespaces: no. It takes the verbs list, get "
        "and patch on pods; with --namespace in one only\n"
    )


async def test_pods_that_the_policy_still_guards_are_counted_and_the_order_is_reported(
    double: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release_all, "FORGOTTEN", 0.0)
    policy = Refusal(403, "Forbidden", "only the controller may [PD1303]")
    double.faults.answer(policy, times=9, method="PATCH", path="/api/v1/namespaces/team-a")
    assert await double.run("release", "--all") == 1
    told = double.said()
    assert "Released 1 pod in 1 namespace.\n" in told.out
    assert told.err.splitlines() == [
        "elastic-quota: 2 pods of namespace 'team-a' not released: "
        "only the controller may [PD1303]",
        "elastic-quota: The policies of the chart keep the gate for the controller: uninstall the "
        "chart first (or be in one of policy.breakGlassGroups), then run this again.",
    ]


async def test_a_refusal_that_only_mentions_the_rule_is_not_that_of_the_policy(
    double: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release_all, "FORGOTTEN", 0.0)
    other = Refusal(403, "Forbidden", "no pod starts at night, which is not [PD1303] but ours")
    double.faults.answer(other, times=9, method="PATCH", path="/api/v1/namespaces/team-a")
    assert await double.run("release", "--all") == 1
    assert double.said().err.splitlines() == [
        "elastic-quota: 2 pods of namespace 'team-a' not released: "
        "no pod starts at night, which is not [PD1303] but ours",
    ]


async def test_a_policy_that_was_uninstalled_a_moment_ago_is_waited_for(double: Live) -> None:
    policy = Refusal(403, "Forbidden", "only the controller may [PD1303]")
    double.faults.answer(policy, times=3, method="PATCH", path="/api/v1/namespaces/team-a")
    assert await double.run("release", "--all") == 0
    assert gates(double)["alone"] == []


def test_without_the_flag_all_nothing_is_released(capsys: Screen) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["release"])
    assert ended.value.code == 2
    assert "--all" in capsys.readouterr().err
