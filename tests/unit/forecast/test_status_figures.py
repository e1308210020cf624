"""Statuses of a cycle get the figures of their quotas; those that did not change are kept."""

from collections.abc import Iterable

import forests
from elasticquota.forecast.status_figures import ForecastFigures, StatusFigures
from elasticquota.model.decision import QuotaStatus
from elasticquota.model.key import Key
from elasticquota.model.reclaim_record import NO_HISTORY
from elasticquota.model.wait_estimate import WaitEstimate


FOREST = forests.forest("a 0..1; b 0..1; c 0..1")


class Scene:
    """The estimate of a quota says how often its figures were asked for."""

    def __init__(self) -> None:
        self._figures = StatusFigures()
        self.asked: list[str] = []

    def add(self, statuses: Iterable[QuotaStatus], *changed: str) -> list[str]:
        """The messages of the estimates."""
        found = self._figures.add(tuple(statuses), set(changed), self._of, FOREST)
        return [each.wait_estimate.message if each.wait_estimate else "" for each in found]

    def _of(self, quota: Key) -> ForecastFigures:
        name = quota.name
        self.asked.append(name)
        estimate = WaitEstimate(0, f"{name}{self.asked.count(name)}")
        return ForecastFigures(estimate, None, NO_HISTORY, None)


def status(name: str, namespace: str = "") -> QuotaStatus:
    key = FOREST.quotas[name].key
    none: dict[str, int] = {}
    amounts = (none,) * 7
    return QuotaStatus(Key(namespace or key.namespace, name), 1, "", "", *amounts, 0, 0, ())


def test_only_what_changed_is_asked_for_again() -> None:
    scene, found = Scene(), [status("a"), status("b")]
    assert scene.add(found) == ["a1", "b1"]
    assert scene.add(found, "b") == ["a1", "b2"]
    assert scene.add([found[0], status("b")]) == ["a1", "b3"]


def test_a_quota_that_takes_the_place_of_another_gets_its_own_figures() -> None:
    scene, first = Scene(), status("a")
    scene.add([first, status("b")])
    found = [first, status("c")]
    assert scene.add(found)[1] == "c1"
    assert scene.add(found, "c")[1] == "c2"


def test_a_change_of_a_quota_is_found_after_others_took_places() -> None:
    scene, first, last = Scene(), status("a"), status("c")
    scene.add([first, last])
    found = [first, status("b"), last]
    assert scene.add(found) == ["a2", "b1", "c2"]
    assert scene.add(found, "c") == ["a2", "b1", "c3"]


def test_an_object_that_does_not_hold_its_name_has_no_figures() -> None:
    scene, found = Scene(), [status("a"), status("a", "other")]
    assert scene.add(found) == ["a1", ""]
    assert scene.add(found, "a") == ["a2", ""]
