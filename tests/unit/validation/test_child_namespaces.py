"""EQ1113: a quota is below another by permission, or where the list of the parent has it."""

import pytest

import changes
import forests
from elasticquota import names
from elasticquota.forest.settings import SharingTerms
from elasticquota.model.key import Key
from elasticquota.structs import replace
from elasticquota.validation import child_namespaces


PARENT = f"metadata.labels[{names.PARENT}]"
LIST = "spec.access.children"


def lines(before: str, entry: str, **facts: object) -> list[str]:
    return changes.lines(child_namespaces.check, before, entry, **facts)


@pytest.mark.parametrize("parent", ["dept parent adopts=x,y", "dept parent adopts="])
def test_where_no_permission_was_read_a_list_refuses_the_namespaces_that_it_leaves_out(
    parent: str,
) -> None:
    assert lines(parent, "a<dept ns=other") == [
        f"{PARENT}: you may not create quotas below 'dept'. Ask for the verb 'add-child' on "
        "elasticquotas 'dept' in a ClusterRole, or to have namespace 'other' added to "
        f"{LIST} of 'dept'. [EQ1113]"
    ]


@pytest.mark.parametrize(
    ("before", "entry"),
    [
        pytest.param("dept parent", "a<dept ns=x", id="without a list"),
        pytest.param("dept parent adopts=x", "a<dept ns=x", id="a listed namespace"),
        pytest.param("dept parent adopts=*", "a<dept ns=x", id="all namespaces"),
        pytest.param("dept parent adopts=", "a<dept", id="the parent's own namespace"),
        pytest.param("dept adopts=; a<dept ns=x", "a<dept 5.. ns=x", id="who is there already"),
        pytest.param("", "a<ghost ns=x", id="a parent that another rule refuses"),
    ],
)
def test_the_rest_passes(before: str, entry: str) -> None:
    assert lines(before, entry) == []


def test_a_move_needs_the_consent_of_the_new_parent() -> None:
    assert lines("dept parent adopts=; a ns=x", "a<dept ns=x") != []
    assert lines("dept parent adopts=; a<dept ns=x", "a ns=x") == []


def test_who_loses_the_consent_is_named() -> None:
    before = "dept adopts=x,y; a<dept ns=x; b<dept ns=y; c<dept"
    assert lines(before, "dept parent adopts=y") == [
        f"{LIST}: leaves out namespaces of children, which lose their guarantee: x/a. Add the "
        "namespaces, or have these quotas deleted or moved. [EQ1113]"
    ]
    assert lines(before, "dept parent adopts=x,y,z") == []
    assert lines(before, "dept parent") == []


def test_who_had_no_consent_before_does_not_lose_any() -> None:
    assert lines("dept adopts=; a<dept ns=x", "dept parent adopts=y") == []


def test_the_default_root_asks_for_consent_where_the_configuration_says_whose() -> None:
    forest = forests.forest("", SharingTerms(default_tree_takes=("x",)))
    asked = changes.change("", "a ns=y", permitted=frozenset())
    assert not [*child_namespaces.check(changes.change("", "a ns=x"), forest)]
    assert not [*child_namespaces.check(changes.change("", "a ns=y"), forest)]
    (found,) = child_namespaces.check(asked, forest)
    assert found.line == (
        f"{PARENT}: you may not create quotas below 'koordinator-root-quota'. Ask for the verb "
        "'add-child' on elasticquotas 'koordinator-root-quota' in a ClusterRole, or to have "
        "namespace 'y' added to defaultTree.childNamespaces of the configuration. [EQ1113]"
    )


def test_roots_of_trees_and_reserved_quotas_need_none() -> None:
    nobody = SharingTerms(default_tree_takes=())
    line = f"blue root=blue parent ns=x; {names.DEFAULT_QUOTA} ns=x; a<blue ns=x"
    assert set(forests.forest(line, nobody).verdicts.values()) == set(
        forests.forest("a").verdicts.values()
    )


def test_what_was_stored_without_consent_stands_but_is_not_accepted() -> None:
    forest = forests.forest("dept 9.. adopts=x; a<dept 5.. ns=y; b<dept 9.. ns=x")
    verdict = forest.verdicts[Key("y", "a")]
    assert (verdict.reason, verdict.message) == (
        "ParentRefuses",
        "parent 'dept' accepts no quotas from namespace 'y'. Ask for the verb 'add-child' on "
        "elasticquotas 'dept' in a ClusterRole, or to have namespace 'y' added to "
        f"{LIST} of 'dept'. [EQ1113]",
    )
    assert "a" in forest.tree_of
    assert forest.effective_min("a") == {}
    assert forest.accepted("b")


def asked(before: str, entry: str, **facts: object) -> tuple[str, ...]:
    return child_namespaces.asks(changes.change(before, entry, **facts), forests.forest(before))


def test_whether_the_user_may_is_asked_where_no_list_says_it() -> None:
    assert asked("dept parent", "a<dept ns=x") == ("dept",)
    assert asked("dept parent adopts=y", "a<dept ns=x") == ("dept",)
    assert asked("dept parent adopts=x", "a<dept ns=x") == ()
    assert asked("dept parent", "a<dept") == ()
    assert asked("dept; a<dept ns=x", "a<dept 5.. ns=x") == ()


