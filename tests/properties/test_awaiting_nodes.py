"""Law of groups that wait for their nodes: they keep no room that another quota is guaranteed.

No autoscaler ever answers here, so the groups of the borrowers are admitted and never start.
"""

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import law_breaks
import law_content
from departments import POLICY
from elasticquota.model.group import Group
from elasticquota.scheduling.preemption import victims
from elasticquota.structs import replace
from worlds import World


def carry_out(world: World, now: int) -> bool:
    """One cycle: groups wait for nodes, single pods start; return whether anything happened."""
    world.ledger.set_time(now)
    decisions = world.decide(now, POLICY)
    for release in decisions.releases:
        pod = world.ledger.pods[release.pod]
        if pod.group is not None:
            world.ledger.await_nodes(pod.uid)
        else:
            world.ledger.upsert_pod(replace(pod, gates=(), node_name="node-0", started=pod.created))
    for each in decisions.evictions:
        if each.uid in world.ledger.awaiting_nodes:
            event("a group returns its room")
            world.ledger.forget_release(each.uid)
        else:
            world.ledger.delete_pod(each.pod)
    return bool(decisions.releases or decisions.evictions)


def settle(world: World, now: int) -> int:
    """Run cycles until nothing happens for longer than any grace; return the time."""
    quiet_since = now
    for _ in range(60):
        now += 1_000
        if carry_out(world, now):
            quiet_since = now
        elif now - quiet_since > POLICY.grace + 10_000:
            return now
    raise AssertionError("not at rest after 60 cycles")


def held(world: World, quota: str) -> int:
    account = world.ledger.update(POLICY.accounting).account(quota)
    return account.admitted.get("cpu", 0) // 1000


@law_content.about(gangs=1 / 2, reclaims=1 / 8)
@given(
    st.integers(4, 12),
    st.lists(st.integers(2, 5), min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 6)), min_size=1, max_size=2),
)
def test_an_owner_gets_its_min_although_groups_hold_it_for_nodes_to_come(
    total: int, groups: list[int], owners: list[tuple[int, int]]
) -> None:
    world = World(nodes=1, cpu=total)
    world.quota("borrower")
    for index, (least, _) in enumerate(owners):
        world.quota(f"owner-{index}", min=min(least, total // len(owners)))
    for index, size in enumerate(groups):
        for pod in world.pods("borrower", size, waiting=True):
            world.ledger.upsert_pod(replace(pod, group=Group(f"g{index}", size)))
    now = settle(world, 0)
    event(f"a group waits for nodes: {bool(world.ledger.awaiting_nodes)}")
    for index, (_, asked) in enumerate(owners):
        world.pods(f"owner-{index}", asked, waiting=True)
    settle(world, now)
    for index, (least, asked) in enumerate(owners):
        assert held(world, f"owner-{index}") >= min(least, total // len(owners), asked)


def test_the_law_fails_when_groups_that_wait_for_nodes_may_not_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_go = victims.may_go
    monkeypatch.setattr(
        victims, "may_go", lambda pod, account, low, _: may_go(pod, account, low, frozenset())
    )
    law = test_an_owner_gets_its_min_although_groups_hold_it_for_nodes_to_come
    assert law_breaks.notices(law, monkeypatch)
