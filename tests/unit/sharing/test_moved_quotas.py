"""A tree whose quotas come, go, move or change shares as one that has always been like this."""

from collections.abc import Mapping, Sequence

import pytest

import forests
from elasticquota import names
from elasticquota.forest import acceptance
from elasticquota.forest.structure import Forest
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources
from elasticquota.sharing import level
from elasticquota.sharing.runtime import Runtimes
from elasticquota.structs import replace


ROOT = Quota(Key("ns", names.ROOT_QUOTA), "", "", is_parent=True)
LINE = "p 50..90; q<p 20..80; a<q 5..40; b<q ..50; r 30..; c<r 10..70 keep; d<r"
CHANGES = [
    (LINE, LINE.replace("a<q 5..40", "a<q 15..40")),
    (LINE, LINE.replace("a<q 5..40", "a<q 5..20")),
    (LINE, LINE.replace("b<q ..50", "b<q ..50 w=1000")),
    (LINE, LINE.replace("b<q ..50", "b<q ..7 keep")),
    (LINE, LINE.replace("keep", "")),
    (LINE, LINE.replace("q<p 20..80", "q<p 20..8")),
    (LINE, LINE.replace("50..90", "4..11")),
    (LINE, LINE.replace("b<q ..50; ", "")),
    (LINE, f"{LINE}; e<a 3..9".replace("a<q 5..40", "a<q 5..40 parent")),
    (LINE, LINE.replace("q<p", "q<r")),
    (LINE, LINE.replace("; r 30..", "; r<q 30..")),
    (LINE, LINE.replace("a<q 5..40", "a<q 5..40 gpu=1..2")),
    (LINE.replace("a<q 5..40", "a<q 5..40 gpu=1..2"), LINE),
]  # fmt: skip
ASKED = forests.devices(p=4, q=3, a=60, b=45, r=8, c=30, d=50)
HELD = forests.devices(p=2, q=3, a=35, b=20, r=1, c=30, d=9)
GPU = {"gpu": 5}


def forest(line: str, *, guarantees_use: bool) -> Forest:
    return acceptance.build([replace(ROOT, guarantee_usage=guarantees_use), *forests.quotas(line)])


def tell(found: Runtimes, built: Forest, total: int) -> None:
    """What the pods of those quotas that exist ask for and use, and what there is."""
    for name in built.trees[names.DEFAULT_TREE].order:
        found.set_request(name, {**ASKED.get(name, {}), **GPU})
        found.set_usage(name, {**HELD.get(name, {}), **GPU})
    found.set_capacity({forests.DEVICE: total, "gpu": 20})


def figures(found: Runtimes, built: Forest) -> Mapping[str, tuple[Resources, ...]]:
    order = built.trees[names.DEFAULT_TREE].order
    return {
        name: (
            found.request(name),
            found.limited_request(name),
            found.runtime(name),
            found.own_runtime(name),
            found.allocated(name),
            found.guaranteed(name) if name != names.ROOT_QUOTA else {},
        )
        for name in order
    }


def new(built: Forest, total: int) -> Runtimes:
    found = Runtimes(built.trees[names.DEFAULT_TREE], built)
    tell(found, built, total)
    found.settle()
    return found


@pytest.mark.parametrize("total", [15, 60, 130, 900])
@pytest.mark.parametrize("guarantees_use", [False, True])
@pytest.mark.parametrize(("before", "after"), CHANGES)
def test_a_changed_tree_shares_as_a_new_one(
    before: str, after: str, guarantees_use: bool, total: int
) -> None:
    for old, now in ((before, after), (after, before)):
        first = forest(old, guarantees_use=guarantees_use)
        second = forest(now, guarantees_use=guarantees_use)
        found = new(first, total)
        found.arrange(second.trees[names.DEFAULT_TREE], second)
        fresh = second.tree_of.keys() - first.tree_of.keys()
        for name in fresh:
            found.set_request(name, {**ASKED.get(name, {}), **GPU})
            found.set_usage(name, {**HELD.get(name, {}), **GPU})
        found.settle()
        assert figures(found, second) == figures(new(second, total), second)


