"""Names, namespaces and shares of the min are decided with a view of all drafts."""

from elasticquota.integrations.translation import assembly
from elasticquota.integrations.translation.translation import Draft, Translation


def draft(path: str, low: int = 0, high: int = 9, name: str = "", *bound: str) -> Draft:
    """``abc`` is c below b below a."""
    return Draft(
        tuple(path), "tree", path, "home", path, name, {"x": low}, {"x": high}, namespaces=bound
    )


def made(*edits: Draft) -> Translation:
    """There are a, ab, abc, ad and ade, perhaps edited."""
    found = {path: draft(path) for path in ("a", "ab", "abc", "ad", "ade")}
    found |= {"".join(edit.path): edit for edit in edits}
    return assembly.build(found.values(), ())


def test_parents_come_before_their_children_and_siblings_by_name() -> None:
    assert [quota.name for quota in made().quotas] == ["a", "a-b", "a-d", "a-b-c", "a-d-e"]


def test_the_order_of_drafts_does_not_matter() -> None:
    drafts = [draft("abc"), draft("a"), draft("ad"), draft("ade"), draft("ab")]
    assert assembly.build(drafts, ()) == made()


def test_children_of_a_parent_with_a_small_max_share_it() -> None:
    children = [draft("ab", 8), draft("ac", 8)]
    wide = assembly.build([draft("a", 0, 16), *children], ())
    tight = assembly.build([draft("a", 0, 8), *children], ())
    assert [quota.min for quota in wide.quotas] == [{"x": 16}, {"x": 8}, {"x": 8}]
    assert [quota.min for quota in tight.quotas] == [{"x": 8}, {"x": 4}, {"x": 4}]


def test_children_hang_below_the_name_of_their_parent() -> None:
    parents = {quota.name: quota.parent for quota in made(draft("a", name="other")).quotas}
    assert (parents["a-b"], parents["a-d"], parents["a-b-c"]) == ("other", "other", "a-b")


def test_a_name_that_clashes_changes_the_others_too() -> None:
    assert "a-b-c" in made().origins
    assert "a-b-c" not in made(draft("ade", name="a-b-c")).origins


def test_a_namespace_that_an_earlier_path_takes_leaves_its_quota() -> None:
    one = [draft("a"), draft("ab"), draft("ac", 0, 9, "", "space")]
    assert [quota.namespaces for quota in assembly.build(one, ()).quotas] == [(), (), ("space",)]
    both = [draft("a"), draft("ab", 0, 9, "", "space"), one[2]]
    found = assembly.build(both, ())
    assert [quota.namespaces for quota in found.quotas] == [(), ("space",), ()]
    assert [warning.text for warning in found.warnings] == [
        "'space' is bound by 'a/b'; not bound here"
    ]


def test_a_draft_that_covers_its_children_has_at_least_their_sum() -> None:
    top = draft("a", 1, 5)._replace(covers_children=True)
    found = assembly.build([top, draft("ab", 4), draft("ac", 3)], ())
    assert (found.quotas[0].min, found.quotas[0].max) == ({"x": 7}, {"x": 7})
    assert [warning.line for warning in found.warnings] == [
        "tree: a.max.x: raised from 5 to 7, the sum of the min of its children",
        "tree: a.min.x: raised from 1 to 7, the sum of the min of its children",
    ]
