"""Idle resources that no fair share reaches: which pod gets them, and when they stay idle."""

from collections import Counter

import pytest

from elasticquota.model.decision import Decisions
from elasticquota.model.pod import Pod
from elasticquota.scheduling.admission.admit import Admission
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.queue.fair_order import Turn
from elasticquota.structs import replace
from worlds import World


DELAY = Policy().delay


def released(decisions: Decisions) -> list[str]:
    return [release.uid for release in decisions.releases]


def halves() -> World:
    """1 cpu for two quotas: each fair share is half a pod."""
    world = World(nodes=1, cpu=1)
    world.quota("team-a")
    world.quota("team-b")
    return world


def test_where_every_fair_share_is_half_a_pod_the_older_pod_runs() -> None:
    world = halves()
    (older,) = world.pods("team-b", waiting=True)
    world.pods("team-a", waiting=True)
    assert released(world.decide()) == [older.uid]


def test_the_other_quota_is_served_when_the_first_pod_ends() -> None:
    world = halves()
    (first,) = world.pods("team-a")
    (other,) = world.pods("team-b", waiting=True)
    world.pods("team-a", waiting=True)
    assert released(world.decide()) == []
    world.ledger.delete_pod(first.key)
    assert released(world.decide()) == [other.uid]


def test_a_pod_on_idle_nodes_is_not_evicted_for_a_pod_that_could_not_start() -> None:
    world = halves()
    world.pods("team-a")
    world.pods("team-b", waiting=True)
    world.decide(now=0)
    decisions = world.decide(now=10 * DELAY)
    assert decisions.evictions == ()
    assert decisions.releases == ()


def test_an_owner_reclaims_idle_resources_that_were_lent() -> None:
    world = halves()
    (borrower,) = world.pods("team-a")
    world.pods("team-b", waiting=True)
    world.quota("team-c", min=1)
    world.pods("team-c", waiting=True)
    world.decide(now=0)
    (eviction,) = world.decide(now=Policy().grace).evictions
    assert eviction.uid == borrower.uid


def test_quotas_take_turns_beyond_their_runtimes() -> None:
    """Each pod of 2 is more than a third of 4: team-a's second one is not next, though older."""
    world = World(nodes=1, cpu=4)
    for name in ("team-a", "team-b", "team-c"):
        world.quota(name)
        world.pods(name, 2, cpu=2, waiting=True)
    assert [release.quota for release in world.decide().releases] == ["team-a", "team-b"]


def test_they_take_turns_also_when_each_gets_several_pods_in_one_cycle() -> None:
    """Of three times 40, one third lies idle: its quota asks for 41 and shares nothing."""
    world = World(nodes=1, cpu=120)
    world.quota("too-large", min=40)
    (quota,) = (found for found in world.ledger.quotas.values() if found.name == "too-large")
    world.ledger.upsert_quota(replace(quota, shared_weight={"cpu": 0, "memory": 1}))
    world.pods("too-large", cpu=41, waiting=True)
    for name in ("team-a", "team-b"):
        world.quota(name)
        world.pods(name, 8, cpu=14, waiting=True)
    quotas = [release.quota for release in world.decide().releases]
    assert quotas[4:] == ["team-a", "team-b", "team-a", "team-b"]


def test_a_cycle_releases_at_most_20_pods_on_idle_resources() -> None:
    world = World(nodes=1, cpu=60)
    for number in range(45):
        world.quota(f"team-{number:02}")
        world.pods(f"team-{number:02}", cpu=2, waiting=True)
    given = []
    for now in range(3):
        found = world.decide(now)
        given.append(len(found.releases))
        world.carry_out_releases(found)
    assert given == [20, 10, 0]


def test_many_pods_are_ordered_once_and_not_for_each_pod_that_gets_idle_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = Counter[str]()
    turn = Admission.turn

    def counted(admission: Admission, name: str, pod: Pod) -> Turn:
        asked["turns"] += 1
        return turn(admission, name, pod)

    monkeypatch.setattr(Admission, "turn", counted)
    world = World(nodes=1, cpu=60)
    for number in range(45):
        world.quota(f"team-{number:02}")
        world.pods(f"team-{number:02}", 20, cpu=2, waiting=True)
    assert len(world.decide().releases) == 20
    pods = 45 * 20
    assert asked["turns"] <= 3 * pods


def test_idle_room_ends_at_max() -> None:
    world = World(nodes=1, cpu=4)
    world.quota("dept", max=3, is_parent=True)
    world.quota("team-a", parent="dept")
    world.quota("team-b", parent="dept")
    world.pods("team-a", cpu=2)
    world.pods("team-b", cpu=2, waiting=True)
    assert released(world.decide()) == []


def test_what_a_quota_does_not_lend_stays_idle() -> None:
    world = World(nodes=1, cpu=4)
    world.quota("keeper", min=2, lent=False)
    world.quota("team-a")
    world.quota("team-b")
    world.pods("team-a", cpu=2, waiting=True)
    world.pods("team-b", cpu=2, waiting=True)
    first = world.decide()
    assert len(first.releases) == 1
    world.carry_out_releases(first)
    assert released(world.decide()) == []


