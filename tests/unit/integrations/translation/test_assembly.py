"""Names, namespaces and shares of the min are decided with a view of all drafts."""

from elasticquota.integrations.translation import assembly
from elasticquota.integrations.translation.translation import Draft, Translation


def draft(path: str, name: str = "") -> Draft:
    """``abc`` is c below b below a."""
    return Draft(tuple(path), "tree", path, "home", path, name, {"x": 0}, {"x": 9})


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


def test_children_hang_below_the_name_of_their_parent() -> None:
    parents = {quota.name: quota.parent for quota in made(draft("a", name="other")).quotas}
    assert (parents["a-b"], parents["a-d"], parents["a-b-c"]) == ("other", "other", "a-b")


def test_a_name_that_clashes_changes_the_others_too() -> None:
    assert "a-b-c" in made().origins
    assert "a-b-c" not in made(draft("ade", name="a-b-c")).origins
