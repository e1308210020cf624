"""EQ1112: a max below what is used is a warning, and refused for strict resources."""

import pytest

import changes
import forests
from elasticquota.validation import in_use


USED = {"device": 6}


def refused(before: str, entry: str, used: dict[str, int] = USED) -> list[str]:
    return _lines("EQ1112-strict", before, entry, used)


def told(before: str, entry: str, used: dict[str, int] = USED) -> list[str]:
    return _lines("EQ1112", before, entry, used)


def _lines(rule: str, before: str, entry: str, used: dict[str, int]) -> list[str]:
    found = in_use.check(changes.change(before, entry, used=used), forests.forest(before))
    return [violation.line for violation in found if violation.rule == rule]


def test_a_strict_max_below_what_is_used_is_refused() -> None:
    assert refused("a ..9 strict=device", "a ..4 strict=device") == [
        "spec.max.device: 4 must be greater than or equal to what is used, which is 6 now. "
        "Wait until less is used, or take 'device' out of metadata.annotations["
        "quota.scheduling.koordinator.sh/max-strict-check-resource-keys]. [EQ1112]"
    ]


def test_a_strict_resource_stays_in_max_while_it_is_used() -> None:
    (line,) = refused("a ..9 gpu=..1 strict=device", "a gpu=..1 strict=device")
    assert line.startswith(
        "spec.max.device: must be given as long as the resource is used, which is 6 now. "
    )
    assert refused("a ..9 gpu=..1 strict=device", "a gpu=..1 strict=device", {"device": 0}) == []


def test_a_resource_becomes_strict_only_within_its_max() -> None:
    assert len(refused("a ..4", "a ..4 strict=device")) == 1
    assert refused("a ..6", "a ..6 strict=device") == []


def test_a_stored_quota_that_was_never_judged_is_judged_like_a_creation() -> None:
    assert len(refused("", "a ..4 strict=device")) == 1


@pytest.mark.parametrize(
    ("stored", "entry"),
    [
        pytest.param("a ..9 strict=device", "a ..6 strict=device", id="down to what is used"),
        pytest.param("a ..3 strict=device", "a ..4 strict=device", id="on its way up"),
        pytest.param("a ..3 strict=device", "a 1..3 strict=device", id="an edit of min"),
        pytest.param("a gpu=..1 strict=device", "a gpu=..2 strict=device", id="never in max"),
        pytest.param("a ..9 strict=gpu", "a ..4 strict=gpu", id="another resource is strict"),
        pytest.param("a ..9 strict=device", "a ..4", id="no longer strict"),
    ],
)
def test_the_rest_is_not_refused(stored: str, entry: str) -> None:
    assert refused(stored, entry) == []


def test_another_max_below_what_is_used_is_reported() -> None:
    assert told("a ..9", "a ..4") == [
        "spec.max.device: 4 is below 6, which is used now; 2 may be reclaimed from running "
        "pods. [EQ1112]"
    ]


def test_what_is_refused_needs_no_warning_and_no_limit_reclaims_nothing() -> None:
    assert told("a ..9 strict=device", "a ..4 strict=device") == []
    assert told("a ..9 gpu=..1", "a gpu=..1") == []
    assert told("a ..9", "a ..6") == []
