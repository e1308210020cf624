"""What the message of a waiting pod says of the room that is freed for it, and by whom."""

from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model.decision import Decisions, Wait
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import World


def borrowed(*, guaranteed: bool = True) -> World:
    """team-a holds all 8 cpu; pods of team-b wait for 4."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=4 if guaranteed else 0)
    world.pods("team-a", 8)
    world.pods("team-b", 2, cpu=2, waiting=True)
    return world


def first(decisions: Decisions) -> Wait:
    return decisions.waits[0]


def freed(decisions: Decisions) -> str:
    """What the first message says after the position."""
    return first(decisions).text.partition(". Position ")[2].partition(". ")[2]


def test_before_its_grace_it_says_when_pods_that_borrow_are_evicted() -> None:
    found = first(borrowed().decide(policy=Policy(grace=5_000)))
    assert found.reason == "WaitingForReclaim"
    assert found.text.endswith(
        "It starts when 2 cpu are freed there; pods that borrow are evicted for it after 5 s."
    )


def test_where_no_quota_borrows_it_says_that_no_pod_is_evicted() -> None:
    """Together the quotas are guaranteed more than the nodes offer."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=8)
    world.quota("team-b", min=8)
    world.pods("team-a", 8)
    world.pods("team-b", cpu=1, waiting=True)
    found = world.decide(policy=Policy(grace=0))
    assert not found.evictions
    assert first(found).text.endswith(
        "It starts when 1 cpu is freed there; no quota borrows it, so no pod is evicted for it."
    )


def test_where_pods_of_no_quota_hold_it_it_says_when_pods_are_evicted() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-b", min=8)
    world.pods("", 8, namespace="wild", prefix="wild")
    world.pods("team-b", cpu=1, waiting=True)
    found = first(world.decide(policy=Policy(grace=5_000)))
    assert found.text.endswith("pods that borrow are evicted for it after 5 s.")


def in_a_department() -> World:
    """Of dept, which may use 4 of 8 cpu, team-a holds all; a pod within team-b's min waits."""
    world = World(nodes=1, cpu=8)
    world.quota("dept", min=4, max=4, is_parent=True)
    world.quota("team-a", parent="dept")
    world.quota("team-b", min=2, parent="dept")
    world.pods("team-a", 4)
    world.pods("team-b", cpu=2, waiting=True)
    return world


def test_a_full_department_returns_what_is_guaranteed_below_it() -> None:
    before = first(in_a_department().decide(policy=Policy(grace=5_000)))
    assert before.reason == "WaitingForReclaim"
    assert before.text.endswith(
        "needs 2 cpu, which is within its guarantee (guaranteed 2, no limit); quota dept above it "
        "has none of its current share of 4 left (largest users: team-a 4). Position 1 of 1. It "
        "starts when 2 cpu are freed below dept; pods that borrow are evicted for it after 5 s."
    )
    found = in_a_department().decide(policy=Policy(grace=0))
    assert {each.quota for each in found.evictions} == {"team-a"}
    assert freed(found) == (
        "2 of its 2 missing cpu will be freed by reclaim from quota team-a in at most 120 s."
    )


def test_a_full_department_promises_nothing_beyond_the_guarantee() -> None:
    world = in_a_department()
    world.quota("team-b", min=1, parent="dept")
    found = world.decide(policy=Policy(grace=0))
    assert not found.evictions
    assert first(found).reason == "AncestorExhausted"


def test_for_a_fair_share_it_names_the_longer_delay() -> None:
    found = first(borrowed(guaranteed=False).decide(policy=Policy(delay=120_000)))
    assert found.text.endswith("; pods of quotas above their share for 120 s are evicted for it.")


def test_where_no_fair_share_is_reclaimed_it_promises_none() -> None:
    found = first(borrowed(guaranteed=False).decide(policy=Policy(fair_share=False)))
    assert found.text.endswith("It starts when 2 cpu are freed there.")


def test_a_pod_for_which_others_are_evicted_says_how_much_from_whom_and_in_what_time() -> None:
    found = borrowed().decide(policy=Policy(grace=0))
    assert freed(found) == (
        "2 of its 2 missing cpu will be freed by reclaim from quota team-a in at most 120 s."
    )