STAYING = [
    pair for pair in CHANGES if forests.forest(pair[0]).trees == forests.forest(pair[1]).trees
]


@pytest.mark.parametrize("total", [15, 60, 130, 900])
@pytest.mark.parametrize("guarantees_use", [False, True])
@pytest.mark.parametrize(("before", "after"), STAYING)
def test_where_every_quota_stays_it_is_enough_to_claim_again(
    before: str, after: str, guarantees_use: bool, total: int
) -> None:
    for old, now in ((before, after), (after, before)):
        first = forest(old, guarantees_use=guarantees_use)
        second = forest(now, guarantees_use=guarantees_use)
        found = new(first, total)
        found.update_claims(changed(first, second), second.trees[names.DEFAULT_TREE], second)
        found.settle()
        assert figures(found, second) == figures(new(second, total), second)


def changed(first: Forest, second: Forest) -> list[str]:
    """Quotas of the default tree that claim something else."""
    return [
        name
        for name in first.trees[names.DEFAULT_TREE].order
        if first.quotas[name] != second.quotas[name]
        or first.effective_min(name) != second.effective_min(name)
    ]


@pytest.mark.parametrize("guarantees_use", [False, True])
def test_turning_the_guarantee_of_use_on_or_off_shares_as_a_new_tree(guarantees_use: bool) -> None:
    first = forest(LINE, guarantees_use=not guarantees_use)
    second = forest(LINE, guarantees_use=guarantees_use)
    found = new(first, 130)
    found.arrange(second.trees[names.DEFAULT_TREE], second)
    found.settle()
    assert figures(found, second) == figures(new(second, 130), second)


def test_who_left_and_came_back_asks_for_nothing_yet() -> None:
    with_a, without = forests.forest("a; b"), forests.forest("b")
    found = new(with_a, 100)
    for built in (without, with_a):
        found.arrange(built.trees[names.DEFAULT_TREE], built)
    found.settle()
    assert (found.request("a"), found.request("b")) == ({}, {"device": 45, "gpu": 5})


def test_pods_of_the_root_keep_what_they_asked_for() -> None:
    built = forests.forest("b 1..9")
    found = Runtimes(built.trees[names.DEFAULT_TREE], built)
    found.set_request(names.ROOT_QUOTA, {forests.DEVICE: 5})
    found.set_capacity({forests.DEVICE: 100})
    found.arrange(built.trees[names.DEFAULT_TREE], built)
    found.settle()
    assert found.own_runtime(names.ROOT_QUOTA) == {"device": 5}


def test_a_resource_that_no_quota_names_any_more_does_not_count_but_is_asked_for() -> None:
    named, unnamed = forests.forest("a ..9 gpu=..4"), forests.forest("a ..9")
    found = new(named, 100)
    found.arrange(unnamed.trees[names.DEFAULT_TREE], unnamed)
    found.settle()
    assert found.runtime("a") == {"device": 9}
    assert found.request("a") == {"device": 60, "gpu": 5}


@pytest.mark.parametrize("total", [15, 60, 900])
def test_asking_all_at_once_is_as_asking_one_by_one(total: int) -> None:
    built = forests.forest(LINE)
    found = new(built, total)
    found.set_requests({"a": {"tape": 2, "device": 1}, "r": {"device": -3}, "d": {"device": 70}})
    found.settle()
    one_by_one = Runtimes(built.trees[names.DEFAULT_TREE], built)
    one_by_one.set_request("a", {"tape": 2, "device": 1})
    one_by_one.set_request("d", {"device": 70})
    one_by_one.set_capacity({forests.DEVICE: total, "gpu": 20})
    one_by_one.settle()
    for name in built.trees[names.DEFAULT_TREE].order:
        assert found.request(name) == one_by_one.request(name)
        assert found.runtime(name) == one_by_one.runtime(name)


