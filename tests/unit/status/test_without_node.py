"""An admitted pod that no node takes for too long is no request any more, and is reported."""

from elasticquota.model.decision import Decisions, QuotaStatus
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import World


TIMEOUT = Policy().accounting.unschedulable_timeout


def stuck_world(count: int = 1, cpu: int = 4) -> World:
    """team-a has admitted pods that no node takes; they are without one since the epoch."""
    world = World(nodes=2, cpu=8)
    world.quota("team-a", min=8)
    world.quota("team-b")
    world.pods("team-a", count, cpu=cpu, bound=False, unplaced_since=0)
    return world


def status(decisions: Decisions, name: str) -> QuotaStatus:
    return next(found for found in decisions.statuses if found.key.name == name)


def test_an_admitted_pod_is_a_request_until_the_time_is_over() -> None:
    world = stuck_world()
    world.ledger.set_time(TIMEOUT - 1)
    decisions = world.decide(7)
    assert status(decisions, "team-a").request["cpu"] == 4_000
    assert decisions.unscheduled == ()
    assert decisions.wake_at == 7 + 1, "nothing else would wake the engine"


def test_then_it_is_no_request_and_stays_admitted() -> None:
    world = stuck_world()
    world.ledger.set_time(TIMEOUT)
    decisions = world.decide()
    found = status(decisions, "team-a")
    assert (found.request.get("cpu", 0), found.admitted["cpu"]) == (0, 4_000)
    assert found.pods_admitted == 1


def test_what_it_was_guaranteed_others_may_use() -> None:
    """On 16 cpu, team-b may use the 8 of team-a's min from now on."""
    world = stuck_world(count=2)
    world.pods("team-b", 16, waiting=True)
    assert status(world.decide(), "team-b").runtime["cpu"] == 8_000
    world.ledger.set_time(TIMEOUT)
    assert status(world.decide(), "team-b").runtime["cpu"] == 16_000


def test_it_takes_no_room_of_others() -> None:
    world = stuck_world(count=2)
    world.pods("team-b", 16, waiting=True)
    world.ledger.set_time(TIMEOUT)
    assert len(world.decide().releases) == 16


def test_it_goes_first_when_others_need_what_it_holds_of_the_max_of_their_department() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("dept", min=8, max=8, is_parent=True)
    world.quota("team-a", parent="dept")
    world.quota("team-c", min=8, parent="dept")
    world.pods("team-a", 1, cpu=4, bound=False, unplaced_since=0)
    world.pods("team-a", cpu=4)
    world.pods("team-c", cpu=4, waiting=True)
    world.ledger.set_time(TIMEOUT)
    world.decide(0)
    evicted = world.decide(Policy().grace).evictions
    assert [each.uid for each in evicted] == [each.uid for each in world.decide().unscheduled]


def test_it_counts_again_as_soon_as_a_node_takes_it() -> None:
    world = stuck_world()
    world.ledger.set_time(TIMEOUT)
    (stuck,) = world.decide().unscheduled
    pod = world.ledger.pods[stuck.pod]
    world.ledger.upsert_pod(replace(pod, node_name="node-0", unplaced_since=None))
    decisions = world.decide()
    assert status(decisions, "team-a").request["cpu"] == 4_000
    assert decisions.unscheduled == ()


def test_the_pod_and_the_quota_say_it() -> None:
    world = stuck_world(count=4, cpu=1)
    world.ledger.set_time(TIMEOUT)
    decisions = world.decide()
    first, second, third, _ = (found.pod for found in decisions.unscheduled)
    assert decisions.unscheduled[0].message == (
        "admitted into quota team-a, but no node has taken it for more than 300 s: it stays "
        "admitted and is no request any more; see the message of its PodScheduled condition, or "
        "delete it"
    )
    said = {each.type: each for each in status(decisions, "team-a").conditions}["Unscheduled"]
    assert (said.status, said.reason) == (True, "NoNodeTakesThem")
    assert said.message == (
        "admitted and no request any more, without a node for more than 300 s: "
        f"{first}, {second}, {third} and 1 more"
    )
    others = {each.type for each in status(decisions, "team-b").conditions}
    assert "Unscheduled" not in others


def test_where_the_administrator_wants_it_an_admitted_pod_is_a_request_without_end() -> None:
    world = stuck_world()
    world.ledger.set_time(10 * TIMEOUT)
    never = Policy(accounting=replace(Policy().accounting, unschedulable_timeout=0))
    decisions = world.decide(policy=never)
    assert status(decisions, "team-a").request["cpu"] == 4_000
    starves = Policy().grace + Policy().delay
    assert (decisions.unscheduled, decisions.wake_at) == ((), starves)
