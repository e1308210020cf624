"""``explain`` reads what it may of a cluster, and reports what it may not read."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import explain_fixture
from api_double import ApiDouble, Refusal
from api_double.kinds import Kind
from elasticquota_cli.live import listing
from elasticquota_cli.why.parts import report
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource
from explain_fixture import RESOURCES, answered, pod_of
from live_cluster import Live
from stored import PREFIX, Document, Stored


VOLCANO = Resource("scheduling.volcano.sh", "v1beta1", "podgroups")

Screen = pytest.CaptureFixture[str]

EVERYWHERE = {
    resource.plural: resource.list() for resource in (*RESOURCES.values(), paths.NAMESPACES)
}


@pytest.fixture
async def double(tmp_path: Path, capsys: Screen) -> AsyncIterator[Live]:
    """A full team, a waiting pod, and the statuses that the controller would have written."""
    stored = Stored()
    root = stored.grown_tree(20)
    team = stored.quota("team-a", 4, 6)
    for number in range(6):
        stored.runs(f"run-{number}", 1)
    stored.waits("new", 1)
    publish(root, "", runtime="20")
    publish(team, "pool", runtime="6")
    async with Live(tmp_path, capsys) as double:
        explain_fixture.fill(double, stored.documents)
        yield double


def publish(quota: Document, parent: str, runtime: str) -> None:
    figures = {"used": "6", "admitted": "6", "request": "7", "runtime": runtime}
    quota["status"] = {key: {"cpu": amount} for key, amount in figures.items()}
    quota["status"] |= {"tree": "pool", "parent": parent, "pods": {"admitted": 6, "gated": 1}}
    accepted = {"type": "Accepted", "status": "True", "reason": "Accepted", "message": "fine"}
    quota["status"]["conditions"] = [accepted]


def forbid(double: ApiDouble, *paths_of_lists: str) -> None:
    """Forbid for good every path that begins with one of these and has no namespace."""
    for path in paths_of_lists:
        double.faults.answer(Refusal(403, "Forbidden", "no"), times=9, method="GET", path=path)


async def test_a_user_who_may_read_everything_gets_computed_values(double: Live) -> None:
    assert await double.run("explain", "pod", "team-a/new", "-o", "json") == 0
    whole = answered(double.screen)
    found = whole.pod
    assert found is not None
    assert (whole.basis, found.state, found.reason) == ("computed", "Waiting", "QuotaExhausted")
    assert [(step.quota, step.fits) for step in found.path] == [("team-a", False), ("pool", True)]
    assert double.count("GET") == 8
    assert {call.method for call in double.calls} == {"GET"}


@pytest.mark.parametrize("closed", ["nodes", "pods"])
async def test_a_user_without_rights_gets_published_values(closed: str, double: Live) -> None:
    forbid(double, EVERYWHERE[closed])
    assert await double.run("explain", "pod", "team-a/new") == 0
    shown = double.said()
    assert shown.out.splitlines()[-4:] == [
        "PATH TO THE ROOT",
        "QUOTA    RESOURCE   ADMITTED       ASKED        RUNTIME   MIN   MAX",
        "team-a   cpu        6          +   1       >    6         4     6",
        "pool     cpu        6          +   1       <=   20        20    -",
    ]
    assert f"you may not read: {closed}" in shown.err


async def test_a_parent_quota_in_another_namespace_is_named(double: Live) -> None:
    forbid(double, EVERYWHERE["elasticquotas"])
    assert await double.run("explain", "quota", "team-a/team-a", "-o", "json") == 0
    whole = answered(double.screen)
    found = whole.quota
    assert found is not None
    assert (whole.basis, found.path, found.tree) == ("published", ["team-a"], "pool")
    assert whole.notes[1] == "pool, the parent of team-a, is where you may not read"
    assert found.figures == [report.FigureRow("cpu", "4", "6", None, "7", "6", "6", "6")]


async def test_an_admitted_pod_gets_the_status_of_its_quota(double: Live) -> None:
    forbid(double, EVERYWHERE["nodes"])
    double.edit(paths.QUOTAS, "team-a", "team-a", lower_runtime)
    assert await double.run("explain", "pod", "team-a/run-0", "-o", "json") == 0
    found = pod_of(double.screen)
    text = "by its status team-a holds 2 cpu beyond its runtime"
    assert found.reclaim == report.ReclaimAnswer(True, {"cpu": "2"}, text)


async def test_of_a_quota_within_its_runtime_it_is_said_what_is_beyond_its_min(
    double: Live,
) -> None:
    forbid(double, EVERYWHERE["nodes"])
    assert await double.run("explain", "pod", "team-a/run-0", "-o", "json") == 0
    found = pod_of(double.screen)
    text = (
        "by its status team-a holds 2 cpu beyond its min, which a pod within the min of another "
        "quota may take"
    )
    assert found.reclaim == report.ReclaimAnswer(True, {}, text)


def lower_runtime(quota: Document) -> None:
    quota["status"]["runtime"]["cpu"] = "4"


@pytest.mark.parametrize(
    ("namespace", "labels", "rule", "quota"),
    [
        ("x", {f"{PREFIX}name": "team-a"}, "label", "team-a"),
        ("team-a", {}, "namespace", "team-a"),
        ("bound", {}, "annotation", "team-a"),
        ("x", {}, "unknown", ""),
    ],
)
async def test_the_quota_of_a_pod_is_reported_as_far_as_it_is_known(
    namespace: str, labels: dict[str, str], rule: str, quota: str, double: Live
) -> None:
    forbid(double, EVERYWHERE["nodes"])
    bound = {f"{PREFIX}namespaces": '["bound"]'}
    double.edit(
        paths.QUOTAS,
        "team-a",
        "team-a",
        lambda found: found["metadata"].update(annotations=bound),
    )
    pod = {"metadata": {"namespace": namespace, "name": "one", "labels": labels}, "spec": {}}
    double.put(paths.PODS, pod | {"status": {"phase": "Succeeded"}})
    assert await double.run("explain", "pod", f"{namespace}/one", "-o", "json") == 0
    found = pod_of(double.screen)
    assert (found.state, found.rule, found.quota) == ("Finished", rule, quota)


async def test_a_tenant_need_not_name_the_namespace_of_the_context(
    double: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    forbid(double, *EVERYWHERE.values())
    monkeypatch.setattr(listing.Cluster, "namespace", "team-a")
    assert await double.run("explain", "quota", "team-a") == 0
    assert double.said().out.startswith("Quota     team-a/team-a\n")
    monkeypatch.setattr(listing.Cluster, "namespace", "team-b")
    assert await double.run("explain", "quota", "team-a") == 1
    assert "write NAMESPACE/team-a" in double.said().err


GARBAGE: tuple[object, ...] = (
    None,
    3,
    "text",
    [],
    {"runtime": 3},
    {"runtime": {"cpu": []}, "conditions": [3, {}]},
)


@pytest.mark.parametrize("status", GARBAGE)
@pytest.mark.parametrize("words", [("pod", "team-a/new"), ("quota", "team-a/team-a")])
async def test_an_unreadable_status_is_no_error(
    status: object, words: tuple[str, str], double: Live
) -> None:
    forbid(double, EVERYWHERE["nodes"])
    double.edit(paths.QUOTAS, "team-a", "team-a", lambda quota: quota.update(status=status))
    assert await double.run("explain", *words) == 0
    assert "Traceback" not in double.said().err


@pytest.mark.parametrize("resource", [*RESOURCES.values()])
async def test_an_unreadable_object_is_named_and_skipped(
    resource: paths.Resource, double: Live
) -> None:
    double.put(
        resource,
        {"metadata": {"namespace": "odd", "name": "odd", "labels": [3]}, "spec": {}, "status": {}},
    )
    assert await double.run("explain", "pod", "team-a/new") == 0
    assert (
        f"{resource.plural} that are not understood count nowhere here: "
        "one without a readable name" in double.said().err
    )


async def test_odd_specs_are_no_error(double: Live) -> None:
    double.edit(paths.QUOTAS, "team-a", "team-a", lambda quota: quota.update(spec=[3]))
    assert await double.run("explain", "quota", "team-a") == 0
    assert "not accepted: InvalidSpec" in double.said().out


async def test_pods_that_may_not_be_listed_are_reported(double: Live) -> None:
    forbid(double, EVERYWHERE["nodes"], paths.PODS.list("team-a"))
    assert await double.run("explain", "pod", "team-a/new") == 1
    (said,) = double.said().err.splitlines()
    assert said == "elastic-quota: you may not list the pods of namespace team-a"


async def test_an_unknown_pod_is_reported_to_a_tenant(double: Live) -> None:
    forbid(double, EVERYWHERE["nodes"])
    assert await double.run("explain", "pod", "team-a/nwe") == 1
    assert double.said().err.splitlines() == [
        "elastic-quota: there is no pod team-a/nwe; did you mean team-a/new?"
    ]
    assert await double.run("explain", "quota", "team-z") == 1
    assert double.said().err.splitlines() == [
        "elastic-quota: there is no quota team-z; did you mean team-a?"
    ]


async def test_a_cluster_without_the_operator_is_reported(double: Live) -> None:
    missing = Refusal(404, "NotFound", "no such thing")
    double.faults.answer(missing, times=9, path=EVERYWHERE["elasticquotas"])
    assert await double.run("explain", "quota", "team-a") == 1
    assert double.said().err.splitlines() == [
        "elastic-quota: the API server knows no elasticquotas; is the operator installed?"
    ]


async def test_without_an_api_server_it_says_so(tmp_path: Path, capsys: Screen) -> None:
    assert await Live(tmp_path, capsys).run("explain", "quota", "team-a") == 1
    assert capsys.readouterr().err.startswith("elastic-quota: cannot read the ")


def gang_of_two(double: Live) -> tuple[str, ...]:
    """A waiting pod of a gang of Volcano; returns options with the configuration of the cluster."""
    double.serve(Kind(VOLCANO, "PodGroup"))
    metadata = {"namespace": "team-a", "name": "train"}
    double.put(VOLCANO, {"metadata": metadata, "spec": {"minMember": 2}})
    named = {"annotations": {"scheduling.k8s.io/group-name": "train"}}
    double.edit(paths.PODS, "team-a", "new", lambda pod: pod["metadata"].update(named))
    (double.folder / "config.yaml").write_text("podGroups: {kinds: [volcano]}")
    return ("pod", "team-a/new", "--config", str(double.folder / "config.yaml"))


async def test_a_pod_of_a_gang_of_another_system_waits_for_its_group(double: Live) -> None:
    words = gang_of_two(double)
    assert await double.run("explain", *words) == 0
    assert "1 of 2 pods of group volcano/train is there" in double.said().out


async def test_objects_of_groups_that_may_not_be_read_are_named(double: Live) -> None:
    words = gang_of_two(double)
    forbid(double, VOLCANO.list())
    assert await double.run("explain", *words) == 0
    assert (
        "podgroups.scheduling.volcano.sh: you may not read them: the sizes that they state are not "
        "known here"
    ) in " ".join(" ".join(double.said()).split())


async def test_a_tenant_is_not_sent_to_the_command_that_it_has_just_run(double: Live) -> None:
    forbid(double, EVERYWHERE["nodes"])
    said = "needs 1 cpu. More: kubectl elastic-quota explain pod team-a/new [QuotaExhausted]"
    condition = {"type": "PodScheduled", "status": "False", "message": said}
    double.edit(
        paths.PODS, "team-a", "new", lambda pod: pod.update(status={"conditions": [condition]})
    )
    assert await double.run("explain", "pod", "team-a/new") == 0
    shown = double.said().out
    assert "\nWhy        needs 1 cpu. [QuotaExhausted]\n" in shown
    assert "More:" not in shown
