"""Limits are changed as little as our rules require, and each change is reported."""

from elasticquota import resources
from elasticquota.integrations.translation import assembly
from elasticquota.integrations.translation.translation import Draft, Path
from elasticquota.resources import Resources


def fitted(*drafts: Draft) -> tuple[dict[Path, tuple[Resources, Resources]], list[str]]:
    made = assembly.build(drafts, ())
    found: dict[Path, tuple[Resources, Resources]] = {
        tuple(made.origins[quota.name]): (quota.min, quota.max) for quota in made.quotas
    }
    return found, [f"{warning.where}: {warning.text}" for warning in made.warnings]


def draft(path: str, low: Resources | None = None, high: Resources | None = None) -> Draft:
    return Draft(tuple(path), "", path, "", path, min=low or {}, max=high or {})


def test_what_fits_stays_as_it_is() -> None:
    found, said = fitted(draft("a", {"x": 5}, {"x": 9}), draft("ab", {"x": 5}, {"x": 9}))
    assert found == {("a",): ({"x": 5}, {"x": 9}), ("a", "b"): ({"x": 5}, {"x": 9})}
    assert said == []


def test_a_parent_is_raised_to_what_its_children_are_promised_also_over_levels() -> None:
    found, said = fitted(draft("a"), draft("ab"), draft("abc", {"x": 3}), draft("abd", {"x": 4}))
    assert found["a",] == ({"x": 7}, {})
    assert found["a", "b"] == ({"x": 7}, {})
    assert said == [
        "a.min.x: raised from 0 to 7, the sum of the min of its children",
        "ab.min.x: raised from 0 to 7, the sum of the min of its children",
    ]


def test_what_a_parents_max_does_not_allow_is_taken_from_its_children_in_proportion() -> None:
    found, said = fitted(
        draft("a", {"x": 8}, {"x": 10}), draft("ab", {"x": 12}), draft("ac", {"x": 8})
    )
    assert [found[path][0] for path in sorted(found)] == [{"x": 10}, {"x": 6}, {"x": 4}]
    assert said[1:] == [
        "ab.min.x: lowered from 12 to 6, because what is above it promises no more",
        "ac.min.x: lowered from 8 to 4, because what is above it promises no more",
    ]


def test_a_min_that_max_does_not_name_is_unlimited_there() -> None:
    found, said = fitted(draft("a", {"x": 1}, {"cpu": 1000}))
    assert found["a",] == ({"x": 1}, {"cpu": 1000, "x": resources.unlimited("x")})
    assert said == [
        "a.max: leaves x unlimited; named here with the number that stands for no limit"
    ]


def test_a_parent_names_what_its_children_limit() -> None:
    found, _ = fitted(draft("a", None, {"x": 1}), draft("ab", None, {"cpu": 5}))
    assert found["a",][1] == {"x": 1, "cpu": resources.unlimited("cpu")}
    assert found["a", "b"][1] == {"cpu": 5}


def test_amounts_beyond_all_quantities_are_cut() -> None:
    found, said = fitted(draft("a", None, {"x": 10**60}))
    assert found["a",][1] == {"x": 2**63 - 1}
    assert said == ["a.max.x: is more than a quantity holds; cut to 9223372036854775807"]


def test_a_sum_beyond_all_quantities_is_taken_from_the_children() -> None:
    largest = 2**63 - 1
    found, _ = fitted(draft("a"), draft("ab", {"x": largest}), draft("ac", {"x": largest}))
    assert found["a",][0] == {"x": largest}
    assert found["a", "b"][0] == found["a", "c"][0] == {"x": largest // 2}
