"""Groups of other systems start as ours do: sizes by objects or applications, groups of groups."""

import pytest

from elasticquota.model.decision import Decisions
from elasticquota.model.group import Group, GroupObject
from elasticquota.model.key import Key
from elasticquota.model.unread import Unread
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from sentences import why
from worlds import World


SIZED = Group("volcano/train", 0, "volcano/train")
TRAIN = Key("teams", "volcano/train")
PARTS = (Key("other", "koordinator/worker"), Key("teams", "koordinator/server"))
SERVER = Group("koordinator/server", 1, "koordinator/server", PARTS)
WORKER = Group("koordinator/worker", 2, "koordinator/worker", PARTS)
DRIVER = Group("yunikorn/app/driver", 1, sizes=(("yunikorn/app/executor", 3),))
EXECUTOR = Group("yunikorn/app/executor", 0, "yunikorn/app/executor")


def small() -> World:
    """One quota with all of 8 cpu."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=8)
    return world


def released(decisions: Decisions) -> int:
    return len(decisions.releases)


def said(decisions: Decisions) -> set[str]:
    """The sentences, without quota and tree."""
    return {why(wait.message) for wait in decisions.waits}


def test_the_number_of_an_object_is_the_size_of_the_groups_that_name_it() -> None:
    world = small()
    world.ledger.upsert_group_object(GroupObject(TRAIN, 3))
    world.pods("team-a", 2, waiting=True, group=SIZED)
    assert said(world.decide()) == {
        "WaitingForGroup: 2 of 3 pods of group volcano/train are there. It starts when its group "
        "is complete."
    }
    world.pods("team-a", 1, waiting=True, group=SIZED)
    assert released(world.decide()) == 3


def test_pods_wait_for_the_object_of_a_kind_that_is_followed() -> None:
    world = small()
    world.pods("team-a", 2, waiting=True, group=SIZED)
    world.ledger.follow_group_kind("volcano")
    assert said(world.decide()) == {
        "WaitingForGroup: the volcano object teams/train does not exist, which says how many "
        "pods of group volcano/train start together. It starts when its group is complete."
    }
    world.ledger.upsert_group_object(GroupObject(TRAIN, 2))
    assert released(world.decide()) == 2


def test_pods_of_a_kind_that_is_not_installed_start_one_by_one() -> None:
    world = small()
    world.pods("team-a", 2, waiting=True, group=SIZED)
    assert released(world.decide()) == 2


def test_pods_of_a_kind_that_is_served_in_unread_versions_only_wait_and_say_so() -> None:
    world = small()
    world.pods("team-a", 2, waiting=True, group=SIZED)
    unread = Unread("podgroups.scheduling.volcano.sh", ("v2",), ("v1beta1",), "volcano")
    world.ledger.note_unread(unread)
    assert said(world.decide()) == {
        "WaitingForGroup: the API server serves podgroups.scheduling.volcano.sh as v2, and this "
        "version of the operator reads v1beta1: so how many pods of group volcano/train start "
        "together is not known. It starts when its group is complete."
    }
    world.ledger.note_unread(replace(unread, served=()))
    assert released(world.decide()) == 2


@pytest.mark.parametrize("size", [1, 3])
def test_all_pods_of_a_group_leave_together_where_its_object_says_so(size: int) -> None:
    world = small()
    world.quota("owner", min=2)
    world.ledger.upsert_group_object(GroupObject(TRAIN, size, whole=True))
    world.pods("team-a", 8, group=SIZED)
    world.pods("owner", 1, cpu=2, waiting=True)
    assert len(world.decide(policy=Policy(grace=0, delay=0)).evictions) == 8


def test_pods_of_a_basic_group_that_leaves_together_start_one_by_one() -> None:
    world = small()
    world.ledger.upsert_group_object(GroupObject(TRAIN, 1, whole=True))
    world.pods("team-a", 9, waiting=True, group=SIZED)
    assert released(world.decide()) == 8


def test_an_edit_of_the_object_counts_for_pods_that_wait() -> None:
    world = small()
    world.ledger.upsert_group_object(GroupObject(TRAIN, 3))
    world.pods("team-a", 2, waiting=True, group=SIZED)
    assert released(world.decide()) == 0
    world.ledger.upsert_group_object(GroupObject(TRAIN, 2))
    assert released(world.decide()) == 2


def test_an_object_with_a_fault_holds_its_pods_and_says_why() -> None:
    world = small()
    world.ledger.upsert_group_object(GroupObject(TRAIN, 0, fault="PodGroup teams/train: bad"))
    world.pods("team-a", 2, waiting=True, group=SIZED)
    assert said(world.decide()) == {
        "WaitingForGroup: PodGroup teams/train: bad. It starts when its group is complete."
    }


def test_a_group_whose_size_cannot_be_read_waits_and_says_why() -> None:
    world = small()
    world.pods("team-a", 2, waiting=True, group=Group("train", 2, fault="its size is no number"))
    assert said(world.decide()) == {
        "WaitingForGroup: its size is no number. It starts when its group is complete."
    }


def test_the_number_of_the_pods_counts_before_that_of_the_object() -> None:
    world = small()
    world.ledger.upsert_group_object(GroupObject(TRAIN, 5))
    world.pods("team-a", 2, waiting=True, group=replace(SIZED, size=2))
    assert released(world.decide()) == 2


def test_an_object_can_say_that_pods_start_one_by_one() -> None:
    world = small()
    world.ledger.upsert_group_object(GroupObject(TRAIN, 5, one_by_one=True))
    world.pods("team-a", 1, waiting=True, group=replace(SIZED, size=5))
    assert released(world.decide()) == 1


@pytest.mark.parametrize("edit", ["deleted", "one"])
def test_a_gang_whose_object_is_gone_or_says_one_is_evicted_pod_by_pod(edit: str) -> None:
    world = small()
    world.quota("owner", min=2)
    world.ledger.upsert_group_object(GroupObject(TRAIN, 8))
    world.pods("team-a", 8, group=SIZED)
    world.pods("owner", 1, cpu=2, waiting=True)
    rapid = Policy(grace=0, delay=0)
    assert len(world.decide(policy=rapid).evictions) == 8
    if edit == "deleted":
        world.ledger.delete_group_object(TRAIN)
    else:
        world.ledger.upsert_group_object(GroupObject(TRAIN, 1))
    assert len(world.decide(policy=rapid).evictions) == 2


def test_pods_of_a_group_of_one_do_not_wait_for_each_other() -> None:
    """Of 1000 pods one suffices, so an event of one pod concerns no other."""
    world = small()
    world.ledger.upsert_group_object(GroupObject(TRAIN, 1))
    group_members = world.pods("team-a", 5, waiting=True, group=SIZED)
    assert released(world.decide()) == 5
    accounting = (
        world.ledger.snapshot.index._pods
    )  # the cost of an event is no result of a decision
    assert accounting.groups.group_members(group_members) == set()


def test_one_pod_of_an_application_states_the_size_for_the_others() -> None:
    world = small()
    first = world.pods("team-a", 1, group=DRIVER)
    world.pods("team-a", 2, waiting=True, group=EXECUTOR)
    assert said(world.decide()) == {
        (
            "WaitingForGroup: 2 of 3 pods of group yunikorn/app/executor are there. It starts "
            "when its group is complete."
        )
    }
    world.pods("team-a", 1, waiting=True, group=EXECUTOR)
    assert released(world.decide()) == 3
    # A second one contradicts it, until it is gone.
    other = replace(DRIVER, sizes=(("yunikorn/app/executor", 4),))
    (liar,) = world.pods("team-a", 1, group=other)
    assert said(world.decide()) == {
        (
            "WaitingForGroup: pods state different sizes of group yunikorn/app/executor: 3 and 4. "
            "It starts when its group is complete."
        )
    }
    world.ledger.delete_pod(liar.key)
    assert released(world.decide()) == 3
    world.ledger.delete_pod(first[0].key)
    assert released(world.decide()) == 3


@pytest.mark.parametrize("other", [3, 2])
def test_a_gang_leaves_as_one_while_the_pod_that_stated_its_size_is_made_again(other: int) -> None:
    """A driver that is evicted comes back; its executors do not leave one by one meanwhile.

    Not where two had stated different sizes.
    """
    world = small()
    world.quota("owner", min=4)
    (driver,) = world.pods("team-a", 1, group=DRIVER)
    more = replace(DRIVER, sizes=(("yunikorn/app/executor", other),))
    (second,) = world.pods("team-a", 1, group=more)
    running = world.pods("team-a", 3, cpu=2, group=EXECUTOR)
    world.decide()
    for pod in (driver, second):
        world.ledger.delete_pod(pod.key)
    world.pods("owner", 1, cpu=4, waiting=True)
    rapid = Policy(grace=0, delay=0)
    assert len(world.decide(policy=rapid).evictions) == (3 if other == 3 else 1)
    for pod in running:
        world.ledger.delete_pod(pod.key)
    assert released(world.decide()) == 1
    world.pods("team-a", 2, waiting=True, group=EXECUTOR)
    assert released(world.decide()) == 3


def test_without_the_pod_that_stated_the_size_others_of_the_group_start_one_by_one() -> None:
    """It may be gone for good."""
    world = small()
    (driver,) = world.pods("team-a", 1, group=DRIVER)
    world.pods("team-a", 2, waiting=True, group=EXECUTOR)
    assert released(world.decide()) == 0
    world.ledger.delete_pod(driver.key)
    assert released(world.decide()) == 2


def test_groups_that_list_each_other_start_together() -> None:
    world = small()
    world.pods("team-a", 1, waiting=True, group=SERVER)
    assert said(world.decide()) == {
        "WaitingForGroup: group koordinator/server starts with group other/koordinator/worker, "
        "but no pod of that group is there, or not all of them list the same groups. It starts "
        "when its group is complete."
    }
    world.pods("team-a", 1, waiting=True, group=WORKER, namespace="other")
    assert said(world.decide()) == {
        (
            "WaitingForGroup: 1 of 2 pods of group koordinator/worker is there. It starts "
            "when its group is complete."
        )
    }
    world.pods("team-a", 1, waiting=True, group=WORKER, namespace="other")
    assert released(world.decide()) == 3


def test_groups_that_list_each_other_are_one_request() -> None:
    world = small()
    world.pods("team-a", 1, cpu=4, waiting=True, group=SERVER)
    world.pods("team-a", 2, cpu=2, waiting=True, group=WORKER, namespace="other")
    (running,) = world.pods("team-a", 1)
    assert released(world.decide()) == 0
    world.ledger.delete_pod(running.key)
    assert released(world.decide()) == 3


def test_groups_that_started_together_leave_together() -> None:
    world = small()
    world.quota("owner", min=1)
    world.pods("team-a", 1, cpu=4, group=SERVER)
    world.pods("team-a", 2, cpu=2, group=WORKER, namespace="other")
    world.pods("owner", 1, waiting=True)
    assert len(world.decide(policy=Policy(grace=0, delay=0)).evictions) == 3


def test_a_group_that_is_listed_without_listing_back_is_held_by_no_other() -> None:
    """Else a tenant could hold up pods of another by a list."""
    world = small()
    world.pods("team-a", 1, waiting=True, group=SERVER)
    victim = replace(WORKER, together=())
    mine = world.pods("team-a", 2, waiting=True, group=victim, namespace="other")
    decisions = world.decide()
    assert {each.uid for each in decisions.releases} == {pod.uid for pod in mine}
    assert said(decisions) == {
        "WaitingForGroup: group koordinator/server starts with group other/koordinator/worker, "
        "but no pod of that group is there, or not all of them list the same groups. It starts "
        "when its group is complete."
    }


def test_a_group_that_is_listed_without_listing_back_is_evicted_with_no_other() -> None:
    world = small()
    world.quota("owner", min=2)
    world.pods("team-a", 2, cpu=3, group=replace(WORKER, together=()), namespace="other")
    world.pods("team-a", 2, group=replace(SERVER, size=2))
    world.pods("owner", 1, cpu=2, waiting=True)
    evictions = world.decide(policy=Policy(grace=0, delay=0)).evictions
    assert {each.pod.namespace for each in evictions} == {"teams"}


def test_events_of_a_group_that_lists_others_concern_only_those_that_list_it() -> None:
    world = small()
    world.pods("team-a", 5, waiting=True, group=replace(WORKER, together=()), namespace="other")
    liar = world.pods("team-a", 1, waiting=True, group=SERVER)
    world.decide()
    groups = (
        world.ledger.snapshot.index._pods.groups
    )  # the cost of an event is no result of a decision
    assert {key.namespace for key in groups.group_members(liar)} == {"teams"}


def test_groups_in_two_quotas_do_not_start_together() -> None:
    world = small()
    world.quota("team-b", max=8)
    world.pods("team-a", 1, waiting=True, group=SERVER)
    world.pods("team-b", 2, waiting=True, group=WORKER, namespace="other")
    assert said(world.decide()) == {
        "WaitingForGroup: the pods of groups koordinator/worker and koordinator/server are in "
        "quotas team-a and team-b, but only those of one quota start together. It starts when "
        "its group is complete."
    }


def test_a_group_that_lost_its_pods_starts_as_a_whole_beside_one_that_runs() -> None:
    world = small()
    world.pods("team-a", 1, group=SERVER)
    world.pods("team-a", 1, waiting=True, group=WORKER, namespace="other")
    assert released(world.decide()) == 0
    world.pods("team-a", 1, waiting=True, group=WORKER, namespace="other")
    assert released(world.decide()) == 2


def test_pods_of_one_group_that_list_different_groups_wait() -> None:
    world = small()
    world.pods("team-a", 1, waiting=True, group=SERVER)
    other = (Key("teams", "koordinator/else"),)
    world.pods("team-a", 1, waiting=True, group=replace(SERVER, together=other))
    assert said(world.decide()) == {
        (
            "WaitingForGroup: the pods of group koordinator/server must all list the same groups. "
            "It starts when its group is complete."
        )
    }


def test_pods_that_state_different_sizes_wait() -> None:
    world = small()
    world.pods("team-a", 2, waiting=True, group=replace(SIZED, size=2))
    world.pods("team-a", 1, waiting=True, group=replace(SIZED, size=3))
    assert said(world.decide()) == {
        "WaitingForGroup: the pods of group volcano/train must all say how many start "
        "together, the same number from 1 to 99999. It starts when its group is complete."
    }
