"""Disruption budgets stand in the way of reclaim, which takes others, waits, and tries again."""

from elasticquota.model.decision import Decisions
from virtual_cluster.scene import Scene
from virtual_cluster.timeline import MINUTE, SECOND


def owner_waits(*borrowers: str) -> Scene:
    """8 cpus: the borrowers hold all in pods of 1; the owner's 4 are lent."""
    scene = Scene(nodes=1, cpu=8)
    scene.quota("borrower", max=8)
    scene.quota("owner", min=4)
    for name in borrowers:
        scene.run(name, "borrower", 8 // len(borrowers), grace=SECOND)
    scene.play(MINUTE)
    scene.run("late", "owner", 4)
    return scene


def test_where_a_budget_says_not_now_others_go_instead() -> None:
    scene = owner_waits("first", "second")
    scene.protect("second")
    scene.settle()
    assert (scene.runs_of("first"), scene.runs_of("second")) == (0, 4)
    assert scene.runs_of("late") == 4


def test_where_two_budgets_match_others_go_instead() -> None:
    scene = owner_waits("first", "second")
    scene.protect("first", least=0, name="one")
    scene.protect("first", least=0, name="two")
    scene.settle()
    assert (scene.runs_of("first"), scene.runs_of("second")) == (4, 0)
    assert scene.runs_of("late") == 4


def test_while_budgets_keep_everybody_the_owner_waits_and_nobody_goes() -> None:
    scene = owner_waits("all")
    scene.protect("all")
    scene.settle()
    assert scene.used() == {"borrower": 8, "owner": 0}


def test_a_minute_after_the_budget_is_gone_the_owner_runs() -> None:
    scene = owner_waits("all")
    scene.protect("all")
    scene.play(20 * MINUTE)
    scene.budgets.clear()
    scene.play(MINUTE + 5 * SECOND)
    assert scene.used() == {"borrower": 4, "owner": 4}


def test_a_pod_without_node_goes_whatever_its_budget_says() -> None:
    """It was let in, but the scheduler has reasons of its own."""
    scene = Scene(nodes=1, cpu=8)
    scene.quota("borrower", max=8)
    scene.quota("owner", min=4)
    scene.scheduler.refuses.add("stuck")
    scene.run("stuck", "borrower", 8)
    scene.protect("stuck")
    scene.play(MINUTE)
    scene.run("late", "owner", 4)
    scene.play(10 * MINUTE)
    assert scene.runs_of("late") == 4


def test_who_is_gone_already_is_no_victim_and_another_goes() -> None:
    """Its Job is withdrawn in the moment in which it is asked to leave."""
    scene = owner_waits("first", "second")

    def withdraw(decisions: Decisions) -> None:
        if decisions.evictions and "second" in scene.workloads.all:
            scene.workloads.withdraw("second")

    scene.controller.on_round.append(withdraw)
    scene.settle()
    assert (scene.runs_of("first"), scene.runs_of("late")) == (4, 4)
