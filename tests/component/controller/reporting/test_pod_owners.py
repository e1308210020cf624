"""The controllers of pods are counted as the watch shows the pods."""

from elasticquota.model.key import Key
from elasticquota.model.owner import Owner
from owned_pods import Owned


SET = Owner("apps/v1", "StatefulSet", "db", "uid-db")
OTHER = Owner("apps/v1", "StatefulSet", "db", "uid-later")


async def test_pods_are_counted_by_their_controller(owned: Owned) -> None:
    owned.see(SET, "db-0", "db-1")
    owned.see(OTHER, "db-2")
    owned.see(SET, "db-0", namespace="elsewhere")
    assert owned.owners.of("team") == {SET: 2, OTHER: 1}
    assert owned.owners.get(Key("team", "db-0")) == SET


async def test_a_pod_without_a_controller_is_not_counted(owned: Owned) -> None:
    owned.see(None, "bare")
    assert owned.owners.get(Key("team", "bare")) is None
    assert owned.owners.of("team") == {}


async def test_a_finished_or_deleted_pod_is_not_counted_any_more(owned: Owned) -> None:
    owned.see(SET, "db-0", "db-1", "db-2")
    owned.see(SET, "db-0", phase="Succeeded")
    owned.lose("db-1")
    assert owned.owners.of("team") == {SET: 1}
    owned.lose("db-2")
    assert owned.owners.of("team") == {}


async def test_a_pod_that_is_adopted_moves(owned: Owned) -> None:
    owned.see(SET, "db-0")
    owned.see(OTHER, "db-0")
    assert owned.owners.of("team") == {OTHER: 1}
