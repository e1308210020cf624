"""Finds the disruption budgets of a pod that several of them protect."""

import pytest

from api_double import ApiDouble, Refusal, refusals
from elasticquota_kube import budgets, eviction
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.eviction import EvictionAnswer


def budget(name: str, selector: dict[str, object] | None) -> dict[str, object]:
    metadata = {"name": name, "namespace": "team"}
    return {"metadata": metadata, "spec": {} if selector is None else {"selector": selector}}


@pytest.fixture
def guarded(double: ApiDouble) -> ApiDouble:
    """Pod a of the app web, with budgets that match it and others that do not."""
    metadata = {"name": "a", "namespace": "team", "labels": {"app": "web"}}
    double.put(paths.PODS, {"metadata": metadata})
    wanted = {"key": "app", "operator": "In", "values": ["db", "web"]}
    selectors: dict[str, dict[str, object] | None] = {
        "web": {"matchLabels": {"app": "web"}},
        "both": {"matchExpressions": [wanted]},
        "all": {},
        "none": None,
        "db": {"matchLabels": {"app": "db"}},
    }
    for name, selector in selectors.items():
        double.put(paths.DISRUPTION_BUDGETS, budget(name, selector))
    return double


async def test_budgets_match_by_their_selectors(guarded: ApiDouble, api: Api) -> None:
    assert await budgets.matching(api, "team", "a") == ("all", "both", "web")


async def test_budgets_of_other_namespaces_protect_nothing(double: ApiDouble, api: Api) -> None:
    double.put(paths.PODS, {"metadata": {"name": "a", "namespace": "other"}})
    double.put(paths.DISRUPTION_BUDGETS, budget("all", {}))
    assert await budgets.matching(api, "other", "a") == ()


async def test_without_the_right_to_read_budgets_their_number_is_still_reported(
    guarded: ApiDouble, api: Api
) -> None:
    guarded.refuse_eviction("team", "a", refusals.two_budgets())
    denied = Refusal(403, "Forbidden", "no right to list")
    guarded.faults.answer(denied, times=1, path="/poddisruptionbudgets")
    uid = guarded.object(paths.PODS, "team", "a")["metadata"]["uid"]
    outcome = await eviction.evict(api, "team", "a", uid)
    assert (outcome.answer, outcome.budget) == (EvictionAnswer.AMBIGUOUS_BUDGETS, "")
