"""The worked examples of the seeds in virtual time: with nodes, terminations and successors.

``tests/seeds`` has what is decided about them at one moment; here is how they end.
"""

import pytest

from virtual_cluster.scene import Scene
from virtual_cluster.timeline import MINUTE, SECOND


def test_seed_000_a_has_borrowed_all_and_ends_with_b_at_50_and_50() -> None:
    scene = Scene(nodes=10, cpu=10)
    scene.quota("A", min=50, max=100)
    scene.quota("B", min=50, max=100)
    scene.run("a", "A", 100, grace=30 * SECOND)
    scene.play(MINUTE)
    assert scene.used() == {"A": 100}
    scene.run("b", "B", 100)
    scene.play(4 * SECOND)
    assert scene.evictions == []
    scene.settle()
    assert scene.used() == {"A": 50, "B": 50}
    assert len(scene.evictions) == 50


def test_seed_000_four_groups_run_5_20_35_and_40_of_100() -> None:
    scene = Scene(nodes=10, cpu=10)
    for name, low, weight, wants in (
        ("A", 10, 40, 5),
        ("B", 15, 60, 20),
        ("C", 20, 50, 40),
        ("D", 15, 80, 70),
    ):
        scene.quota(name, min=low, weight=weight)
        scene.run(name.lower(), name, wants)
    scene.settle()
    assert scene.used() == {"A": 5, "B": 20, "C": 35, "D": 40}


def test_seed_000_four_groups_end_there_whichever_came_first() -> None:
    """D had everything; the others get their part by their min and after the delay."""
    scene = Scene(nodes=10, cpu=10)
    for name, low, weight in (("A", 10, 40), ("B", 15, 60), ("C", 20, 50), ("D", 15, 80)):
        scene.quota(name, min=low, weight=weight)
    scene.run("d", "D", 100)
    scene.play(MINUTE)
    assert scene.used() == {"D": 100}
    scene.workloads.shrink("d", 70)
    for name, wants in (("C", 40), ("B", 20), ("A", 5)):
        scene.run(name.lower(), name, wants)
    scene.settle()
    assert scene.used() == {"A": 5, "B": 20, "C": 35, "D": 40}


def test_seed_000_after_a_node_failure_guarantees_shrink_in_proportion() -> None:
    """Of min 60 and 30, two thirds are left on 60 of 90 cpus."""
    scene = Scene(nodes=2, cpu=30)
    scene.quota("A", min=60, max=60)
    scene.quota("B", min=30, max=30)
    scene.run("a", "A", 60)
    scene.run("b", "B", 30)
    scene.settle()
    assert scene.used() == {"A": 40, "B": 20}


def test_seed_000_a_node_failure_evicts_no_pod_within_min() -> None:
    """The pods of the node wait; the others go on, though some are beyond the smaller part."""
    scene = Scene(nodes=3, cpu=30)
    scene.quota("A", min=60, max=60)
    scene.quota("B", min=30, max=30)
    scene.run("a", "A", 60)
    scene.run("b", "B", 30)
    scene.play(MINUTE)
    scene.cluster.lose_node("node-2")
    scene.settle()
    assert sum(scene.used().values()) == 60
    assert scene.evictions == []


def test_seed_002_an_unmet_min_is_reclaimed_from_quotas_beyond_their_min() -> None:
    """1 cpu stands for 1 GPU of the 16: devops 4..8, algorithm 10..14, infrastructure 2..4."""
    scene = Scene(nodes=2, cpu=8)
    scene.quota("devops", min=4, max=8)
    scene.quota("algorithm", min=10, max=14, is_parent=True)
    scene.quota("text", min=8, max=10, parent="algorithm")
    scene.quota("video", min=2, max=4, parent="algorithm")
    scene.quota("infrastructure", min=2, max=4)
    scene.run("ops", "devops", 8, grace=10 * SECOND)
    scene.run("vid", "video", 4, grace=10 * SECOND)
    scene.run("test", "infrastructure", 4, grace=10 * SECOND)
    scene.play(MINUTE)
    assert scene.used() == {"devops": 8, "video": 4, "infrastructure": 4}
    scene.run("nlp", "text", 8)
    scene.play(20 * SECOND)
    assert scene.used() == {"devops": 4, "video": 2, "infrastructure": 2, "text": 8}


