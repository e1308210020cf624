"""A tree that guarantees use: what runs is never reclaimed, and nothing is lent (semantics 4)."""

import forests
from elasticquota import names
from elasticquota.forest import acceptance
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.sharing.runtime import Runtimes
from elasticquota.structs import replace


ROOT = Quota(Key("ns", names.ROOT_QUOTA), "", "", is_parent=True, guarantee_usage=True)


def tree(line: str, total: int, **used: int) -> Runtimes:
    """The default tree of a line, in which every quota uses all that it requests."""
    forest = acceptance.build([ROOT, *forests.quotas(line)])
    found = Runtimes(forest.trees[names.DEFAULT_TREE], forest)
    for name, amounts in forests.devices(**used).items():
        found.set_request(name, amounts)
        found.set_usage(name, amounts)
    found.set_capacity({forests.DEVICE: total})
    found.settle()
    return found


def test_what_runs_stays_guaranteed_when_its_lender_comes_back() -> None:
    found = tree("a 50..100; b 50..100", 100, a=80)
    found.set_request("b", {forests.DEVICE: 50})
    found.settle()
    assert found.runtime("a") == {"device": 62}
    assert forests.runtimes("a 50..100; b 50..100", 100, a=80, b=50)["a"] == 50


def test_an_idle_guarantee_is_not_lent() -> None:
    assert tree("a 50..100; b 50..100", 100, a=20).runtime("b") == {"device": 50}


def test_guarantees_go_up_from_the_children_to_their_parent() -> None:
    found = tree("p 20..100; a<p 10..40; b<p 5..40", 100, a=15)
    assert (found.allocated("a"), found.guaranteed("a")) == ({"device": 15}, {"device": 15})
    assert (found.allocated("p"), found.guaranteed("p")) == ({"device": 20}, {"device": 20})
    found.set_usage("a", {forests.DEVICE: 30})
    assert (found.allocated("p"), found.guaranteed("p")) == ({"device": 35}, {"device": 35})


def test_what_no_longer_runs_is_no_longer_guaranteed() -> None:
    found = tree("a 5..100; b ..100", 100, a=20, b=7)
    found.set_usage("a", {})
    found.set_usage("b", {forests.DEVICE: 0})
    assert (found.allocated("a"), found.guaranteed("a")) == ({}, {"device": 5})
    assert (found.allocated("b"), found.guaranteed("b")) == ({}, {})


def test_who_never_used_anything_is_guaranteed_its_min() -> None:
    found = tree("a 5..100; b ..100", 100)
    assert (found.allocated("a"), found.guaranteed("a")) == ({}, {"device": 5})
    assert (found.allocated("b"), found.guaranteed("b")) == ({}, {})


def test_pods_of_a_parent_itself_are_guaranteed_too() -> None:
    assert tree("p 5..100; a<p 2..40", 100, p=7, a=1).guaranteed("p") == {"device": 9}


def test_the_option_of_one_root_does_not_touch_other_trees() -> None:
    line = "r root=blue; a<r 5..9; b 5..9"
    quotas = [replace(q, guarantee_usage=q.name == "r") for q in forests.quotas(line)]
    forest = acceptance.build(quotas)
    assert {name: tree.guarantees_use for name, tree in forest.trees.items()} == {
        "": False,
        "blue": True,
    }


def test_turning_the_option_off_takes_the_guarantee_back() -> None:
    forest = acceptance.build([ROOT, *forests.quotas("a 10..100; b 10..100")])
    found = Runtimes(forest.trees[names.DEFAULT_TREE], forest)
    found.set_capacity({forests.DEVICE: 40})
    for name in ("a", "b"):
        found.set_request(name, {forests.DEVICE: 40})
    found.set_usage("a", {forests.DEVICE: 30})
    found.settle()
    assert (found.runtime("a"), found.runtime("b")) == ({"device": 30}, {"device": 10})
    lending = acceptance.build(forests.quotas("a 10..100; b 10..100"))
    found.arrange(lending.trees[names.DEFAULT_TREE], lending)
    found.settle()
    assert (found.runtime("a"), found.runtime("b")) == ({"device": 20}, {"device": 20})
