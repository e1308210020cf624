"""A group of siblings is solved again only where a change can move a share (see ``test_level``)."""

import forests
from elasticquota.sharing import weight
from elasticquota.sharing.index import ROOT, TreeIndex
from elasticquota.sharing.solver import ResourceSolver


A, B, OWN = 1, 2, 3
"""The seats at the table of the root."""


def solver(total: int, a: int, b: int, claim: str = "5..40 w=1") -> ResourceSolver:
    """A root with two children who claim the same, settled."""
    built = forests.forest(f"top root=blue; a<top {claim}; b<top {claim}")
    index = TreeIndex(built.trees["blue"], built)
    asked = index.by_slot(forests.devices(a=a, b=b))
    found = ResourceSolver(forests.DEVICE, index, total, asked, ())
    found.settle()
    return found


def shares(found: ResourceSolver) -> list[int]:
    found.settle()
    return [found.share(slot) for slot in (A, B)]


def test_they_share_what_there_is() -> None:
    assert shares(solver(30, 40, 10)) == [20, 10]
    assert shares(solver(99, 70, 10)) == [40, 10]


def test_an_only_one_who_asks_takes_what_there_is_up_to_its_request() -> None:
    assert shares(solver(30, 0, 40)) == [0, 30]
    assert shares(solver(30, 0, 12)) == [0, 12]


def test_an_only_child_takes_what_there_is_as_far_as_its_weight_lets_it() -> None:
    for claim, share in (("5..40", 30), ("5..20", 20), ("5..40 w=0 w.x=1", 5), ("50..60", 30)):
        built = forests.forest(f"top root=blue; a<top {claim}")
        index = TreeIndex(built.trees["blue"], built)
        found = ResourceSolver(forests.DEVICE, index, 30, [(A, {forests.DEVICE: 99})], ())
        found.settle()
        assert found.share(A) == share


def test_pods_of_the_parent_itself_are_subtracted_when_they_are_gone() -> None:
    found = solver(30, 40, 0)
    found.set_request(OWN, 40)
    found.settle()
    assert [found.share(slot) for slot in (A, OWN)] == [6, 24]
    found.set_request(OWN, 0)
    found.settle()
    assert [found.share(slot) for slot in (A, OWN)] == [30, 0]


def test_who_has_settled_is_not_stale() -> None:
    found = solver(30, 40, 10)
    assert not any(found.stale)
    found.set_requests([])
    assert all(found.stale)


def test_the_same_total_moves_no_quota() -> None:
    found = solver(30, 40, 10)
    found.set_capacity(30)
    assert not any(found.stale)
    found.set_capacity(31)
    assert any(found.stale)
    assert shares(found) == [21, 10]


def test_another_total_for_a_parent_whose_share_stays_moves_no_quota_below() -> None:
    built = forests.forest("top root=blue; p<top ..9 w=1; a<p ..9 w=1; b<p ..9 w=1")
    index = TreeIndex(built.trees["blue"], built)
    asked = index.by_slot(forests.devices(a=9, b=9))
    found = ResourceSolver(forests.DEVICE, index, 30, asked, ())
    found.settle()
    slot = index.slot_of["a"]
    before = found.share(slot)
    found.set_capacity(31)
    assert list(found.stale) == [True, False]
    found.settle()
    assert found.share(slot) == before == 5


def test_a_request_that_the_max_cuts_to_the_same_reaches_no_quota() -> None:
    found = solver(30, 50, 10)
    found.set_request(A, 60)
    assert (found.request(A), found.limited(A), found.request(ROOT)) == (60, 40, 50)
    assert not any(found.stale)


def test_more_unmet_demand_goes_up_but_moves_no_quota() -> None:
    found = solver(30, 30, 30)
    found.set_request(A, 35)
    assert found.request(ROOT) == 65
    assert not any(found.stale)


def test_a_request_that_was_met_and_grows_shares_again() -> None:
    found = solver(30, 10, 30)
    found.set_request(A, 11)
    assert any(found.stale)
    assert shares(found) == [11, 19]


def test_a_request_that_falls_to_the_share_shares_again() -> None:
    found = solver(30, 30, 30)
    found.set_request(A, 15)
    assert any(found.stale)


def test_a_guarantee_that_is_asked_for_shares_again() -> None:
    found = solver(4, 3, 40)
    found.set_request(A, 4)
    assert any(found.stale)


def test_a_request_below_min_is_min_where_lending_is_off() -> None:
    found = solver(30, 1, 2, "5..40 w=1 keep")
    assert [found.request(slot) for slot in (A, B, ROOT)] == [5, 5, 10]
    found.set_request(A, 5)
    assert not any(found.stale)
    found.set_request(A, 6)
    assert found.request(ROOT) == 11
    found.set_request(A, 0)
    assert [found.request(slot) for slot in (A, B, ROOT)] == [5, 5, 10]


def test_a_cap_on_weights_that_does_not_bite_moves_no_quota_below() -> None:
    found = below(90)
    for available in (20, 90, 20):
        found.set_capacity(available)
        assert not found.stale[1]
        found.settle()


def test_a_cap_on_weights_that_bites_or_ends_shares_again_below() -> None:
    found = below(90)
    found.set_capacity(19)
    assert found.stale[1]
    found.settle()
    found.set_capacity(90)
    assert found.stale[1]


def test_chosen_weights_are_never_capped() -> None:
    found = below(90, "..20 w=20")
    found.set_capacity(15)
    assert not found.stale[1]


def below(total: int, claim: str = "..20") -> ResourceSolver:
    """Two who share at the second table what their parent has; its share stays 10."""
    built = forests.forest(f"top root=blue; p<top ..10 w=1; a<p {claim}; b<p {claim}")
    index = TreeIndex(built.trees["blue"], built)
    found = ResourceSolver(
        forests.DEVICE, index, total, index.by_slot(forests.devices(a=20, b=20)), ()
    )
    found.settle()
    return found


def test_unlimited_is_more_than_anything_that_can_be_written() -> None:
    assert weight.UNLIMITED == 2**512


def test_figures_that_were_taken_show_no_later_request_however_many_follow() -> None:
    children = [f"c{number:03}" for number in range(200)]
    built = forests.forest("top root=blue; " + "; ".join(f"{name}<top 0..9" for name in children))
    index = TreeIndex(built.trees["blue"], built)
    found = ResourceSolver(forests.DEVICE, index, 300, (), ())
    taken = []
    for name in children:
        found.settle()
        taken.append(found.taken())
        found.set_request(index.own_slot[name], 2)
    found.settle()
    taken.append(found.taken())
    slots = [index.slot_of[name] for name in children]
    for number, figures in enumerate(taken):
        asked = [2] * number + [0] * (200 - number)
        assert [figures.request(slot) for slot in slots] == asked
        assert [figures.limited(slot) for slot in slots] == asked
        assert figures.request(ROOT) == 2 * number
        assert sum(figures.share(slot) for slot in slots) == min(300, 2 * number)
