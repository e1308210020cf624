"""The warning about an edit: what it says of the quota, and what it says of others."""

from typing import Any

import pytest

import forests
from elasticquota.forecast import edit_summary
from elasticquota.forecast.edit_shares import ShareChange
from elasticquota.forecast.edit_summary import Times
from elasticquota.model.quota import NOT_EVER, Figures, Quota
from elasticquota.structs import replace


USUAL = Times(grace=5_000, delay=120_000)
MORE = " More: kubectl elastic-quota plan -f FILE"
(TEAM,) = forests.quotas("team 4..12")


def said(
    new: Quota,
    *changes: ShareChange,
    held: int = 0,
    times: Times = USUAL,
    pods: int = 6,
    old: Quota = TEAM,
) -> str:
    figures = Figures(admitted={"device": held, "pods": pods})
    published = dict.fromkeys(("team", "other", "third"), figures)
    text = edit_summary.of(old, new, changes, published, times)
    assert not text or text.endswith(f".{MORE}")
    return text.removesuffix(MORE)


def edited(**amounts: int) -> Quota:
    sides: Any = {side: {"device": amount} for side, amount in amounts.items()}
    return replace(TEAM, **sides)


def own(before: int, after: int, held: int = 0, asked: int = 0) -> ShareChange:
    return ShareChange("team", "device", before, after, held, asked)


def other(before: int, after: int, held: int, asked: int = 0, name: str = "other") -> ShareChange:
    return ShareChange(name, "device", before, after, held, asked)


def test_an_edit_without_effect_is_not_worth_a_warning() -> None:
    assert said(edited(max=20)) == ""


def test_pods_beyond_a_lowered_max_are_evicted_after_the_delay() -> None:
    assert said(edited(max=8), held=10) == (
        "Pods of team hold 10 device, beyond the new max: pods with at least 2 device would be "
        "evicted after 2 min."
    )


@pytest.mark.parametrize(
    ("delay", "end"),
    [
        (600_000, ": pods with at least 2 device would be evicted after 10 min."),
        (NOT_EVER, "; none is evicted for that."),
    ],
)
def test_the_quotas_own_delay_counts(delay: int, end: str) -> None:
    text = said(replace(edited(max=8), over_max_delay=delay), held=10)
    assert text == f"Pods of team hold 10 device, beyond the new max{end}"


def test_a_raised_max_evicts_no_pod_even_if_usage_is_beyond_it() -> None:
    assert said(edited(max=14), held=20) == ""


def test_what_is_reclaimed_for_waiting_pods_is_counted_and_no_other_quota_named() -> None:
    text = said(
        edited(min=8), own(6, 8, held=6, asked=8), other(6, 4, held=6), other(3, 3, 3, name="third")
    )
    assert text == (
        "The share of team grows from 6 to 8 device; up to 2 device may be reclaimed for its "
        "waiting pods from 1 other quota with 6 pods, within 5 s."
    )
    assert "other " in text
    assert "third" not in text


def test_beyond_the_guarantee_the_delay_of_a_fair_share_counts() -> None:
    text = said(edited(min=4), own(6, 8, held=6, asked=8), other(6, 4, held=6))
    assert text.endswith("from 1 other quota with 6 pods, within 2 min.")


def test_without_a_fair_share_only_the_guarantee_counts() -> None:
    unfair = replace_times(shares=False)
    text = said(edited(min=7), own(6, 8, held=6, asked=8), other(6, 4, held=6), times=unfair)
    assert "up to 1 device may be reclaimed" in text
    none = said(edited(min=4), own(6, 8, held=6, asked=8), other(6, 4, held=6), times=unfair)
    assert none == "The share of team grows from 6 to 8 device."


def replace_times(**changes: bool) -> Times:
    return USUAL._replace(**changes)


def test_a_larger_share_that_no_pod_waits_for_reclaims_nothing() -> None:
    text = said(edited(min=8), own(6, 8, held=6, asked=6), other(6, 4, held=6))
    assert text == "The share of team grows from 6 to 8 device."


def test_a_smaller_share_may_cost_pods_that_others_wait_for() -> None:
    text = said(edited(min=0), own(8, 4, held=8), other(4, 8, held=4, asked=6))
    assert text == (
        "The share of team falls from 8 to 4 device; up to 2 device may be reclaimed from its pods "
        "for others that wait, within 2 min."
    )


def test_a_smaller_share_that_no_pod_waits_for_costs_none() -> None:
    text = said(edited(min=0), own(8, 4, held=8), other(4, 8, held=4, asked=4))
    assert text == "The share of team falls from 8 to 4 device."


def test_paused_evictions_are_mentioned() -> None:
    text = said(edited(max=8), held=10, times=replace_times(paused=True))
    assert text.endswith("after 2 min; evictions are paused.")
