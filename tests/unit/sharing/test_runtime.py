"""Runtimes of whole trees: weights, resources, pods of parents; Koordinator's trees are vectors."""

import forests
from elasticquota import names, pool_keys
from elasticquota.forest import acceptance
from elasticquota.model.pools import Pool, Pools
from elasticquota.sharing.runtime import Runtimes
from elasticquota.structs import replace


def test_the_departments_of_the_proposal_share_27_and_53() -> None:
    line = (
        "ParentA 20..100; ParentB 80..100; A1<ParentA 10..10; A2<ParentA 10..10; "
        "B1<ParentB 20..40; B2<ParentB 40..70"
    )
    assert forests.runtimes(line, 100, A1=100, A2=100, B1=100, B2=100) == {
        "ParentA": 20, "ParentB": 80, "A1": 10, "A2": 10, "B1": 27, "B2": 53,
    }  # fmt: skip


def test_an_idle_guarantee_is_lent_and_comes_back_when_its_owner_asks() -> None:
    line = "a 50..100; b 50..100"
    assert forests.runtimes(line, 100, a=100) == {"a": 100, "b": 0}
    assert forests.runtimes(line, 100, a=100, b=20) == {"a": 80, "b": 20}
    assert forests.runtimes(line, 100, a=100, b=100) == {"a": 50, "b": 50}


def test_lending_off_keeps_an_idle_guarantee() -> None:
    assert forests.runtimes("a 50..100; b 50..100 keep", 100, a=100) == {"a": 50, "b": 50}


def test_what_external_pods_hold_is_offered_to_guarantees_only() -> None:
    tree, built = forests.default_tree("a 50..100; b ..100")
    found = forests.solved(tree, built, forests.devices(a=100, b=100), {forests.DEVICE: 20})
    for within_reach, share in ((60, 50), (30, 30), (10, 20)):
        found.set_capacity({forests.DEVICE: 20}, {forests.DEVICE: within_reach})
        found.settle()
        assert [found.runtime(name)[forests.DEVICE] for name in "ab"] == [share, 0]


def test_no_quota_gets_what_no_pod_requests() -> None:
    assert forests.runtimes("a 50..100; b", 100, a=7) == {"a": 7, "b": 0}


def test_guarantees_that_no_longer_fit_shrink_together() -> None:
    assert forests.runtimes("a 80..100; b 80..100", 100, a=100, b=100) == {"a": 50, "b": 50}


def test_a_feasible_guarantee_of_a_busy_child_is_kept_beside_an_idle_one() -> None:
    line = "p 100..1000; a<p 50..1000 w.gpu=1; b<p 50..1000"
    assert forests.runtimes(line, 1000, a=40) == {"p": 40, "a": 40, "b": 0}


def test_a_refused_quota_borrows_but_is_guaranteed_nothing() -> None:
    assert forests.runtimes("a 50..100 bad; b 50..100", 50, a=100, b=100) == {"a": 0, "b": 50}


def test_the_default_weight_is_max() -> None:
    assert forests.runtimes("a ..30; b ..60", 60, a=30, b=60) == {"a": 20, "b": 40}


def test_the_shared_weight_replaces_max() -> None:
    assert forests.runtimes("a ..30 w=3; b ..60 w=1", 20, a=30, b=60) == {"a": 15, "b": 5}


def test_a_weight_that_does_not_name_the_resource_takes_max() -> None:
    assert forests.runtimes("a ..30 w.gpu=9; b ..60", 60, a=30, b=60) == {"a": 20, "b": 40}


def test_a_weight_of_nothing_but_zeros_takes_max() -> None:
    assert forests.runtimes("a ..30 w=0; b ..60", 60, a=30, b=60) == {"a": 20, "b": 40}


def test_weight_zero_beside_others_gets_nothing_above_min() -> None:
    line = "a 5..30 w=0 w.gpu=1; b ..60"
    assert forests.runtimes(line, 100, a=30, b=60) == {"a": 5, "b": 60}


def test_weight_zero_gets_nothing_above_min_where_no_other_quota_asks() -> None:
    assert forests.runtimes("a 5..30 w=0 w.gpu=1; b ..60", 100, a=30) == {"a": 5, "b": 0}


