"""What users of Koordinator reported, played here (docs/how-to/from-koordinator.md).

The numbers are those of koordinator-sh/koordinator; the scenes follow the reports' quotas.
"""

import json

from elasticquota import names
from elasticquota.model.decision import Decisions, QuotaStatus
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.wire.quota import koordinator_annotations
from worlds import World, amounts


AT_ONCE = Policy(grace=0, delay=0)


def status(decisions: Decisions, name: str) -> QuotaStatus:
    return next(found for found in decisions.statuses if found.key.name == name)


def evicted(decisions: Decisions) -> set[str]:
    return {eviction.quota for eviction in decisions.evictions}


def test_2342_and_2470_a_borrower_above_its_runtime_is_reclaimed_as_soon_as_its_sibling_asks() -> (
    None
):
    """There the borrower's runtime stayed as it was, because only the sibling's was refreshed."""
    world = World(nodes=1, cpu=8)
    world.quota("parent", min=8, max=8, is_parent=True)
    world.quota("child1", min=0, max=8, parent="parent")
    world.quota("child2", min=8, max=8, parent="parent")
    world.pods("child1", 8)
    assert status(world.decide(policy=AT_ONCE), "child1").runtime["cpu"] == 8000
    world.pods("child2", 5, waiting=True)
    decisions = world.decide(now=1, policy=AT_ONCE)
    assert status(decisions, "child1").runtime["cpu"] == 3000
    assert evicted(decisions) == {"child1"}
    assert len(decisions.evictions) == 5


def test_2391_no_pod_is_admitted_beyond_max_and_use_beyond_it_is_explained() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("example", min=4, max=10)
    world.pods("example", 12, waiting=True)
    decisions = world.decide()
    assert len(decisions.releases) == 10
    world.carry_out_releases(decisions)
    world.quota("example", min=4, max=8)
    overused = {found.type: found for found in status(world.decide(), "example").conditions}
    assert overused["Overused"].status
    assert "uses 10 of its current share of 8 cpu: 2 cpu too much" in overused["Overused"].message


def test_2443_and_1079_a_pod_that_fits_is_admitted_in_the_cycle_that_first_sees_it() -> None:
    """There its runtime was a moment old, and the pod was tried again after five minutes."""
    world = World(nodes=5, cpu=8)
    world.quota("example", min=10, max=40)
    world.pods("example", 5)
    world.decide()
    world.pods("example", waiting=True)
    decisions = world.decide(now=1)
    assert len(decisions.releases) == 1
    assert status(decisions, "example").runtime["cpu"] == 6000


def test_2443_pods_of_the_default_quota_are_taken_off_the_total_once() -> None:
    """There they also took part as borrowers, with a weight of everything."""
    world = World(nodes=0)
    world.node("free", cpu=10, pool="none")
    world.ledger.upsert_quota(default_tree_quota(world, "team"))
    world.pods("", 4, namespace="elsewhere", node="free")
    world.pods("team", 6, waiting=True)
    assert len(world.decide().releases) == 6


def test_2451_and_2294_a_quota_with_pods_has_a_runtime_and_used_in_every_resource_it_names() -> (
    None
):
    world = World(nodes=1, cpu=8)
    world.quota("gpu", amounts(cpu=2), amounts(cpu=8, memory=32, gpu=5))
    world.pods("gpu", 3)
    found = status(world.decide(), "gpu")
    written = koordinator_annotations.difference(found, {})
    runtime = json.loads(written[names.RUNTIME])
    assert runtime["cpu"] == "3"
    assert runtime.keys() >= {"cpu", "memory", "nvidia.com/gpu"}
    assert found.used["cpu"] == 3000


def test_2393_runtime_is_never_below_a_min_that_is_asked_for_and_fits() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("pub", min=6, max=6, weight=0)
    world.quota("idle", min=2, max=8)
    world.quota("busy", min=0, max=8)
    world.pods("pub", 6, waiting=True)
    world.pods("busy", 8, waiting=True)
    assert status(world.decide(), "pub").runtime["cpu"] == 6000


def test_1030_a_less_important_pod_stays_while_its_quota_has_room() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("group", min=5, max=8)
    world.pods("group", 1)
    world.pods("group", 1, waiting=True, priority=9)
    decisions = world.decide(policy=AT_ONCE)
    assert len(decisions.releases) == 1
    assert decisions.evictions == ()


def test_1355_an_owner_gets_its_min_back_on_demand_and_not_by_a_timer_only() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=4)
    world.quota("borrower", min=4)
    world.pods("borrower", 8)
    world.pods("owner", 4, waiting=True)
    world.decide(now=0)
    decisions = world.decide(now=Policy().grace)
    assert evicted(decisions) == {"borrower"}
    assert len(decisions.evictions) == 4
    assert Policy().grace < Policy().delay


def default_tree_quota(world: World, name: str) -> Quota:
    return Quota(
        Key("teams", name),
        uid=name,
        created=world.time(),
        min=amounts(cpu=6),
        max=amounts(cpu=10),
    )
