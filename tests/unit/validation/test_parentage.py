"""EQ1101: where a quota may stand."""

import pytest

import changes
import forests
from elasticquota.validation import parentage


PARENT = "metadata.labels[quota.scheduling.koordinator.sh/parent]"

REFUSED: dict[str, tuple[str, str, str]] = {
    "an unknown parent": (
        "a",
        "b<ghost",
        "there is no quota 'ghost'. Create it, or correct the name.",
    ),
    "itself": (
        "a",
        "b<b",
        "'b' is the quota itself, but a parent must be another quota. "
        "Name another parent, or leave it out for the root.",
    ),
    "a leaf": (
        "a",
        "b<a",
        "'a' is not a parent quota. Name another parent, or set spec.isParent of 'a' to true.",
    ),
    "the default quota": (
        "a",
        "b<koordinator-default-quota",
        "'koordinator-default-quota' is not a parent quota. Name another parent.",
    ),
    "a descendant": (
        "a; b<a; c<b parent",
        "a<c parent",
        "the parents must not form a cycle, but a -> c -> b -> a. "
        "Name a parent that is not below this quota.",
    ),
}


@pytest.mark.parametrize(("before", "entry", "sentence"), REFUSED.values(), ids=REFUSED)
def test_a_parent_that_cannot_be_one_is_refused(before: str, entry: str, sentence: str) -> None:
    assert changes.lines(parentage.check, before, entry) == [f"{PARENT}: {sentence} [EQ1101]"]


def test_only_a_parent_that_is_missing_has_a_level_of_its_own() -> None:
    def rules(before: str, entry: str) -> list[str]:
        change = changes.change(before, entry)
        return [each.rule for each in parentage.check(change, forests.forest(before))]

    assert rules("a", "b<ghost") == ["EQ1101-missing"]
    assert rules("a", "b<b") == rules("a", "b<a") == ["EQ1101"]


@pytest.mark.parametrize(
    ("before", "entry"),
    [
        pytest.param("dept parent", "a<dept", id="a parent quota"),
        pytest.param("dept parent", "a", id="the root"),
        pytest.param("a; b<a", "b", id="a move to the root"),
        pytest.param("a<ghost", "a<ghost 5..", id="an old fault that the edit leaves alone"),
        pytest.param("a<a", "a<a 5..", id="an old cycle that the edit leaves alone"),
        pytest.param("dept parent; a<b; b<a", "a<dept parent", id="a move out of an old cycle"),
        pytest.param("a<a parent", "b<a", id="below an old cycle, which the controller reports"),
    ],
)
def test_the_rest_passes(before: str, entry: str) -> None:
    assert changes.lines(parentage.check, before, entry) == []


def chain(name: str, length: int) -> str:
    return "; ".join(
        f"{name}{n}<{name}{n - 1} parent" if n else f"{name}0 parent" for n in range(length)
    )


def test_a_quota_that_moves_takes_its_levels_along() -> None:
    both = f"{chain('a', 20)}; {chain('b', 20)}"
    assert changes.lines(parentage.check, both, "b0<a11 parent") == []
    assert changes.lines(parentage.check, both, "b0<a12 parent") == [
        f"{PARENT}: the tree would be 33 levels deep, and must not be deeper than 32. "
        "Name a parent that is closer to the root. [EQ1101]"
    ]
