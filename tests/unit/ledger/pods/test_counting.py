"""A new pod whose label names no known quota waits a moment, as that quota may not be seen yet."""

import pytest

from elasticquota import names
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.pods.pod_times import NEW, PodTimes
from elasticquota.model import moments
from elasticquota.model.decision import Decisions
from elasticquota.model.pod import Pod
from elasticquota.model.workload import QueuedJob
from elasticquota.scheduling.inputs.policy import Policy
from worlds import World


def decide_after(world: World, milliseconds: int, policy: Policy | None = None) -> Decisions:
    """Decide so long after the creation of the youngest object."""
    found: list[Pod | QueuedJob] = [*world.ledger.pods.values(), *world.ledger.jobs.values()]
    created = max(moments.read(each.created) or 0 for each in found)
    world.ledger.set_time(created + milliseconds)
    return world.decide(created + milliseconds, policy)


def test_a_pod_that_is_seen_before_its_quota_is_not_admitted_by_the_default_quota() -> None:
    world = World()
    world.pods("team-a", waiting=True)
    assert decide_after(world, 0).releases == ()
    assert decide_after(world, NEW - 1).releases == ()
    world.quota("team-a", min=0, max=0)
    found = decide_after(world, NEW + 1)
    assert found.releases == ()
    assert [(each.quota, each.reason) for each in found.waits] == [("team-a", "ExceedsMax")]


def test_it_starts_in_its_quota_as_soon_as_that_is_seen() -> None:
    world = World()
    world.pods("team-a", waiting=True)
    decide_after(world, 500)
    world.quota("team-a", min=1)
    assert [each.quota for each in decide_after(world, 600).releases] == ["team-a"]


def test_without_such_a_quota_the_default_quota_admits_it_a_moment_later() -> None:
    world = World()
    world.pods("misspelt", waiting=True)
    found = decide_after(world, 1_000)
    assert found.wake_at == world.ledger.time + NEW - 1_000
    (wait,) = found.waits
    assert (
        ": there is no quota 'misspelt' yet. Within 3 s it counts as if it named none, or as soon "
        "as that quota exists. More: "
    ) in wait.message
    assert [each.quota for each in decide_after(world, NEW).releases] == [names.DEFAULT_QUOTA]


def test_a_quota_that_goes_at_once_holds_its_pod_for_a_moment_too() -> None:
    world = World()
    world.quota("team-a", max=0)
    world.pods("team-a", waiting=True)
    decide_after(world, 0)
    (quota,) = (key for key in world.ledger.quotas if key.name == "team-a")
    world.ledger.delete_quota(quota)
    assert decide_after(world, 1).releases == ()
    assert [each.quota for each in decide_after(world, NEW).releases] == [names.DEFAULT_QUOTA]


def test_a_job_waits_for_its_quota_too() -> None:
    world = World()
    world.job("team-a", "train", 2)
    assert decide_after(world, 0).jobs.releases == ()
    assert len(decide_after(world, NEW).jobs.releases) == 1


@pytest.mark.parametrize("label", ["", names.ROOT_QUOTA, names.DEFAULT_QUOTA])
def test_one_that_names_none_or_a_reserved_one_does_not_wait(label: str) -> None:
    world = World()
    world.pods(label, waiting=True, prefix="pod")
    assert len(decide_after(world, 0).releases) == 1


def test_nor_does_one_that_was_created_later_than_now() -> None:
    """The controller's clock is behind, and no pod waits for that."""
    world = World()
    world.pods("misspelt", waiting=True)
    assert len(decide_after(world, -1).releases) == 1


def test_where_no_default_quota_takes_it_it_waits_as_well() -> None:
    world = World()
    world.pods("team-a", waiting=True)
    without = Policy(accounting=Accounting(default_quota=False))
    assert decide_after(world, 0, without).releases == ()
    assert len(decide_after(world, NEW, without).releases) == 1


def test_how_often_it_is_looked_at_adds_nothing_to_what_is_known_of_its_times() -> None:
    times, (pod,) = PodTimes(Accounting(), 0), World().pods("misspelt", waiting=True)
    times.now = moments.read(pod.created) or 0
    for _ in range(3):
        assert times.is_new(pod)
    assert times.next_in == NEW
    assert [len(each) for each in times._times.values()] == [1]
