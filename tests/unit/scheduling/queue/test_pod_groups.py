"""Groups are admitted together or not at all, and messages say what their pods wait for."""

import pytest

from elasticquota import names
from elasticquota.model.decision import Decisions
from elasticquota.model.group import Group
from elasticquota.model.pod import Pod
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from sentences import why
from worlds import World


TRAIN = Group("train", 3)


def released(decisions: Decisions) -> list[str]:
    return [release.uid for release in decisions.releases]


def told(decisions: Decisions) -> dict[str, str]:
    """Uid -> what its message says."""
    return {wait.uid: why(wait.message) for wait in decisions.waits}


def uids(pods: list[Pod]) -> list[str]:
    return [pod.uid for pod in pods]


def test_a_group_waits_until_all_of_it_is_there_and_says_how_many_are() -> None:
    world = World()
    world.quota("team-a", min=10)
    two = world.pods("team-a", 2, waiting=True, group=TRAIN)
    decisions = world.decide()
    assert released(decisions) == []
    assert told(decisions) == dict.fromkeys(
        uids(two),
        "WaitingForGroup: 2 of 3 pods of group train are there. It starts when its group is "
        "complete.",
    )
    last = world.pods("team-a", waiting=True, group=TRAIN)
    assert released(world.decide()) == uids([*two, *last])


def test_pods_of_a_group_that_is_not_complete_are_no_request() -> None:
    world = World()
    world.quota("team-a", min=10)
    world.pods("team-a", 2, waiting=True, group=TRAIN)
    status = next(s for s in world.decide().statuses if s.key.name == "team-a")
    assert (status.request.get("cpu", 0), status.pods_gated) == (0, 2)


def test_no_pod_of_a_group_that_fits_only_in_part_is_admitted() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=8)
    world.pods("team-a", 4)
    trio = world.pods("team-a", 3, cpu=2, waiting=True, group=TRAIN)
    decisions = world.decide()
    assert released(decisions) == []
    assert set(told(decisions).values()) == {
        "QuotaExhausted: group train of 3 pods needs 6 cpu; 4 of its current share of 8 are in "
        "use (guaranteed 0, limit 8). Position 1 of 1. It starts when 2 cpu are freed in "
        "team-a."
    }
    assert told(decisions).keys() == set(uids(trio))


def test_small_pods_pass_a_group_that_does_not_fit() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=8)
    world.pods("team-a", 4)
    world.pods("team-a", 3, cpu=2, waiting=True, group=TRAIN)
    (small,) = world.pods("team-a", waiting=True)
    assert released(world.decide()) == [small.uid]


def test_a_group_at_the_head_for_too_long_is_passed_by_no_pod() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=8)
    world.pods("team-a", 4)
    world.pods("team-a", 3, cpu=2, waiting=True, group=TRAIN)
    world.decide(0)
    (small,) = world.pods("team-a", waiting=True)
    decisions = world.decide(Policy().head_of_line)
    assert released(decisions) == []
    assert told(decisions)[small.uid] == (
        "WaitingInLine: blocked by group train of 3 pods, which has been at the head of the "
        "queue for 300 s or more (head-of-line protection). Position 2 of 2. It is tried when "
        "that one has started."
    )


def test_a_pod_that_comes_to_a_group_that_runs_is_admitted_alone() -> None:
    world = World()
    world.quota("team-a", min=10)
    world.pods("team-a", 2, group=TRAIN)
    anew = world.pods("team-a", waiting=True, group=TRAIN)
    assert released(world.decide()) == uids(anew)


def test_terminating_pods_start_no_group() -> None:
    world = World()
    world.quota("team-a", min=10)
    world.pods("team-a", 2, group=TRAIN, deleting=True)
    world.pods("team-a", waiting=True, group=TRAIN)
    assert released(world.decide()) == []


def test_releases_under_way_count_so_that_a_refused_one_is_tried_again_alone() -> None:
    world = World()
    world.quota("team-a", min=10)
    first, second, third = world.pods("team-a", 3, waiting=True, group=TRAIN)
    for pod in (first, second):
        world.ledger.expect_release(pod.uid)
    assert released(world.decide()) == [third.uid]


