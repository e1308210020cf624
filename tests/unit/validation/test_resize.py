"""PD1305: a pod grows as far as the runtimes on its path have room."""

import pytest

import forests
from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Figures
from elasticquota.structs import replace
from elasticquota.validation import resize


POOL = "pool 100.. root=blue; dept<pool 20..60; a<dept 5..40; b<dept 5..; c<pool 10.."


def published(line: str, total: int, **own: int) -> dict[str, Figures]:
    """What the controller would say while the own pods of quotas ask for ``own`` and have it."""
    forest = forests.forest(line)
    found = {}
    for tree in forest.trees.values():
        mine = {name: {forests.DEVICE: own[name]} for name in tree.order if name in own}
        solved = forests.solved(tree, forest, mine, {forests.DEVICE: total})
        for name in tree.order:
            below = [name, *forest.descendants(name)]
            admitted = {forests.DEVICE: sum(own.get(each, 0) for each in below)}
            found[name] = Figures(admitted, solved.request(name), solved.runtime(name), admitted)
    del found[names.ROOT_QUOTA]  # it has no object
    return found


def lines(asked: int, line: str = POOL, total: int = 100, **own: int) -> list[str]:
    """The answer to a pod of the quota a."""
    figures = published(line, total, **own)
    found = resize.check({forests.DEVICE: asked}, "a", forests.forest(line), figures)
    return [violation.line for violation in found]


def firm(asked: int, alone: int, held: int | None = None, line: str = POOL) -> list[str]:
    """The answer to a non-preemptible pod of a with ``alone``; all such pods use ``held``.

    ``None``: unknown.
    """
    figures = published(line, 100, a=held or alone)
    if held is not None:
        figures["a"] = replace(figures["a"], non_preemptible={forests.DEVICE: held})
    found = resize.check(
        {forests.DEVICE: asked}, "a", forests.forest(line), figures, {forests.DEVICE: alone}
    )
    return [violation.line for violation in found]


def test_a_pod_that_is_not_preemptible_grows_within_min_only() -> None:
    assert firm(3, alone=2) == []
    assert firm(4, alone=2) == [
        "needs 4 device more and may not be evicted; such pods of quota 'a' may use what is "
        "guaranteed, and they use 2 of 5. Ask for less, or have the guarantee raised. "
        "More: kubectl elastic-quota explain quota a [PD1305]"
    ]


def test_what_others_like_it_have_counts_too() -> None:
    assert firm(1, alone=2, held=4) == []
    (line,) = firm(2, alone=2, held=4)
    assert "such pods of quota 'a' may use what is guaranteed, and they use 4 of 5" in line


def test_where_min_says_nothing_of_a_resource_only_runtimes_limit_it() -> None:
    assert firm(9, alone=2, line=POOL.replace("a<dept 5..40", "a<dept ..40")) == []


def test_in_an_idle_tree_a_pod_grows_although_runtime_is_what_is_asked_for_now() -> None:
    assert published(POOL, 100, a=4)["a"].runtime == {forests.DEVICE: 4}
    assert lines(6, a=4) == []


def test_it_grows_up_to_max_and_not_beyond() -> None:
    assert lines(36, a=4) == []
    assert lines(37, a=4) == [
        "needs 37 device more; quota 'a' has 36 of its current share of 40 left (guaranteed 5, "
        "limit 40). Ask for less, or wait until others use less. More: kubectl elastic-quota "
        "explain quota a [PD1305]"
    ]


def test_the_tightest_quota_of_the_path_is_named() -> None:
    (line,) = lines(60, a=10, b=10)
    assert line.startswith("needs 60 device more; quota 'a' has 30 of its current share of 40 ")
    # The others still hold more than their share, so a's own share is larger than the room.
    crowded = POOL.replace("100..", "60..").replace("a<dept 5..40", "a<dept 30..40")
    (line,) = lines(20, line=crowded, total=60, a=10, b=45)
    assert line.startswith("needs 20 device more; quota 'dept' has 5 of its current share of 60 ")