def test_who_waits_for_a_parent_has_the_permission_on_all_parents() -> None:
    """A tenant could wait there for one that gives it room."""
    assert asked("a", "b<later ns=x") == ("*",)
    assert asked("a", "b<later") == ("*",)
    assert asked("a; b<later ns=x", "b<later 5.. ns=x") == ()
    assert asked("a; b<later ns=x", "b<a ns=x") == ("a",)
    assert asked("a", "b<b ns=x") == ()
    early = "b<later ns=x"
    assert lines("a", early, permitted=frozenset({"*"})) == []
    assert lines("a", early, permitted=frozenset({"later"})) == [
        f"{PARENT}: there is no quota 'later', and you may not create quotas that wait for their "
        "place. Create it first, correct the name, or ask for the verb 'add-child' on all "
        "elasticquotas in a ClusterRole. [EQ1113]"
    ]


def test_below_a_parent_that_waits_itself_no_list_is_enough() -> None:
    """The pods that run in the namespace would leave the max of the default quota."""
    for before in ("w<later parent adopts=x", "w<later parent ns=x", "w<v parent adopts=*; v<w"):
        assert asked(before, "b<w ns=x binds=x") == ("*",)
        assert lines(before, "b<w ns=x binds=x", permitted=frozenset()) == [
            f"{PARENT}: 'w' is in no tree, and you may not create quotas that wait for their "
            "place. Have it placed first, or ask for the verb 'add-child' on all elasticquotas in "
            "a ClusterRole. [EQ1113]"
        ]
    assert asked("w<later adopts=x leaf", "b<w ns=x") == ()


def test_a_quota_that_waits_and_binds_a_namespace_is_removed_by_permission_too() -> None:
    """Its pods would leave the max that they are to get."""
    before = "a; b<later ns=x binds=x"
    for entry in ("b<a ns=x binds=x", "b<later ns=x"):
        assert "later" in asked(before, entry)
    gone = child_namespaces.asks(changes.removal(before, "b"), forests.forest(before))
    assert gone == ("later",)


def test_the_permission_on_all_parents_is_that_on_each() -> None:
    assert lines("dept parent", "a<dept ns=x", permitted=frozenset({"*"})) == []


def test_a_refusal_names_the_verb_to_ask_for() -> None:
    rule = child_namespaces.check
    before, entry = "dept parent", "a<dept ns=other"
    assert changes.lines(rule, before, entry, permitted=frozenset({"dept"})) == []
    assert changes.lines(rule, before, entry, permitted=frozenset()) == [
        f"{PARENT}: you may not create quotas below 'dept'. Ask for the verb 'add-child' on "
        "elasticquotas 'dept' in a ClusterRole, or to have namespace 'other' added to "
        f"{LIST} of 'dept'. [EQ1113]"
    ]


def test_who_may_not_place_a_quota_removes_none_that_binds_a_namespace() -> None:
    before = "dept parent; a<dept ns=x binds=x; free<dept ns=x"
    gone = changes.removal(before, "a", permitted=frozenset())
    forest = forests.forest(before)
    assert child_namespaces.asks(gone, forest) == ("dept",)
    (found,) = child_namespaces.check(gone, forest)
    assert "whose pods would leave 'dept'" in found.line
    assert asked(before, "a<dept ns=x") == ("dept",), "it unbinds"
    assert asked(before, "a ns=x binds=x") == ("dept",), "it moves away"
    assert asked(before, "a<dept 5.. ns=x binds=x") == ()
    for name, facts in (("free", {}), ("a", {"namespace_leaves": True})):
        change = changes.removal(before, name, permitted=frozenset(), **facts)
        assert child_namespaces.asks(change, forest) == ()


def test_the_mark_of_a_permission_is_asked_for_and_counts_for_the_parent_that_it_names() -> None:
    made = changes.change("dept parent adopts=", "a<dept ns=x")
    marked = replace(made, new=replace(made.quota, placed_below="dept"))
    forest = forests.forest("dept parent adopts=")
    assert child_namespaces.asks(marked, forest) == ("dept",)
    assert forest.quotas["dept"].takes_child(marked.quota)
    elsewhere = replace(made, new=replace(made.quota, placed_below="other"))
    assert child_namespaces.asks(elsewhere, forest) == ("dept", "other")
    assert not forest.quotas["dept"].takes_child(elsewhere.quota)


def test_a_permitted_quota_without_its_mark_is_refused_as_the_controller_would_not_count_it() -> (
    None
):
    permitted = frozenset({"dept"})

    def refused(before: str, entry: str) -> bool:
        return bool(changes.lines(child_namespaces.check, before, entry, permitted=permitted))

    assert refused("dept parent adopts=", "a<dept ns=x")
    assert refused("dept parent adopts=; a ns=x", "a<dept ns=x")
    assert not refused("dept parent adopts=; a<dept ns=x", "a<dept 5.. ns=x"), "it does not move"
    made = changes.change("dept parent adopts=", "a<dept ns=x", permitted=permitted)
    marked = replace(made, new=replace(made.quota, placed_below="dept"))
    assert not [*child_namespaces.check(marked, forests.forest("dept parent adopts="))]