def test_the_time_is_the_longest_that_an_evicted_pod_may_take() -> None:
    policy = Policy(grace=0, accounting=Accounting(max_grace=30_000))
    assert freed(borrowed().decide(policy=policy)).endswith("in at most 30 s.")


def test_each_pod_names_its_own_victims_only() -> None:
    world = World(nodes=1, cpu=8)
    for name in ("team-a", "team-c"):
        world.quota(name)
        world.pods(name, cpu=4)
    world.quota("team-b", min=8)
    world.pods("team-b", 2, cpu=4, waiting=True)
    found = world.decide(policy=Policy(grace=0))
    givers = [
        wait.text.partition("from quota ")[2].partition(" in at most")[0] for wait in found.waits
    ]
    of = {each.preemptor: each.quota for each in found.evictions}
    assert sorted(givers) == ["team-a", "team-c"]
    assert givers == [of[f"pod {wait.pod}"] for wait in found.waits]


def test_what_is_still_to_come_is_said_as_long_as_it_has_not_come() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=4)
    world.pods("team-a", 8)
    world.pods("team-b", cpu=4, waiting=True)
    policy = Policy(grace=0)
    one, *others = world.decide(policy=policy).evictions
    for each in others:
        world.ledger.upsert_pod(replace(world.ledger.pods[each.pod], deleting=True))
    world.ledger.delete_pod(one.pod)
    assert freed(world.decide(now=1, policy=policy)).startswith("3 of its 3 missing cpu ")


def test_room_of_pods_that_end_by_themselves_is_reclaimed_from_no_quota() -> None:
    world = borrowed()
    for pod in list(world.ledger.pods.values())[:2]:
        world.ledger.upsert_pod(replace(pod, deleting=True))
    found = world.decide(policy=Policy(grace=5_000))
    assert freed(found) == "Its room will be freed by pods that leave in at most 120 s."


def test_a_cleared_node_frees_more_than_the_quotas_lack() -> None:
    world = World(nodes=2, cpu=4)
    world.quota("team-a")
    world.quota("team-b", min=4)
    world.pods("team-a", cpu=3, node="node-0")
    world.pods("team-b", cpu=4, waiting=True)
    world.pods("team-a", cpu=1, node="node-1")
    found = world.decide(policy=Policy(grace=0))
    assert len(found.evictions) == 1
    assert first(found).reason == "NoNodeFitsNow"
    assert freed(found) == (
        "1 cpu will be freed for it by reclaim from quota team-a in at most 120 s."
    )


def test_a_more_important_pod_says_that_its_own_quota_makes_way() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=8, max=8)
    world.pods("team-a", 8)
    world.pods("team-a", cpu=2, waiting=True, priority=10)
    assert freed(world.decide(policy=Policy(grace=0))) == (
        "2 of its 2 missing cpu will be freed by preemption in its own quota in at most 120 s."
    )


def test_while_the_breaker_holds_no_room_is_promised() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=12)
    world.pods("team-a", 16)
    world.pods("team-b", 12, waiting=True)
    found = world.decide(policy=Policy(grace=0, brake_percent=10))
    assert not found.evictions
    assert "will be freed" not in freed(found)


def test_a_pause_of_all_evictions_is_named() -> None:
    found = first(borrowed().decide(policy=Policy(grace=0, paused=True)))
    assert found.text.endswith("; reclaim.paused stops all evictions.")


def under_way(rate: int) -> Wait:
    """Of a pod that needs the room of four, of which up to twice the rate are evicted at once."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=4)
    world.pods("team-a", 8)
    world.pods("team-b", cpu=4, waiting=True)
    return first(world.decide(policy=Policy(grace=0, evictions_per_second=rate)))


def test_how_much_is_under_way_is_no_news_and_from_whom_is() -> None:
    some, all_of_it = under_way(1), under_way(2)
    assert "2 of its 4 missing cpu" in some.text
    assert "4 of its 4 missing cpu" in all_of_it.text
    assert some.facts == all_of_it.facts
    assert first(borrowed().decide(policy=Policy(grace=5_000))).facts[-1] != some.facts[-1]
