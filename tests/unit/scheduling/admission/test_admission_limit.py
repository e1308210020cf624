"""Koordinator's annotation admission is the most that the pods of a quota are admitted with."""

from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.structs import replace
from worlds import World


ADMISSION = "quota.scheduling.koordinator.sh/admission"


def released(decisions: Decisions) -> int:
    return len(decisions.releases)


def test_an_admission_that_says_zero_admits_nothing_and_none_admits_all() -> None:
    for admission, count in ((0, 0), (None, 2)):
        world = World()
        world.quota("team", min=4, max=8, admission=admission)
        world.pods("team", 2, waiting=True)
        assert released(world.decide()) == count


def test_a_pod_beyond_it_says_so_and_is_no_request() -> None:
    """So others may use the min meanwhile."""
    world = World()
    world.quota("team", min=4, max=8, admission=0)
    world.pods("team", waiting=True)
    decisions = world.decide()
    (wait,) = decisions.waits
    assert wait.reason == "ExceedsMax"
    assert f"needs 1 cpu; annotation {ADMISSION} of quota team is 0" in wait.message
    (status,) = (each for each in decisions.statuses if each.key == Key("teams", "team"))
    assert status.request.get("cpu", 0) == 0


def test_pods_are_admitted_up_to_it_and_the_next_one_waits_with_the_figures() -> None:
    world = World()
    world.quota("team", min=4, max=8, admission=3)
    world.pods("team", 2)
    world.pods("team", 2, waiting=True)
    decisions = world.decide()
    assert released(decisions) == 1
    (wait,) = decisions.waits
    assert wait.reason == "LimitReached"
    assert (
        f"needs 1 cpu; 3 of the 3 that annotation {ADMISSION} of quota team allows" in wait.message
    )


def test_an_admission_above_max_lifts_no_max() -> None:
    world = World()
    world.quota("team", max=2, admission=9)
    world.pods("team", 3, waiting=True)
    assert released(world.decide()) == 2


def test_of_a_resource_that_it_does_not_name_max_is_the_limit() -> None:
    world = World()
    world.quota("team", max={"cpu": 8000, "memory": 0}, admission=8)
    (pod,) = world.pods("team", waiting=True)
    world.ledger.upsert_pod(replace(pod, request={**pod.request, "memory": 1}))
    assert released(world.decide()) == 0


def test_what_runs_beyond_it_stays() -> None:
    world = World()
    world.quota("team", max=8)
    world.pods("team", 4)
    world.quota("team", max=8, admission=1)
    assert world.decide().evictions == ()
    assert world.decide(3_600_000).evictions == ()


def test_admission_limits_the_quotas_below_it_too() -> None:
    world = World()
    world.quota("dept", is_parent=True, admission=1)
    world.quota("team", parent="dept")
    world.pods("team", 2, waiting=True)
    assert released(world.decide()) == 1


def test_an_edit_of_admission_takes_effect_at_once() -> None:
    world = World()
    world.quota("team", max=8, admission=0)
    world.pods("team", waiting=True)
    assert released(world.decide()) == 0
    world.quota("team", max=8, admission=1)
    assert released(world.decide()) == 1