def test_more_pods_than_the_size_follow_when_the_group_has_started() -> None:
    world = World()
    world.quota("team-a", min=10)
    five = world.pods("team-a", 5, waiting=True, group=TRAIN)
    decisions = world.decide()
    assert released(decisions) == uids(five[:3])
    assert told(decisions) == dict.fromkeys(
        uids(five[3:]),
        (
            "WaitingForGroup: the first 3 pods of group train start without it. It is tried when "
            "they have started."
        ),
    )
    world.carry_out_releases(decisions)
    assert released(world.decide()) == uids(five[3:])


def test_a_group_in_two_quotas_says_so() -> None:
    world = World()
    world.quota("team-a", min=10)
    world.quota("team-b", min=10)
    world.pods("team-a", 2, waiting=True, group=TRAIN)
    world.pods("team-b", 1, waiting=True, group=TRAIN)
    decisions = world.decide()
    assert released(decisions) == []
    assert set(told(decisions).values()) == {
        "WaitingForGroup: the pods of group train are in quotas team-a and team-b, but only "
        "those of one quota start together. It starts when its group is complete."
    }


def test_groups_of_one_name_in_two_namespaces_are_two() -> None:
    world = World()
    world.quota("team-a", min=10)
    world.pods("team-a", 2, waiting=True, group=TRAIN)
    world.pods("team-a", 1, waiting=True, group=TRAIN, namespace="others")
    assert released(world.decide()) == []


@pytest.mark.parametrize("other", [Group("train", 4), Group("train", 0)])
def test_a_size_that_is_none_or_not_the_same_is_reported(other: Group) -> None:
    world = World()
    world.quota("team-a", min=10)
    world.pods("team-a", 3, waiting=True, group=TRAIN)
    world.pods("team-a", 1, waiting=True, group=other)
    decisions = world.decide()
    assert released(decisions) == []
    assert set(told(decisions).values()) == {
        "WaitingForGroup: the pods of group train must all say by "
        "elasticquota.dev/pod-group-size how many start together, the same number from 1 to "
        "99999. It starts when its group is complete."
    }


def test_a_group_beyond_max_can_never_start_and_says_so() -> None:
    world = World()
    world.quota("team-a", max=5)
    world.pods("team-a", 3, cpu=2, waiting=True, group=TRAIN)
    assert set(told(world.decide()).values()) == {
        (
            "ExceedsMax: group train of 3 pods needs 6 cpu; the limit of quota team-a is 5. It "
            "starts only if it asks for less, or if that limit is raised."
        )
    }


def test_a_group_beyond_all_nodes_can_never_start_until_nodes_come() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    trio = world.pods("team-a", 3, cpu=3, waiting=True, group=TRAIN)
    assert set(told(world.decide()).values()) == {
        (
            "NoNodeFits: group train of 3 pods needs 9 cpu; all nodes of the tree together offer "
            "8. It starts only if it asks for less, or if a node for it joins the tree."
        )
    }
    world.node("more", cpu=8)
    assert released(world.decide()) == uids(trio)


def test_a_group_with_a_pod_that_never_fits_says_which() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("team-a")
    world.pods("team-a", 2, waiting=True, group=TRAIN)
    (large,) = world.pods("team-a", cpu=9, waiting=True, group=TRAIN)
    decisions = world.decide()
    assert released(decisions) == []
    needs = "NoNodeFits: needs 9 cpu; the largest node of the tree offers 8"
    never = "It starts only if it asks for less, or if a node for it joins the tree."
    own, others = f"{needs}. {never}", f"{needs} (pod {large.key} of group train). {never}"
    assert sorted(told(decisions).values()) == [others, others, own]


def test_a_group_with_a_pod_that_others_hold_waits_for_them() -> None:
    world = World()
    world.quota("team-a", min=10)
    world.pods("team-a", 2, waiting=True, group=TRAIN)
    (held,) = world.pods("team-a", waiting=True, group=TRAIN, foreign_gate="example.com/checked")
    decisions = world.decide()
    assert released(decisions) == []
    assert sorted(told(decisions).values()) == [
        f"WaitingForGroup: pod {held.key} of its group is held by scheduling gate "
        "example.com/checked. Its group enters the queue without that gate.",
        f"WaitingForGroup: pod {held.key} of its group is held by scheduling gate "
        "example.com/checked. Its group enters the queue without that gate.",
        (
            "WaitingForOtherGates: other controllers hold it, too, by scheduling gate "
            "example.com/checked. It enters the queue when ours is the last gate."
        ),
    ]
    world.ledger.upsert_pod(replace(held, gates=(names.GATE,)))
    assert len(released(world.decide())) == 3


