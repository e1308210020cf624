"""Which tables a change of the tree lays anew; at all others nothing is shared again."""

import pytest

import forests
from elasticquota import names
from elasticquota.sharing.seats import NOWHERE, Seat, Seats


BEFORE = "p 50..90; q<p 20..80; a<q 5..40; b<q ..50 keep; r 9..; c<r 1..7"
ROOT = names.ROOT_QUOTA


def seats(line: str) -> Seats:
    return Seats(*forests.default_tree(line))


def changed(line: str) -> set[str]:
    """The tables that differ from those of ``BEFORE``."""
    return set(seats(line).changed_from(seats(BEFORE)))


@pytest.mark.parametrize(
    ("now", "tables"),
    [
        (BEFORE, set()),
        # Figures of a quota concern the table at which it sits.
        (BEFORE.replace("a<q 5..40", "a<q 6..40"), {"q"}),
        (BEFORE.replace("a<q 5..40", "a<q 5..41"), {"q"}),
        (BEFORE.replace("a<q 5..40", "a<q 5..40 w=1"), {"q"}),
        (BEFORE.replace("keep", ""), {"q"}),
        # A max also concerns those below where it is the smallest above them; a min does not.
        (BEFORE.replace("50..90", "50..70"), {ROOT, "p", "q"}),
        (BEFORE.replace("50..90", "50..91"), {ROOT, "p"}),
        (BEFORE.replace("20..80", "20..81"), {"p", "q"}),
        (BEFORE.replace("20..80", "21..80"), {"p"}),
        # Who is refused is guaranteed nothing, though its own words are the same.
        (BEFORE.replace("20..80", "4..80"), {"p", "q"}),
        # Guests come, go and get a table of their own.
        (f"{BEFORE}; d<r", {"r"}),
        (BEFORE.replace("; c<r 1..7", "").replace("r 9..", "r 9.. parent"), {ROOT}),
        (BEFORE.replace("c<r", "z<r"), {"r"}),
        (f"{BEFORE}; d<c".replace("c<r 1..7", "c<r 1..7 parent"), {"r", "c"}),
        (BEFORE.replace("; r 9..", "; r<p 9.. parent"), {ROOT, "p", "r"}),
    ],
)
def test_only_tables_with_other_figures_are_laid_anew(now: str, tables: set[str]) -> None:
    assert changed(now) == tables


def test_another_root_lays_every_table_anew() -> None:
    here = forests.forest("top root=blue; a<top")
    there = forests.forest("peak root=blue; top<peak; a<top")
    now = Seats(there.trees["blue"], there)
    assert now.changed_from(Seats(here.trees["blue"], here)) == {"peak", "top"}


def test_everybody_sits_at_the_parents_table_in_the_order_of_names() -> None:
    found = seats("p; b<p; a<p")
    assert found.tables["p"].names == ("a", "b", "p")
    assert found.seat_of["b"] == Seat("p", 1)
    assert found.tables["p"].seat == found.seat_of["p"] == Seat(ROOT, 1)
    assert found.tables[ROOT].seat == NOWHERE
    assert (found.tables[ROOT].depth, found.tables["p"].depth, found.depth) == (0, 1, 2)


def test_pods_come_in_where_their_quota_sits_or_at_the_last_seat_of_its_table() -> None:
    found = seats("p; a<p")
    assert found.entrance["a"] == Seat("p", 0)
    assert found.entrance["p"] == Seat("p", 1)


def test_a_childless_root_lays_no_table() -> None:
    alone = forests.forest("top root=blue")
    found = Seats(alone.trees["blue"], alone)
    assert (found.tables, found.entrance, found.depth) == ({}, {}, 0)
    assert "top" in found
    assert "nobody" not in found
