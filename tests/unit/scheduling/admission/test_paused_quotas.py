"""A paused quota starts no pod, in it or below it; what runs stays, and others use its share."""

import pytest

from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from sentences import why
from worlds import World


def released(decisions: Decisions) -> set[str]:
    return {each.pod.name for each in decisions.releases}


def accepted(world: World, quota: str) -> str:
    """The message of the condition Accepted."""
    return message(world, quota, "Accepted")


def paused_by(world: World, quota: str) -> str:
    """The message of the condition Paused; empty without one."""
    return message(world, quota, "Paused")


def message(world: World, quota: str, type_: str) -> str:
    """The message of a condition that is True; empty without one."""
    (status,) = (each for each in world.decide().statuses if each.key == Key("teams", quota))
    return "".join(each.message for each in status.conditions if each.type == type_ and each.status)


@pytest.mark.parametrize("paused", ["dept", "team"])
def test_no_pod_of_a_paused_quota_or_below_it_starts_and_none_is_evicted(paused: str) -> None:
    world = World()
    world.quota("dept", is_parent=True, paused=paused == "dept")
    world.quota("team", parent="dept", paused=paused == "team")
    world.pods("team", 2)
    world.pods("team", waiting=True, prefix="held")
    decisions = world.decide()
    assert released(decisions) == set()
    assert decisions.evictions == ()
    (wait,) = decisions.waits
    assert wait.reason == "QuotaPaused"
    assert why(wait.message) == (
        f"QuotaPaused: quota {paused} is paused (spec.paused); no pod in it or below "
        "it starts meanwhile. It starts when the pause ends."
    )


def test_a_resumed_quota_starts_its_pods_in_the_next_cycle() -> None:
    world = World()
    world.quota("dept", is_parent=True, paused=True)
    world.quota("team", parent="dept")
    world.pods("team", waiting=True)
    assert released(world.decide()) == set()
    world.quota("dept", is_parent=True)
    assert len(world.decide().releases) == 1


def test_pods_that_are_held_by_a_pause_are_no_request_so_others_use_the_share() -> None:
    world = World()
    world.quota("team", min=4, max=8, paused=True)
    world.pods("team", 2, waiting=True)
    (status,) = (each for each in world.decide().statuses if each.key == Key("teams", "team"))
    assert status.request.get("cpu", 0) == 0


def test_the_status_of_a_paused_quota_and_of_those_below_it_says_so() -> None:
    world = World()
    world.quota("dept", is_parent=True)
    world.quota("team", parent="dept")
    assert accepted(world, "team") == "guaranteed nothing, so all that it uses is borrowed"
    world.quota("dept", is_parent=True, paused=True)
    why = "is paused (spec.paused), so its waiting pods do not start"
    assert accepted(world, "dept").endswith(f"warning: it {why}")
    assert accepted(world, "team").endswith(f"warning: quota 'dept' {why}")
    for name in ("dept", "team"):
        assert paused_by(world, name) == (
            "quota dept is paused (spec.paused), so no pod in it or below it starts"
        )
    world.quota("dept", is_parent=True)
    assert paused_by(world, "team") == ""


def test_a_pause_evicts_nothing_for_an_important_pod_of_the_same_quota() -> None:
    world = World()
    world.quota("team", min=2, max=2, paused=True)
    world.pods("team", 2)
    world.pods("team", waiting=True, priority=1_000, preemptible=False)
    assert world.decide(3_600_000).evictions == ()