def test_a_group_of_which_a_release_was_refused_waits_until_it_is_offered_again() -> None:
    world = World()
    world.quota("team-a", min=10)
    first, *_ = world.pods("team-a", 3, waiting=True, group=TRAIN)
    world.ledger.withhold(first.uid)
    decisions = world.decide()
    assert released(decisions) == []
    assert set(told(decisions).values()) == {
        f"ReleaseRefused: the release of pod {first.key} was refused (its event "
        "QuotaReleaseRefused says by whom), so it holds no room. It is tried again within a minute."
    }
    world.ledger.offer_again(first.uid)
    assert len(released(world.decide())) == 3


def test_a_group_within_min_reclaims_all_its_room_at_once() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=6)
    world.quota("team-b")
    world.pods("team-b", 8)
    world.pods("team-a", 3, cpu=2, waiting=True, group=TRAIN)
    world.decide(0)
    decisions = world.decide(Policy().grace)
    assert len(decisions.evictions) == 6
    world.carry_out_evictions(decisions)
    assert len(released(world.decide(Policy().grace))) == 3


def test_no_pod_is_evicted_for_a_group_that_would_not_fit_whole() -> None:
    """Within its min of 4 one or two of the three would be."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=4)
    world.quota("team-b", min=4)
    world.pods("team-b", 8)
    world.pods("team-a", 3, cpu=2, waiting=True, group=TRAIN)
    for now in (0, Policy().grace, Policy().delay):
        assert world.decide(now).evictions == ()


def test_a_more_important_group_takes_the_place_of_pods_of_its_own_quota() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=8)
    world.pods("team-a", 8)
    world.pods("team-a", 3, cpu=2, waiting=True, priority=5, group=TRAIN)
    evictions = world.decide().evictions
    assert len(evictions) == 6
    assert evictions[0].message.startswith("group train of 3 pods of the same quota")


def test_a_gang_whose_release_is_under_way_is_not_evicted_in_part() -> None:
    """A pod whose gate the cache still shows cannot be evicted, so its gang stays until it can."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=8)
    (seen,) = world.pods("team-a", cpu=4, group=Group("train", 2))
    (unseen,) = world.pods("team-a", cpu=4, waiting=True, group=Group("train", 2))
    world.ledger.expect_release(unseen.uid)
    world.pods("team-a", cpu=4, waiting=True, priority=5)
    assert world.decide().evictions == ()
    world.ledger.upsert_pod(replace(unseen, gates=(), node_name="node-0"))
    assert {each.uid for each in world.decide().evictions} == {seen.uid, unseen.uid}


def test_a_group_is_as_important_as_its_least_important_pod() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=8)
    world.pods("team-a", 8, priority=1)
    world.pods("team-a", 2, cpu=2, waiting=True, priority=5, group=TRAIN)
    world.pods("team-a", 1, cpu=2, waiting=True, priority=1, group=TRAIN)
    assert world.decide().evictions == ()


def test_a_group_with_a_pod_that_is_not_preemptible_must_fit_min_whole() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=4)
    world.pods("team-a", 2, cpu=2, waiting=True, group=TRAIN)
    world.pods("team-a", 1, cpu=2, waiting=True, group=TRAIN, preemptible=False)
    decisions = world.decide()
    assert released(decisions) == []
    assert "such pods may use what is guaranteed, and they use 0 of 4" in decisions.waits[0].message


def test_pods_of_a_group_of_one_wait_for_no_pod() -> None:
    world = World()
    world.quota("team-a", min=10)
    pods = world.pods("team-a", 2, waiting=True, group=Group("solo", 1))
    assert released(world.decide()) == uids(pods)


def test_a_pod_without_a_quota_waits_for_no_group() -> None:
    world = World()
    (pod,) = world.pods("", waiting=True, group=TRAIN, namespace="free")
    alone = Policy(accounting=replace(Policy().accounting, default_quota=False))
    assert released(world.decide(policy=alone)) == [pod.uid]
