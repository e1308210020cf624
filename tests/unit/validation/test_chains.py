"""The order of the rules, and what one refusal contains."""

import tomllib
from pathlib import Path

import changes
import forests
from elasticquota.structs import replace
from elasticquota.validation import chains, resize
from elasticquota.validation.change import Change
from elasticquota.validation.severity import Findings


PROJECT = Path(__file__).parents[3] / "pyproject.toml"


def codes(before: str, entry: str, stages: chains.Stages = chains.FOR_USERS) -> list[str]:
    return [violation.code for violation in judge(before, entry, stages).refused]


def judge(before: str, entry: str, stages: chains.Stages = chains.FOR_USERS) -> Findings:
    return chains.judge(changes.change(before, entry), forests.forest(before), stages=stages)


def test_the_stages_are_shape_then_references_then_sums() -> None:
    order = [[rule.__module__.rpartition(".")[2] for rule in stage] for stage in chains.FOR_USERS]
    assert order == [
        ["object_size", "own_fields", "equal_keys"],
        [
            "naming",
            "parentage",
            "child_namespaces",
            "tree_identity",
            "role",
            "parent_keys",
            "parent_keys",
            "resource_keys",
            "resource_keys",
            "pool_bounds",
            "bound_namespaces",
            "bound_namespaces",
            "removal",
        ],
        ["min_sum", "guaranteed_use", "ceiling", "in_use"],
    ]


def test_every_family_of_rules_is_in_a_chain() -> None:
    asked = {
        rule.__module__.rpartition(".")[2]
        for rule in (
            *(rule for stage in chains.FOR_USERS for rule in stage),
            *chains.FOR_PODS,
            *chains.FOR_PROFILES,
            resize.check,
        )
        if rule.__module__.startswith("elasticquota.validation.")
    }
    contracts = tomllib.loads(PROJECT.read_text())["tool"]["importlinter"]["contracts"]
    (families,) = (each["modules"] for each in contracts if "rule families" in each["name"])
    assert asked == {name.rpartition(".")[2] for name in families}


def test_one_stage_tells_all_its_faults() -> None:
    assert codes("a ns=one; b", "a<b ns=two") == ["EQ1102", "EQ1101"]


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
    assert judge(stored, "a<dept 50.. bad tree=red") == Findings()


def test_metadata_of_a_reserved_quota_may_be_edited() -> None:
    stored = "koordinator-root-quota parent"
    change = changes.change("", stored)
    new = change.quota
    edit = Change(new, replace(new, generation=2, uid="other", created="later"))
    assert chains.judge(edit, forests.forest(stored)) == Findings()
    meaning = chains.judge(Change(new, replace(new, min={"cpu": 1})), forests.forest(stored))
    assert [found.code for found in meaning.refused] == ["EQ1110"]


def test_warnings_of_all_stages_are_reported_when_nothing_refuses() -> None:
    found = judge("dept 5..10 parent", "a<dept 5..20 doubt ns=a")
    assert found.refused == ()
    assert [warning.rule for warning in found.warned] == ["EQ1001-switch", "EQ1105"]


def test_a_refusal_hides_the_warnings() -> None:
    found = judge("dept 5..10 parent", "a<dept 6..20 doubt")
    assert [violation.rule for violation in found.refused] == ["EQ1104"]
    assert found.warned == ()
