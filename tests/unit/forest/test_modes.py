"""Which trees only observe."""

import pytest

import forests
from elasticquota import names
from elasticquota.forest import quota_warnings
from elasticquota.forest.membership import NO_QUOTA, Membership
from elasticquota.forest.settings import SharingTerms
from elasticquota.model.fault import Fault
from elasticquota.structs import replace


OBSERVING = SharingTerms(observes=True, default_tree_observes=True)


def observed(line: str, chosen: SharingTerms | None = None) -> set[str]:
    forest = forests.forest(line, chosen or SharingTerms())
    return {name for name in forest.quotas if forest.observes(name)} - names.RESERVED_QUOTAS


def test_the_root_says_it_for_its_whole_tree() -> None:
    assert observed("pool root=blue observes; dept<pool; a<dept; b") == {"pool", "dept", "a"}


def test_below_the_root_no_quota_has_a_say() -> None:
    assert observed("pool root=blue; a<pool observes") == set()
    assert observed("pool root=blue observes; a<pool enforces") == {"pool", "a"}


def test_who_leaves_it_open_does_as_the_configuration_says() -> None:
    line = "pool root=blue; a<pool; red root=red enforces; b<red; c"
    assert observed(line) == set()
    assert observed(line, OBSERVING) == {"pool", "a", "c"}


def test_the_default_tree_may_have_a_mode_of_its_own() -> None:
    line = "pool root=blue; a<pool; c"
    assert observed(line, SharingTerms(default_tree_observes=True)) == {"c"}
    assert observed(line, SharingTerms(observes=True)) == {"pool", "a"}


def test_an_object_of_its_root_quota_has_more_to_say() -> None:
    assert observed(f"{names.ROOT_QUOTA} observes; c") == {"c"}
    assert observed(f"{names.ROOT_QUOTA} enforces; c", OBSERVING) == set()


def test_a_quota_outside_of_all_trees_does_as_the_one_that_it_claims() -> None:
    line = "pool root=blue observes; lost<ghost tree=blue; stray<ghost tree=red"
    assert observed(line) == {"pool", "lost"}
    assert observed(line, OBSERVING) == {"pool", "lost", "stray"}


def test_below_a_quota_of_a_tree_that_enforces_no_claim_of_another_tree_counts() -> None:
    trees = "blue root=blue observes; dept"
    assert observed(f"{trees}; sly<dept tree=blue; leaf<sly tree=blue") == {"blue"}
    assert observed("blue root=blue observes; sly<blue tree=red") == {"blue", "sly"}


def test_for_loops_and_second_roots_the_claim_counts() -> None:
    line = "blue root=blue observes; a<b tree=blue; b<a; second root=blue"
    assert observed(line) == {"blue", "a", "second"}


@pytest.mark.parametrize("chosen", [SharingTerms(), OBSERVING])
def test_for_nobodys_pods_the_configuration_decides(chosen: SharingTerms) -> None:
    assert forests.forest("a", chosen).observes(NO_QUOTA) is chosen.observes


def test_an_impossible_mode_is_reported_on_the_quota() -> None:
    forest = forests.forest("a")
    doubt = Fault("spec.tree.enforcement", "must be Enforce or Observe")
    quota = replace(forest.quotas["a"], warnings=(doubt,))
    members = Membership(forest)
    assert quota_warnings.of(quota, members, "") == (f"{doubt}. [EQ1001]",)