def test_max_weighs_no_more_than_the_tree_has() -> None:
    line = f"a ..{2**63 - 1}; b ..20; c"
    assert forests.runtimes(line, 100, a=100, b=100, c=100) == {"a": 46, "b": 9, "c": 45}


def test_no_max_weighs_as_much_as_the_smallest_max_above() -> None:
    # Otherwise a new node, which the parent cannot use, would change the shares below it.
    line = "p ..10; a<p; b<p ..10"
    for total in (10, 20, 1000):
        assert forests.runtimes(line, total, a=10, b=10) == {"p": 10, "a": 5, "b": 5}


def test_the_smallest_max_above_weighs_wherever_it_stands_above() -> None:
    for line in ("p ..10; q<p ..90; a<q; b<q ..10", "p ..90; q<p ..10; a<q; b<q ..10"):
        assert forests.runtimes(line, 1000, a=10, b=10) == {"p": 10, "q": 10, "a": 5, "b": 5}


def test_own_pods_of_a_parent_weigh_as_much_as_the_smallest_max_above() -> None:
    tree, forest = forests.default_tree("p ..10; a<p ..10")
    found = forests.solved(tree, forest, forests.devices(p=10, a=10), {"device": 1000})
    assert (found.own_runtime("p"), found.runtime("a")) == ({"device": 5}, {"device": 5})


def test_a_key_missing_above_does_not_lift_the_limit_below() -> None:
    tree, forest = forests.default_tree("p ..100; a<p gpu=..8; b<p")
    own = {"a": {"gpu": 500}, "b": {"gpu": 4}}
    found = forests.solved(tree, forest, own, {"gpu": 10, "device": 5})
    assert found.runtime("a") == {"device": 0, "gpu": 6}
    assert found.runtime("b") == {"device": 0, "gpu": 4}


def test_every_quota_has_every_resource_that_a_user_names() -> None:
    tree, forest = forests.default_tree("a x=1..; b y=..1")
    found = forests.solved(tree, forest, {}, {"x": 5, "z": 9})
    assert all(set(found.runtime(name)) == {"x", "y"} for name in tree.order)
    assert found.runtime(names.ROOT_QUOTA) == {"x": 5, "y": 0}


def test_the_root_has_what_is_available_and_never_less_than_nothing() -> None:
    assert forests.runtimes("a 5..9", -3, a=9) == {"a": 0}


def test_pods_of_a_parent_share_with_its_children_like_one_more_child() -> None:
    tree, forest = forests.default_tree("p ..100; a<p ..100")
    found = forests.solved(tree, forest, forests.devices(p=10, a=10), {"device": 10})
    assert found.runtime("p") == {"device": 10}
    assert (found.own_runtime("p"), found.runtime("a")) == ({"device": 5}, {"device": 5})


def test_pods_of_a_parent_do_not_touch_the_guarantees_of_its_children() -> None:
    tree, forest = forests.default_tree("p 10..100; a<p 10..100")
    found = forests.solved(tree, forest, forests.devices(p=10, a=10), {"device": 10})
    assert (found.own_runtime("p"), found.runtime("a")) == ({"device": 0}, {"device": 10})


def test_own_runtime_is_all_of_it_for_a_childless_quota_and_none_for_an_idle_parent() -> None:
    tree, forest = forests.default_tree("p; a<p; e parent ..3")
    found = forests.solved(tree, forest, forests.devices(a=4, e=9), {"device": 10})
    assert found.own_runtime("a") == found.runtime("a") == {"device": 4}
    assert found.own_runtime("e") == {"device": 3}
    assert found.own_runtime("p") == {"device": 0}


def test_what_is_counted_by_pool_is_shared_as_a_whole_only_where_a_quota_bounds_the_whole() -> None:
    gpu, pools = "nvidia.com/gpu", Pools((Pool("a100", (("gpu", "a100"),)),))
    of_pool = pool_keys.key("a100", gpu)
    root, quota = forests.quotas("pool root=blue parent; a<pool")
    root = replace(root, pools=pools, max={"cpu": 4, gpu: 8, of_pool: 8})
    for bounds, shared in (({}, set()), ({gpu: 2}, {gpu})):
        built = acceptance.build([root, replace(quota, max=bounds)])
        found = Runtimes(built.trees["blue"], built).runtime("pool")
        assert found.keys() == {"cpu", of_pool} | shared
