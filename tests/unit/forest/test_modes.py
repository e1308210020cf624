"""Which trees only observe."""

import pytest

import forests
from elasticquota import names
from elasticquota.forest import quota_warnings
from elasticquota.forest.membership import NO_QUOTA, Membership
from elasticquota.forest.settings import SharingTerms
from elasticquota.model.fault import Fault
from elasticquota.structs import replace


USUAL = SharingTerms()
OBSERVING = SharingTerms(observes=True, default_tree_observes=True)
LINE = "pool root=blue; a<pool; red root=red enforces; b<red; c"
LOST = "pool root=blue observes; lost<ghost tree=blue; stray<ghost tree=red"
MODES: dict[str, tuple[str, SharingTerms, set[str]]] = {
    "the root says it for its whole tree": (
        "pool root=blue observes; dept<pool; a<dept; b",
        USUAL,
        {"pool", "dept", "a"},
    ),
    "no quota below says that it observes": ("pool root=blue; a<pool observes", USUAL, set()),
    "none says that it enforces": (
        "pool root=blue observes; a<pool enforces",
        USUAL,
        {"pool", "a"},
    ),
    "a root that leaves it open enforces": (LINE, USUAL, set()),
    "unless the configuration says otherwise": (LINE, OBSERVING, {"pool", "a", "c"}),
    "the default tree may observe alone": (LINE, SharingTerms(default_tree_observes=True), {"c"}),
    "or be the only one that enforces": (LINE, SharingTerms(observes=True), {"pool", "a"}),
    "its root may say that it observes": (f"{names.ROOT_QUOTA} observes; c", USUAL, {"c"}),
    "or enforces": (f"{names.ROOT_QUOTA} enforces; c", OBSERVING, set()),
    "outside of all trees the claimed one counts": (LOST, USUAL, {"pool", "lost"}),
    "and for an unknown one the configuration": (LOST, OBSERVING, {"pool", "lost", "stray"}),
    "below a tree that enforces no claim of another counts": (
        "blue root=blue observes; dept; sly<dept tree=blue; leaf<sly tree=blue",
        USUAL,
        {"blue"},
    ),
    "nor below one that observes": (
        "blue root=blue observes; sly<blue tree=red",
        USUAL,
        {"blue", "sly"},
    ),
    "for loops and second roots the claim counts": (
        "blue root=blue observes; a<b tree=blue; b<a; second root=blue",
        USUAL,
        {"blue", "a", "second"},
    ),
}


@pytest.mark.parametrize(("line", "chosen", "observing"), MODES.values(), ids=MODES)
def test_the_root_of_a_tree_and_the_configuration_say_which_quotas_observe(
    line: str, chosen: SharingTerms, observing: set[str]
) -> None:
    forest = forests.forest(line, chosen)
    found = {name for name in forest.quotas if forest.observes(name)}
    assert found - names.RESERVED_QUOTAS == observing


@pytest.mark.parametrize("chosen", [SharingTerms(), OBSERVING])
def test_for_nobodys_pods_the_configuration_decides(chosen: SharingTerms) -> None:
    assert forests.forest("a", chosen).observes(NO_QUOTA) is chosen.observes


def test_an_impossible_mode_is_reported_on_the_quota() -> None:
    forest = forests.forest("a")
    doubt = Fault("spec.tree.enforcement", "must be Enforce or Observe")
    quota = replace(forest.quotas["a"], warnings=(doubt,))
    members = Membership(forest)
    assert quota_warnings.of(quota, members, "") == (f"{doubt}. [EQ1001]",)