def test_a_quota_of_weight_0_gets_nothing_beyond_its_min() -> None:
    world = World(nodes=1, cpu=4)
    world.quota("team-a", weight=0)
    (quota,) = (found for found in world.ledger.quotas.values() if found.name == "team-a")
    world.ledger.upsert_quota(replace(quota, shared_weight={"cpu": 0, "memory": 1}))
    world.pods("team-a", waiting=True)
    assert released(world.decide()) == []


def test_below_a_parent_of_weight_0_a_quota_gets_nothing_beyond_the_parents_min() -> None:
    world = World(nodes=1, cpu=4)
    world.quota("dept", is_parent=True)
    (dept,) = (found for found in world.ledger.quotas.values() if found.name == "dept")
    world.ledger.upsert_quota(replace(dept, shared_weight={"cpu": 0, "memory": 1}))
    world.quota("team-a", parent="dept", weight=1)
    (pod,) = world.pods("team-a", waiting=True)
    assert released(world.decide()) == []
    world.ledger.upsert_quota(replace(dept, shared_weight={"cpu": 1, "memory": 1}))
    assert released(world.decide()) == [pod.uid]


def test_while_a_pod_within_its_min_waits_idle_room_is_not_given_to_others() -> None:
    """The owner lacks 2 of its 4 cpu; the 2 that are free are not for borrowers."""
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=4)
    world.quota("team-a", weight=3)
    world.quota("team-b", weight=1)
    world.pods("team-a", 3, cpu=2)
    world.pods("owner", cpu=4, waiting=True)
    world.pods("team-b", cpu=2, waiting=True)
    assert released(world.decide()) == []


def test_min_beyond_the_nodes_still_runs_what_fits() -> None:
    """Both quotas are guaranteed 4 of 4 cpu, so each has 2, and every pod asks for 3."""
    world = World(nodes=1, cpu=4)
    world.quota("team-a", min=4)
    world.quota("team-b", min=4)
    (first,) = world.pods("team-b", cpu=3, waiting=True)
    world.pods("team-a", cpu=3, waiting=True)
    assert released(world.decide()) == [first.uid]


def test_paused_evictions_do_not_stop_idle_room() -> None:
    """team-b waits for its fair share, and the 1 cpu that is left is too little for it."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b")
    world.pods("team-a", 7)
    world.pods("team-b", cpu=2, waiting=True)
    (small,) = world.pods("team-a", waiting=True)
    policy = Policy(paused=True)
    world.decide(0, policy)
    assert released(world.decide(DELAY, policy)) == [small.uid]


def test_nothing_is_lent_while_victims_leave_for_a_pod() -> None:
    """1 cpu is free and 3 are being reclaimed: all 4 are for team-b's pod."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=0)
    world.quota("team-b", min=4)
    world.pods("team-a", 4)
    leaving = world.pods("team-a", 3, deleting=True)
    (owner,) = world.pods("team-b", cpu=4, waiting=True)
    world.pods("team-a", 3, waiting=True)
    assert released(world.decide()) == []
    for pod in leaving:
        world.ledger.delete_pod(pod.key)
    assert owner.uid in released(world.decide())


def test_idle_room_is_not_what_is_kept_inside_a_quota() -> None:
    """team-a's pod of 2 waits for one that leaves: it admits no small one meanwhile."""
    world = World(nodes=1, cpu=9)
    world.quota("team-a", weight=1)
    world.quota("team-b", weight=1)
    world.pods("team-b", 3)
    world.pods("team-b", cpu=5, waiting=True)
    world.pods("team-a", 3)
    world.pods("team-a", deleting=True)
    world.pods("team-a", cpu=2, waiting=True, priority=1)
    world.pods("team-a", waiting=True)
    assert released(world.decide()) == []


def test_a_pod_that_got_idle_room_reserves_no_more_of_it() -> None:
    """The pod of team-a is within its min, and dept has used up its runtime of 5 of 12 cpu.

    team-a keeps a min of 2, so its runtime has room for another such pod; there is none, and the
    next idle room is for team-c.
    """
    world = World(nodes=1, cpu=12)
    world.quota("too-large", min=4)
    (quota,) = (found for found in world.ledger.quotas.values() if found.name == "too-large")
    world.ledger.upsert_quota(replace(quota, shared_weight={"cpu": 0, "memory": 1}))
    world.pods("too-large", cpu=5, waiting=True)
    world.quota("dept", min=2, is_parent=True, weight=1)
    world.quota("team-a", parent="dept", min=2, lent=False)
    world.quota("team-b", parent="dept")
    world.quota("team-c", weight=1)
    world.pods("team-b", 5)
    (entitled,) = world.pods("team-a", waiting=True)
    (next_one,) = world.pods("team-c", cpu=5, waiting=True)
    assert released(world.decide()) == [entitled.uid, next_one.uid]


def test_of_several_pods_within_their_mins_idle_room_is_only_for_the_first() -> None:
    """2 of 12 cpu are idle: too little for the pod of owner, so the one of team-a waits behind it.

    dept, with team-a, has used up its runtime of 8.
    """
    world = World(nodes=1, cpu=12)
    world.quota("owner", min=4)
    world.quota("dept", min=2, is_parent=True)
    world.quota("team-a", parent="dept", min=2)
    world.quota("team-b", parent="dept")
    world.pods("team-b", 10)
    (first,) = world.pods("owner", cpu=4, waiting=True)
    (second,) = world.pods("team-a", waiting=True)
    assert released(world.decide()) == []
    world.ledger.delete_pod(first.key)
    assert released(world.decide()) == [second.uid]
