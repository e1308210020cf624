"""What the message of a pod that waits for reclaim says about it, at the end of a cycle."""

from elasticquota.model.decision import Decisions, Wait
from elasticquota.scheduling.policy import Policy
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


def test_before_its_grace_it_says_when_pods_that_borrow_are_evicted() -> None:
    found = first(borrowed().decide(policy=Policy(grace=5_000)))
    assert found.reason == "WaitingForReclaim"
    assert found.text.endswith(
        "It starts when 2 cpu are freed there; pods that borrow are evicted for it after 5 s."
    )


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
    assert first(found).text.endswith("Reclaiming 2 cpu from quota team-a for quota team-b.")


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


def test_while_pods_leave_it_says_from_which_quota() -> None:
    found = first(borrowed().decide(policy=Policy(grace=0)))
    assert found.text.endswith("Reclaiming 4 cpu from quota team-a for quota team-b.")


def test_a_pause_of_all_evictions_is_named() -> None:
    found = first(borrowed().decide(policy=Policy(grace=0, paused=True)))
    assert found.text.endswith("; reclaim.paused stops all evictions.")


def test_how_much_is_under_way_is_no_news_and_from_whom_is() -> None:
    before = first(borrowed().decide(policy=Policy(grace=0, evictions_per_second=1)))
    more = first(borrowed().decide(policy=Policy(grace=0, evictions_per_second=2)))
    assert before.text != more.text
    assert before.facts == more.facts
    assert first(borrowed().decide(policy=Policy(grace=5_000))).facts != before.facts