def test_a_quota_that_loses_its_children_is_news_though_its_runtime_stays() -> None:
    """Its own pods had a part of the 10, and now they have all of it."""
    asked = forests.devices(p=20, a=20)
    limit = {forests.DEVICE: 20}
    found = forests.solved(*forests.default_tree("p 10..10 w=1; a<p 5..9 w=1"), asked, limit)
    own = found.own_runtime("p")
    found.drain_changed()
    found.arrange(*forests.default_tree("p 10..10 w=1"))
    found.settle()
    assert (own, found.own_runtime("p")) == ({"device": 5}, {"device": 10})
    assert found.runtime("p") == {"device": 10}
    assert found.drain_changed() == {"p"}


def test_an_edit_shares_again_only_where_it_moves_a_share(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "p 9..; q 9..; a<p 1..9 w=1; b<p ..9 w=1; c<q 1..9 w=1; d<q ..9 w=1"
    edits = {
        line.replace("b<p ..9 w=1", "b<p ..9 w=2"): 1,
        line.replace("c<q 1..9", "c<q 2..9"): 1,
        line.replace("a<p 1..9 w=1; b<p", "a<p 2..9 w=1; b<p").replace("d<q", "z<q"): 1,
        line: 0,
    }
    asked = forests.devices(a=9, b=9, c=9, d=9, z=9)
    shared: list[int] = []
    share = level.share

    def counted(total: int, *columns: Sequence[int]) -> list[int]:
        shared.append(total)
        return share(total, *columns)

    monkeypatch.setattr(level, "share", counted)
    for edited, times in edits.items():
        found = Runtimes(*forests.default_tree(line))
        for built in (forests.default_tree(line), forests.default_tree(edited)):
            shared.clear()
            found.arrange(*built)
            own = {name: asked[name] for name in built[0].order if name in asked}
            found.set_requests(own)
            found.set_capacity({forests.DEVICE: 20})
            found.settle()
        assert len(shared) == times, edited


def test_another_claim_shares_again_only_at_its_own_table(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "p 9..; q 9..; a<p 1..9 w=1; b<p ..9 w=1; c<q 1..9 w=1; d<q ..9 w=1"
    tree, built = forests.default_tree(line.replace("b<p ..9 w=1", "b<p ..9 w=2"))
    found = forests.solved(
        *forests.default_tree(line), forests.devices(a=9, b=9, c=9, d=9), {forests.DEVICE: 20}
    )
    shared: list[int] = []
    share = level.share

    def counted(total: int, *columns: Sequence[int]) -> list[int]:
        shared.append(total)
        return share(total, *columns)

    monkeypatch.setattr(level, "share", counted)
    found.drain_changed()
    found.update_claims(["a", "b"], tree, built)
    found.settle()
    assert shared == [10]
    assert found.drain_changed() == {"a", "b"}


def test_news_of_an_arrangement_are_those_who_came_or_have_another_share() -> None:
    line = "p 9..; a<p ..9 w=1; b<p ..9 w=1; q ..9; c<q"
    found = forests.solved(
        *forests.default_tree(line), forests.devices(a=9, b=9, c=3), {forests.DEVICE: 12}
    )
    found.drain_changed()
    found.arrange(*forests.default_tree(line.replace("c<q", "c<q; d<q")))
    found.settle()
    assert found.drain_changed() == {"d"}
    found.arrange(*forests.default_tree(line.replace("b<p ..9 w=1", "b<p ..9 w=2")))
    found.settle()
    assert found.drain_changed() == {"a", "b"}
    assert found.drain_changed() == set()


def test_a_resource_that_comes_to_count_is_news_for_every_quota() -> None:
    line = "a ..9; b"
    found = forests.solved(*forests.default_tree(line), forests.devices(a=9), {forests.DEVICE: 4})
    found.drain_changed()
    found.arrange(*forests.default_tree(f"{line} gpu=1.."))
    found.settle()
    assert {"a", "b"} < found.drain_changed()