def test_what_others_are_entitled_to_is_not_to_be_had() -> None:
    # c has its 10 guaranteed, and asks for them.
    crowded = POOL.replace("100..", "50..")
    assert lines(31, total=50, line=crowded, a=10, c=10) != []
    assert lines(30, total=50, line=crowded, a=10, c=10) == []


def test_shares_are_those_of_the_solver_that_runs_the_cluster() -> None:
    line = "pool root=blue; a<pool ..500 w=3; b<pool w=1; c<pool w=1"
    own = {"a": 10, "b": 20, "c": 20}
    forest = forests.forest(line)
    tree = forest.trees["blue"]
    after = forests.solved(
        tree, forest, forests.devices(**{**own, "a": 200}), {forests.DEVICE: 100}
    )
    free = after.runtime("a")[forests.DEVICE] - 10
    assert lines(free, line=line, **own) == []
    (found,) = resize.check({forests.DEVICE: 190}, "a", forest, published(line, 100, **own))
    assert f"quota 'a' has {free} of its current share of {free + 10} left" in found.message


def test_own_pods_of_a_parent_share_like_one_more_child() -> None:
    assert lines(10, line="pool root=blue; dept<pool ..30; a<dept", dept=10, a=10) == []
    assert lines(11, line="pool root=blue; dept<pool ..30; a<dept", dept=10, a=10) != []


def test_where_use_is_guaranteed_nothing_that_runs_makes_room() -> None:
    firm = "pool 20.. root=blue firm; dept<pool 4..; x<dept 2..; y<dept 2..; a<pool 2.."
    assert lines(6, line=firm, total=20, x=10, a=2) == []
    assert lines(7, line=firm, total=20, x=10, a=2) != []


def test_in_the_default_tree_only_max_and_parents_limit() -> None:
    line = "dept 5..20; a<dept ..15"
    assert lines(11, line=line, a=4) == []
    assert len(lines(12, line=line, a=4)) == 1
    assert lines(1000, line="a", a=4) == []


def test_without_figures_the_growth_is_not_judged_and_says_so() -> None:
    figures = published(POOL, 100)
    del figures["dept"]
    (found,) = resize.check({forests.DEVICE: 1}, "a", forests.forest(POOL), figures)
    assert found.rule == "PD1305-unknown"
    assert found.line == (
        "the current share of quota 'dept' is not known yet, so the growth was not judged. [PD1305]"
    )


def test_a_quota_that_is_in_no_tree_leaves_nothing_to_grow_into() -> None:
    (found,) = resize.check({forests.DEVICE: 1}, "a", forests.forest("a<ghost"), {})
    assert found.line == (
        "quota 'a' is in no tree, so it has no share to grow into. Have the quota corrected first. "
        "More: kubectl elastic-quota explain quota a [PD1305]"
    )


def test_a_resource_that_no_quota_shares_is_not_limited() -> None:
    figures = published(POOL, 100, a=4)
    assert not [*resize.check({"gpu": 5}, "a", forests.forest(POOL), figures)]


@pytest.mark.parametrize(
    ("old", "new", "asked"),
    [
        ({"cpu": 2, "memory": 5}, {"cpu": 3, "memory": 5}, {"cpu": 1}),
        ({"cpu": 2, "memory": 5}, {"cpu": 1, "memory": 6}, {"memory": 1}),
        ({"cpu": 2}, {"cpu": 1}, {}),
    ],
)
def test_growth_is_what_the_size_gains(
    old: dict[str, int], new: dict[str, int], asked: dict[str, int]
) -> None:
    pod = Pod(Key("ns", "p"), "uid", "", request=old)
    assert resize.growth(pod, replace(pod, request=new)) == asked


def test_a_gated_pod_is_judged_at_its_release() -> None:
    pod = Pod(Key("ns", "p"), "uid", "", request={"cpu": 2}, gates=(names.GATE,))
    assert resize.growth(pod, replace(pod, request={"cpu": 9})) == {}
