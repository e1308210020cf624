"""Which edits are computed from published figures, and what is said of the share of each quota."""

from typing import Any

import forests
from elasticquota import names
from elasticquota.forecast import edit_shares
from elasticquota.forecast.edit_shares import ShareChange
from elasticquota.model.quota import Figures
from elasticquota.structs import replace


TEAMS = "dept 8..20; a<dept 4..12; b<dept 0..12; c 0..12"


def changed(line: str, name: str, **amounts: int) -> "tuple[ShareChange, ...]":
    """The changes by an edit of a quota in ``line``; the tree has 12, and all ask for 8."""
    forest = forests.forest(line)
    old = forest.quotas[name]
    sides: Any = {side: {forests.DEVICE: amount} for side, amount in amounts.items()}
    new = replace(old, **sides)
    root = forest.trees[forest.tree_of[name]].root
    eight = {forests.DEVICE: 8}
    published = {
        each: Figures(request=eight, admitted={forests.DEVICE: 6}, runtime=eight)
        for each in forest.quotas.keys() - names.RESERVED_QUOTAS
    }
    published[root] = Figures(runtime={forests.DEVICE: 12}, request={forests.DEVICE: 24})
    below = forest.trees[forest.tree_of[name]].children["dept"]
    published["dept"] = Figures(request={forests.DEVICE: 8 * len(below)}, runtime=eight)
    return edit_shares.changes(old, new, forest, published)


def test_a_raised_min_moves_share_from_the_siblings() -> None:
    assert changed(TEAMS, "a", min=8) == (
        ShareChange("a", "device", before=7, after=8, held=6, asked=8),
        ShareChange("b", "device", before=3, after=2, held=6, asked=8),
    )


def test_what_is_newly_beyond_a_share_and_what_is_a_gain() -> None:
    """Not what was beyond it before; a larger share is a gain as far as pods wait for it."""
    gainer, loser = changed(TEAMS, "a", min=8)
    assert (loser.newly_beyond, loser.gains) == (1, 0)
    assert (gainer.newly_beyond, gainer.gains) == (0, 1)


def test_a_lowered_max_frees_share_for_siblings_of_the_quotas_above_too() -> None:
    found = changed("dept 0..20; a<dept 0..12; c 0..12", "a", max=2)
    assert {each.quota for each in found} == {"a", "c"}


def test_the_min_that_a_parent_keeps_from_others_is_no_request_of_its_own_pods() -> None:
    """A quota that does not lend publishes its min as request, although nothing below asks."""
    forest = forests.forest("dept 2..20 keep; a<dept 0..0; c 0..12")
    root, old = forest.trees[forest.tree_of["a"]].root, forest.quotas["a"]
    two = {forests.DEVICE: 2}
    published = {
        root: Figures(runtime=two, request=two),
        "dept": Figures(request=two, runtime=two),
        "a": Figures(request=two),
        "c": Figures(),
    }
    new = replace(old, max=two)
    assert edit_shares.changes(old, new, forest, published) == (
        ShareChange("a", "device", before=0, after=2, held=0, asked=2),
    )


def test_an_edit_that_changes_no_share_gives_nothing() -> None:
    assert changed(TEAMS, "a", max=13) == ()


def test_only_amounts_that_differ_are_computed() -> None:
    old, *_ = forests.quotas("a 1..2 gpu=1..8")
    assert edit_shares.keys(old, old) == ()
    assert edit_shares.keys(old, replace(old, max={**old.max, "gpu": 9})) == ("gpu",)
    assert edit_shares.keys(old, replace(old, shared_weight={"device": 3})) == ("device",)


def test_a_move_a_root_and_a_quota_that_is_not_accepted_are_left_to_others() -> None:
    forest = forests.forest("dept 4..20; a<dept 9..12; b 0..12")
    rejected, free, root = (forest.quotas[name] for name in ("a", "b", "koordinator-root-quota"))
    more = {"device": 13}
    assert edit_shares.concerned(rejected, replace(rejected, max=more), forest) == ()
    assert edit_shares.concerned(free, replace(free, max=more, parent="dept"), forest) == ()
    assert edit_shares.concerned(root, replace(root, max=more), forest) == ()
    assert edit_shares.concerned(free, replace(free, max=more), forest) == (
        "koordinator-root-quota", "b", "dept", "koordinator-default-quota",
    )  # fmt: skip


def test_a_tree_that_guarantees_use_is_left_to_the_simulation() -> None:
    forest = forests.forest("r root=t firm offers=12; a<r 0..12")
    old = forest.quotas["a"]
    assert edit_shares.concerned(old, replace(old, max={"device": 6}), forest) == ()


def test_more_siblings_than_can_be_computed_in_time_are_not_computed() -> None:
    many = "; ".join(f"q{number} 0..9" for number in range(edit_shares.MOST))
    forest = forests.forest(many)
    old = forest.quotas["q0"]
    assert edit_shares.concerned(old, replace(old, min={"device": 1}), forest) == ()
