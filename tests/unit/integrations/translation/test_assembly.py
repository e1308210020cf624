"""A part is taken again where nothing that decides about it has changed, and only there."""

from collections.abc import Mapping

from elasticquota.integrations.translation import assembly
from elasticquota.integrations.translation.assembly import Assembly
from elasticquota.integrations.translation.translation import Draft
from elasticquota.model.quota import Quota


def draft(path: str, low: int = 0, high: int = 9, name: str = "", *bound: str) -> Draft:
    """``abc`` is c below b below a."""
    return Draft(
        tuple(path), "tree", path, "home", path, name, {"x": low}, {"x": high}, namespaces=bound
    )


def after(*edits: Draft) -> tuple[Assembly, Assembly, Assembly]:
    """Before, after, and from scratch; there are a, ab and abc, ad and ade."""
    found = {path: draft(path) for path in ("a", "ab", "abc", "ad", "ade")}
    before = assembly.build(found.values(), ())
    found |= {"".join(edit.path): edit for edit in edits}
    return (
        before,
        assembly.build(found.values(), (), before),
        assembly.build(found.values(), ()),
    )


def made_anew(*edits: Draft) -> list[str]:
    """The quotas that are others after edits, which come to what they come to from scratch."""
    before, edited, scratch = after(*edits)
    assert edited.translation == scratch.translation
    known: Mapping[int, Quota] = {id(quota): quota for quota in before.translation.quotas}
    return [quota.name for quota in edited.translation.quotas if id(quota) not in known]


def test_nothing_is_made_anew_when_all_is_the_same() -> None:
    assert made_anew() == []


def test_an_edit_makes_anew_the_quota_and_what_is_above_it() -> None:
    assert made_anew(draft("abc", 0, 8)) == ["a", "a-b", "a-b-c"]


def test_who_is_promised_less_is_made_anew_though_it_says_the_same() -> None:
    children = [draft("ab", 8), draft("ac", 8)]
    wide = assembly.build([draft("a", 0, 16), *children], ())
    tight = assembly.build([draft("a", 0, 8), *children], (), wide).translation
    assert [quota.min for quota in tight.quotas] == [{"x": 8}, {"x": 4}, {"x": 4}]


def test_whose_parent_has_another_name_is_made_anew() -> None:
    assert made_anew(draft("a", name="other")) == ["other", "a-b", "a-d"]


def test_a_name_that_clashes_changes_the_others_too() -> None:
    before, edited, scratch = after(draft("ade", name="a-b-c"))
    assert edited.translation == scratch.translation
    assert "a-b-c" in before.translation.origins
    assert "a-b-c" not in edited.translation.origins


def test_a_namespace_that_somebody_else_takes_goes_from_its_quota() -> None:
    one = [draft("a"), draft("ab"), draft("ac", 0, 9, "", "space")]
    before = assembly.build(one, ())
    both = [draft("a"), draft("ab", 0, 9, "", "space"), one[2]]
    found = assembly.build(both, (), before).translation
    assert [quota.namespaces for quota in found.quotas] == [(), ("space",), ()]
    assert [warning.text for warning in found.warnings] == [
        "'space' is bound by 'a/b'; not bound here"
    ]
