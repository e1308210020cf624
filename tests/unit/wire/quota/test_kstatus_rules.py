"""The written rules of kstatus on the statuses that the controller writes.

Its rules, in this order: an observedGeneration other than the generation is InProgress; Reconciling
True is InProgress; Stalled True is Failed; Ready other than True is InProgress; else Current.
``tests/e2e/test_kstatus.py`` asks the library.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from elasticquota.model.key import Key
from elasticquota.wire.quota import statuses
from worlds import ROOT, World


def judged(status: Mapping[str, Any], generation: int) -> str:
    said = {each["type"]: each["status"] for each in status["conditions"]}
    if status["observedGeneration"] != generation or said.get("Reconciling") == "True":
        return "InProgress"
    if said.get("Stalled") == "True":
        return "Failed"
    return "Current" if said.get("Ready") == "True" else "InProgress"


@pytest.mark.parametrize(
    ("parent", "generation", "expected"),
    [
        pytest.param(ROOT, 0, "Current", id="accepted"),
        pytest.param("ghost", 0, "Failed", id="refused"),
        pytest.param(ROOT, 2, "InProgress", id="its last edit was not judged"),
    ],
)
def test_a_quota_is(parent: str, generation: int, expected: str) -> None:
    world = World()
    world.quota("team-a", min=1, parent=parent)
    (found,) = (each for each in world.decide().statuses if each.key == Key("teams", "team-a"))
    assert judged(statuses.quota_status(found), generation) == expected


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