def story_1() -> Scene:
    """10 GPUs on two nodes; A has min 4, max 6 and B min 6, max 8; 4 and 3 run."""
    scene = Scene(nodes=2, cpu=5)
    scene.quota("A", min=4, max=6)
    scene.quota("B", min=6, max=8)
    scene.run("a", "A", 4)
    scene.run("b", "B", 3)
    scene.play(MINUTE)
    return scene


def test_seed_003_story_1_from_6_and_3_to_4_and_6_and_no_further() -> None:
    scene = story_1()
    scene.run("borrower", "A", cpu=2, grace=10 * SECOND)
    scene.play(MINUTE)
    assert scene.used() == {"A": 6, "B": 3}
    scene.run("owner", "B", 3)
    scene.play(20 * SECOND)
    assert scene.used() == {"A": 4, "B": 6}
    assert [eviction.quota for _, eviction in scene.evictions] == ["A"]
    scene.run("more", "B", 2)
    scene.settle()
    assert scene.used() == {"A": 4, "B": 6}


def test_seed_003_story_2_b_within_min_takes_from_a_and_never_from_c() -> None:
    scene = Scene(nodes=2, cpu=5)
    for name, low, high, runs in (("A", 3, 4, 4), ("B", 4, 6, 3), ("C", 3, 4, 3)):
        scene.quota(name, min=low, max=high)
        scene.run(name.lower(), name, runs)
    scene.play(MINUTE)
    scene.run("owner", "B")
    scene.play(20 * SECOND)
    assert scene.used() == {"A": 3, "B": 4, "C": 3}, "after the grace, not only after the delay"
    scene.settle()
    assert scene.used() == {"A": 3, "B": 4, "C": 3}
    assert [eviction.quota for _, eviction in scene.evictions] == ["A"]


def test_seed_003_story_2_b_beyond_min_takes_from_its_own_lower_pods_only() -> None:
    """Figures 8 and 9: 2, 5 and 3 run; PodC of B takes the place of PodA, which is of B too."""
    scene = Scene(nodes=1, cpu=10)
    for name, low, high in (("A", 3, 4), ("B", 4, 6), ("C", 3, 4)):
        scene.quota(name, min=low, max=high)
    scene.run("a", "A", 2)
    scene.run("c", "C", 3)
    scene.run("pod-a", "B", cpu=2)
    scene.run("pod-b", "B", cpu=3)
    scene.play(MINUTE)
    assert scene.used() == {"A": 2, "B": 5, "C": 3}
    scene.run("pod-c", "B", priority=1)
    scene.settle()
    assert scene.runs_of("pod-c") == scene.runs_of("pod-b") == 1
    assert scene.runs_of("pod-a") == 0
    assert {eviction.quota for _, eviction in scene.evictions} == {"B"}


@pytest.mark.parametrize("priority", [0, 1_000_000])
def test_seed_003_priority_reclaims_nothing_from_another_quota(priority: int) -> None:
    scene = Scene(nodes=1, cpu=1)
    scene.quota("quota1", max=2)
    scene.quota("quota2", max=2)
    scene.quota("quota3", min=1, max=2)
    scene.run("nginx", "quota1")
    scene.play(MINUTE)
    scene.run("important", "quota2", priority=priority)
    scene.settle()
    assert scene.runs_of("nginx") == 1
    assert scene.evictions == []


def test_seed_003_cross_node_reclaim_frees_both_nodes_but_not_one_large_one() -> None:
    """The other system evicts no pod here. We do; the owner's pods of 1 run, on any node."""
    scene = Scene(nodes=2, cpu=1)
    scene.quota("quota1", min=0, max=2)
    scene.quota("quota2", min=2, max=2)
    scene.run("borrowers", "quota1", 2)
    scene.play(MINUTE)
    scene.run("owners", "quota2", 2)
    scene.settle()
    assert scene.used() == {"quota1": 0, "quota2": 2}


def test_seed_004_three_hungry_queues_share_900_as_their_quotas_say() -> None:
    """Root 900; 750 and 750 are guaranteed nothing, so 450 each; one leaves, the other rises."""
    scene = Scene(nodes=3, cpu=30)
    scene.quota("one", max=75)
    scene.quota("two", max=75)
    scene.run("first", "one", 90)
    scene.play(MINUTE)
    assert scene.used() == {"one": 75}
    scene.run("second", "two", 90)
    scene.settle()
    assert scene.used() == {"one": 45, "two": 45}
    scene.workloads.withdraw("first")
    scene.settle()
    assert scene.used() == {"two": 75}
