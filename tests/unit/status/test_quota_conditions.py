"""The conditions of a quota by the API conventions: which are always there, and what they say."""

import pytest

from elasticquota.model.decision import Condition, QuotaStatus
from elasticquota.model.pod import Pod
from elasticquota.model.unread import Unread
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.status import quota_conditions
from elasticquota.structs import replace
from worlds import GI, ROOT, World


ALWAYS = ["Accepted", "Ready", "Overused", "Starved", "Reclaiming"]


def status(world: World, name: str, policy: Policy | None = None) -> QuotaStatus:
    found = world.decide(policy=policy) if policy else world.decide()
    return next(each for each in found.statuses if each.key.name == name)


def said(found: QuotaStatus) -> dict[str, Condition]:
    return {each.type: each for each in found.conditions}


def test_an_accepted_quota_is_ready_and_says_what_it_is_guaranteed() -> None:
    world = World()
    world.quota("team-a", min={"cpu": 10_000, "memory": 40 * GI}, namespaces=("team-a",))
    found = status(world, "team-a")
    assert [each.type for each in found.conditions] == ALWAYS
    assert [each.status for each in found.conditions] == [True, True, False, False, False]
    assert said(found)["Accepted"].message == "guaranteed 10 cpu, 40Gi memory"
    assert said(found)["Ready"].message == "in force in tree pool-root"


def test_without_a_min_it_is_guaranteed_nothing() -> None:
    world = World()
    world.quota("team-a")
    assert said(status(world, "team-a"))["Accepted"].message == (
        "guaranteed nothing, so all that it uses is borrowed"
    )


def beside_a_daemon() -> tuple[World, list[Pod]]:
    """Two pods of 4 cpu, in a tree of which a DaemonSet takes 0.1 of 8."""
    world = World(nodes=1, cpu=8)
    world.quota("dept", is_parent=True)
    world.quota("team-a", parent="dept")
    (daemon,) = world.pods("")
    world.ledger.upsert_pod(replace(daemon, request={"cpu": 100}, daemon=True))
    return world, world.pods("team-a", 2, cpu=4)


@pytest.mark.parametrize("name", ["team-a", "dept"])
def test_a_quota_is_overused_when_a_whole_pod_is_too_much(name: str) -> None:
    world, (large, small) = beside_a_daemon()
    found = said(status(world, name))["Overused"]
    assert (found.status, found.reason) == (False, "LessThanAPod")
    assert found.message == (
        "uses 8 of its current share of 7.9 cpu: 0.1 cpu too much, which is less than any of its "
        "pods asks for"
    )
    # The same sums, and one of the pods asks for no more than that.
    world.ledger.upsert_pod(replace(large, request={"cpu": 7_900, "pods": 1}))
    world.ledger.upsert_pod(replace(small, request={"cpu": 100, "pods": 1}))
    found = said(status(world, name))["Overused"]
    assert (found.status, found.reason) == (True, "BeyondRuntime")
    assert found.message == "uses 8 of its current share of 7.9 cpu: 0.1 cpu too much"


def test_a_quota_is_overused_by_any_amount_beyond_its_max() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max={"cpu": 7_900})
    world.pods("team-a", cpu=8)
    found = said(status(world, "team-a"))["Overused"]
    assert (found.status, found.reason) == (True, "BeyondRuntime")


@pytest.mark.parametrize("kind", ["Accepted", "Ready", "Stalled"])
def test_a_refused_quota_is_stalled_and_not_ready_for_one_reason(kind: str) -> None:
    world = World()
    world.quota("lost", parent="ghost")
    found = said(status(world, "lost"))
    assert found[kind].status is (kind == "Stalled")
    assert found[kind].reason == "ParentNotFound"
    assert (
        found[kind].message == "there is no quota 'ghost'. Create it, or correct the name. [EQ1101]"
    )
    assert [each for each in ALWAYS if each not in found] == []
    assert found["Overused"].reason == "InNoTree"


def test_a_warning_stands_in_the_accepted_message_and_in_the_reason_of_ready() -> None:
    world = World()
    world.quota("team-a", max={"memory": GI}, weight=1)
    found = said(status(world, "team-a"))
    assert "; warning: metadata.annotations[" in found["Accepted"].message
    assert "].cpu: must also be named in spec.max. " in found["Accepted"].message
    assert found["Ready"].status
    assert found["Ready"].reason == quota_conditions.WITH_WARNINGS


def test_a_quota_whose_pods_are_evicted_for_another_is_reclaiming() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=4)
    world.pods("team-a", 8)
    world.pods("team-b", 4, waiting=True)
    found = said(status(world, "team-a", Policy(grace=0)))
    assert (found["Reclaiming"].status, found["Reclaiming"].reason) == (True, "OwnerWaits")
    assert [each.type for each in status(world, "team-a").conditions].count("Reclaiming") == 1


def test_conditions_of_a_cycle_take_the_place_of_those_of_the_same_type() -> None:
    false, true = Condition("Starved", False, "No", "no"), Condition("Starved", True, "Yes", "yes")
    other = Condition("Overused", False, "No", "no")
    new = Condition("EvictionsHeld", True, "Brake", "held")
    assert quota_conditions.merged((false, other), (new, true)) == (true, other, new)


def test_a_quota_that_binds_no_namespace_says_so_until_a_pod_names_it() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    found = said(status(world, "team-a"))["LimitsNothing"]
    assert (found.status, found.reason) == (True, "NoPodNamesIt")
    assert found.message == (
        "it binds no namespace, and no pod has the label quota.scheduling.koordinator.sh/name: "
        "team-a; to limit all pods of a namespace, list it in "
        "spec.namespaces"
    )
    world.pods("team-a", 1, waiting=True)
    assert "LimitsNothing" not in said(status(world, "team-a"))


def test_a_quota_that_lists_a_system_namespace_only_limits_nothing() -> None:
    world = World()
    world.quota("team-a", namespaces=("kube-system",))
    assert "LimitsNothing" in said(status(world, "team-a"))


def test_a_quota_that_binds_a_namespace_or_holds_quotas_limits_something() -> None:
    world = World()
    world.quota("team-a", namespaces=("team-a",))
    world.quota("dept", is_parent=True)
    for name in ("team-a", "dept", ROOT):
        assert "LimitsNothing" not in said(status(world, name))


def test_every_root_says_which_definitions_are_served_in_no_version_that_is_read() -> None:
    world = World()
    world.quota("team-a")
    assert "DefinitionsNotRead" not in said(status(world, ROOT))
    world.ledger.note_unread(Unread("jobsets.jobset.x-k8s.io", ("v2", "v1"), ("v1alpha2",)))
    found = said(status(world, ROOT))["DefinitionsNotRead"]
    assert (found.status, found.reason) == (True, "NoVersionRead")
    assert found.message == (
        "the API server serves jobsets.jobset.x-k8s.io as v2, v1, and this version of the operator "
        "reads v1alpha2: its objects count nowhere, so upgrade the operator"
    )
    assert "DefinitionsNotRead" not in said(status(world, "team-a"))
    world.ledger.note_unread(Unread("jobsets.jobset.x-k8s.io", (), ("v1alpha2",)))
    assert "DefinitionsNotRead" not in said(status(world, ROOT))
