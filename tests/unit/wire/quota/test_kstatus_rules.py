"""The written rules of kstatus on the statuses that the controller writes.

Its rules, in this order: an observedGeneration other than the generation is InProgress; Reconciling
True is InProgress; Stalled True is Failed; Ready other than True is InProgress; else Current.
``tests/e2e/test_kstatus.py`` asks the library.
"""

from collections.abc import Mapping
from typing import Any

from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.wire.quota import statuses
from worlds import World


def judged(status: Mapping[str, Any], generation: int) -> str:
    said = {each["type"]: each["status"] for each in status["conditions"]}
    if status["observedGeneration"] != generation or said.get("Reconciling") == "True":
        return "InProgress"
    if said.get("Stalled") == "True":
        return "Failed"
    return "Current" if said.get("Ready") == "True" else "InProgress"


def of_quota(decisions: Decisions, name: str, generation: int = 0) -> str:
    (found,) = (each for each in decisions.statuses if each.key == Key("teams", name))
    return judged(statuses.quota_status(found), generation)


def test_an_accepted_quota_is_current() -> None:
    world = World()
    world.quota("team-a", min=1)
    assert of_quota(world.decide(), "team-a") == "Current"


def test_a_refused_quota_has_failed() -> None:
    world = World()
    world.quota("team-a", parent="ghost")
    assert of_quota(world.decide(), "team-a") == "Failed"


def test_a_quota_whose_last_edit_was_not_judged_is_in_progress() -> None:
    world = World()
    world.quota("team-a", min=1)
    assert of_quota(world.decide(), "team-a", generation=2) == "InProgress"


def test_a_profile_without_nodes_is_in_progress_and_one_with_nodes_is_current() -> None:
    for nodes, expected in ((0, "InProgress"), (1, "Current")):
        (found,) = World(nodes=nodes).decide().profiles
        assert judged(statuses.profile_status(found), found.generation) == expected


def test_every_condition_has_a_reason_and_the_generation() -> None:
    world = World()
    world.quota("team-a", min=1)
    world.quota("lost", parent="ghost")
    for found in world.decide().statuses:
        for each in statuses.quota_status(found)["conditions"]:
            assert each["reason"].isalpha()
            assert each["message"]
            assert each["observedGeneration"] == found.generation
