"""Koordinator's enableRuntimeQuota and enableMinQuotaScale, switched off."""

import pytest

import forests
from elasticquota.forest.settings import SharingTerms
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.sharing.runtime import Runtimes
from worlds import World


BY_MAX = SharingTerms(limits_by_max=True)
WHOLE_MIN = SharingTerms(scales_min=False)


def device(text: str, total: int, asked: dict[str, int], terms: SharingTerms) -> dict[str, int]:
    """The runtime in devices of every quota of the default tree."""
    forest = forests.forest(text, terms)
    found = Runtimes(forest.trees[""], forest)
    found.set_capacity({"device": total})
    for name, amount in asked.items():
        found.set_request(name, {"device": amount})
    found.settle()
    return {name: found.runtime(name)["device"] for name in forest.trees[""].order}


def test_where_max_is_the_limit_nobodys_request_changes_a_runtime() -> None:
    quotas = "a 10..40; b 10..80"
    busy = device(quotas, 100, {"a": 40, "b": 80}, BY_MAX)
    idle = device(quotas, 100, {"b": 1}, BY_MAX)
    assert (busy["a"], busy["b"]) == (40, 80)
    assert busy == idle


def test_where_max_is_the_limit_a_quota_has_no_more_than_its_parent() -> None:
    quotas = "dept 10..30; a<dept 5..50; b<dept 5..20"
    found = device(quotas, 100, {}, BY_MAX)
    assert (found["dept"], found["a"], found["b"]) == (30, 30, 20)
    assert device(quotas, 15, {}, BY_MAX)["dept"] == 15


def test_a_max_that_is_lowered_lowers_the_runtime_where_max_is_the_limit() -> None:
    before, after = forests.forest("a 1..40", BY_MAX), forests.forest("a 1..20", BY_MAX)
    found = Runtimes(before.trees[""], before)
    found.set_capacity({"device": 100})
    found.settle()
    found.update_claims({"a"}, after.trees[""], after)
    found.settle()
    assert found.runtime("a")["device"] == 20


def test_min_that_is_not_scaled_stays_whole_when_nodes_are_lost() -> None:
    quotas, asked = "a 60..100; b 40..100", {"a": 90, "b": 90}
    whole = device(quotas, 50, asked, WHOLE_MIN)
    assert (whole["a"], whole["b"]) == (60, 40)
    scaled = device(quotas, 50, asked, SharingTerms())
    assert (scaled["a"], scaled["b"]) == (30, 20)


def test_min_that_is_not_scaled_is_shared_as_always_where_it_fits() -> None:
    quotas, asked = "a 10..100; b 40..100", {"a": 90, "b": 20}
    assert device(quotas, 100, asked, WHOLE_MIN) == device(quotas, 100, asked, SharingTerms())


def test_an_only_child_keeps_its_min_beyond_what_there_is() -> None:
    assert device("a 60..100", 50, {"a": 90}, WHOLE_MIN)["a"] == 60


@pytest.mark.parametrize(("terms", "evictions"), [(BY_MAX, 0), (SharingTerms(), 4)])
def test_where_max_is_the_limit_nothing_within_max_is_reclaimed(
    terms: SharingTerms, evictions: int
) -> None:
    policy = Policy(grace=0, delay=0, accounting=Accounting(terms=terms))
    world = World(nodes=1, cpu=8)
    world.quota("borrower", min=4, max=8)
    world.quota("owner", min=4, max=8)
    world.pods("borrower", 8)
    world.pods("owner", 4, waiting=True)
    world.decide(policy=policy)
    assert len(world.decide(now=1, policy=policy).evictions) == evictions


def test_where_max_is_the_limit_what_exceeds_it_is_reclaimed() -> None:
    policy = Policy(grace=0, delay=0, accounting=Accounting(terms=BY_MAX))
    world = World(nodes=1, cpu=8)
    world.quota("team", max=8)
    world.pods("team", 8)
    world.quota("team", max=5)
    world.decide(policy=policy)
    assert len(world.decide(now=1, policy=policy).evictions) == 3
