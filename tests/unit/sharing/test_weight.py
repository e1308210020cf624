"""What a quota weighs before the tree's total caps it."""

from collections.abc import Mapping

import pytest

from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.sharing import weight
from elasticquota.sharing.weight import EffectiveWeight


ABOVE = {"gpu": 50}


def effective(chosen: Mapping[str, int] | None = None, **limits: int) -> EffectiveWeight:
    quota = Quota(Key("ns", "a"), "1", "", max=limits, shared_weight=chosen)
    return weight.effective(quota, "gpu", ABOVE)


def test_a_chosen_weight_counts_as_it_is() -> None:
    assert effective({"gpu": 3}, gpu=8) == EffectiveWeight(3, capped=False)
    assert effective({"gpu": 0, "cpu": 1}, gpu=8) == EffectiveWeight(0, capped=False)
    assert effective({"gpu": -3, "cpu": 1}, gpu=8) == EffectiveWeight(0, capped=False)


@pytest.mark.parametrize("chosen", [None, {}, {"cpu": 9}, {"gpu": 0}, {"gpu": -1}])
def test_without_one_max_counts_and_may_be_capped(chosen: Mapping[str, int] | None) -> None:
    assert effective(chosen, gpu=8) == EffectiveWeight(8, capped=True)
    assert effective(chosen, gpu=0) == EffectiveWeight(0, capped=True)
    assert effective(chosen, gpu=-8) == EffectiveWeight(0, capped=True)


def test_a_zero_that_was_written_stays_where_max_fills_in_the_rest() -> None:
    """Koordinator's webhook fills in max of what the weight leaves out, and keeps what it says."""
    assert effective({"gpu": 0}, gpu=120, memory=8) == EffectiveWeight(0, capped=False)
    assert effective({"gpu": 0}, gpu=120, memory=0) == EffectiveWeight(120, capped=True)
    quota = Quota(Key("ns", "a"), "1", "", max={"gpu": 120, "cpu": 8}, shared_weight={"gpu": 0})
    assert weight.effective(quota, "cpu", ABOVE) == EffectiveWeight(8, capped=True)


def test_no_max_weighs_as_much_as_the_smallest_max_above() -> None:
    assert effective(cpu=8) == EffectiveWeight(50, capped=True)
    assert weight.effective(Quota(Key("", ""), "", ""), "gpu", ABOVE) == EffectiveWeight(
        50, capped=True
    )
    assert weight.effective(Quota(Key("", ""), "", ""), "gpu", {"gpu": 0}) == EffectiveWeight(
        0, capped=True
    )


def test_no_max_anywhere_is_unlimited() -> None:
    unlimited = EffectiveWeight(weight.UNLIMITED, capped=True)
    assert weight.effective(Quota(Key("ns", "a"), "1", ""), "cpu", ABOVE) == unlimited
    assert weight.effective(Quota(Key("", ""), "", ""), "cpu", ABOVE) == unlimited
