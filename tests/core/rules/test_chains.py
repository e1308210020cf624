"""The order of the rules, and what one refusal contains."""

from dataclasses import replace

import changes
import forests
from elasticquota.rules import chains
from elasticquota.rules.change import Change


def codes(before: str, entry: str, stages: chains.Stages = chains.FOR_USERS) -> list[str]:
    found = chains.judge(changes.change(before, entry), forests.forest(before), stages)
    return [violation.code for violation in found]


def test_the_stages_are_shape_then_references_then_sums() -> None:
    order = [[rule.__module__.rpartition(".")[2] for rule in stage] for stage in chains.FOR_USERS]
    assert order == [
        ["bounds"],
        [
            "naming",
            "parentage",
            "tree_identity",
            "role",
            "resource_keys",
            "binding",
            "removal",
        ],
        ["min_sum", "in_use"],
    ]


def test_equal_keys_are_one_rule_more_among_the_references() -> None:
    added = [
        [rule.__name__ for rule in stage if rule not in usual]
        for usual, stage in zip(chains.FOR_USERS, chains.FOR_USERS_WITH_EQUAL_KEYS, strict=True)
    ]
    assert added == [[], ["check_equal"], []]


def test_one_stage_tells_all_its_faults() -> None:
    assert codes("a ns=one; b", "a<ghost ns=two") == ["EQ1102", "EQ1101"]


def test_a_broken_shape_hides_later_stages() -> None:
    assert codes("dept 5..", "a<ghost bad 50..") == ["EQ1001"]


def test_a_broken_reference_hides_the_sums() -> None:
    assert codes("dept 5.. parent", "a<dept 50.. tree=red") == ["EQ1107"]
    assert codes("dept 5.. parent", "a<dept 50..") == ["EQ1104"]


def test_the_controller_is_judged_by_shape_only() -> None:
    assert codes("a ns=one", "a<ghost ns=two", chains.FOR_THE_CONTROLLER) == []
    assert codes("a", "b<ghost bad", chains.FOR_THE_CONTROLLER) == ["EQ1001"]


def test_an_edit_without_meaning_passes_whatever_is_stored() -> None:
    stored = "dept 5.. leaf; a<dept 50.. bad tree=red"
    assert codes(stored, "a<dept 50.. bad tree=red") == []
    assert (
        chains.advise(changes.change(stored, "a<dept 50.. bad tree=red"), forests.forest(stored))
        == ()
    )


def test_metadata_of_a_reserved_quota_may_be_edited() -> None:
    stored = "koordinator-root-quota parent"
    change = changes.change("", stored)
    new = change.quota
    edit = Change(new, replace(new, generation=2, uid="other", created="later"))
    assert chains.judge(edit, forests.forest(stored)) == ()
    meaning = Change(new, replace(new, min={"cpu": 1}))
    assert [found.code for found in chains.judge(meaning, forests.forest(stored))] == ["EQ1110"]


def test_warnings_are_apart_from_refusals() -> None:
    change = changes.change("dept 5..10 parent", "a<dept 5..20")
    forest = forests.forest("dept 5..10 parent")
    assert chains.judge(change, forest) == ()
    assert [advice.code for advice in chains.advise(change, forest)] == ["EQ1105"]
