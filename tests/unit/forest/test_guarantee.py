"""The children of a parent share its min; the youngest that goes beyond is refused."""

import forests
from elasticquota.forest.settings import NOWHERE, SharingTerms, TreeSelection
from elasticquota.model.key import Key


REMEDY = "Lower it, or raise the min of 'p'. [EQ1104]"


def message(line: str, name: str) -> str:
    return forests.forest(line).verdicts[Key("ns", name)].message


def test_children_within_the_parents_min_are_accepted() -> None:
    assert set(forests.verdicts("p 10..; a<p 6..; b<p 4..").values()) == {"Accepted"}


def test_the_youngest_child_that_goes_beyond_is_refused() -> None:
    line = "p 100..; x<p 48..; y<p 40..; z<p 30..; late<p 12.."
    assert forests.verdicts(line) == {
        "p": "Accepted", "x": "Accepted", "y": "Accepted", "z": "MinExceedsParent",
        "late": "Accepted",
    }  # fmt: skip
    assert message(line, "z") == (
        "spec.min.device: 30 must be less than or equal to 12, the unreserved min of parent 'p' "
        "(min 100, children reserve 88: x 48, y 40). "
        f"{REMEDY}"
    )


def test_a_refused_guarantee_counts_as_none() -> None:
    forest = forests.forest("p 10..; a<p 11..20")
    assert forest.effective_min("a") == {}
    assert "a" in forest.tree_of


def test_every_resource_that_goes_beyond_is_named() -> None:
    line = "p 10..; a<p 11.. cpu=1500.."
    assert message(line, "a") == (
        "spec.min.cpu: 1500m must be less than or equal to 0, the unreserved min of parent 'p' "
        f"(min 0, no other child reserves any). {REMEDY}; spec.min.device: 11 must be less than or "
        "equal to 10, the unreserved min of parent 'p' (min 10, no other child reserves any). "
        f"{REMEDY}"
    )


def test_a_refused_parent_has_nothing_to_pass_on() -> None:
    line = "top root=blue 100..; p<top 50.. bad; a<p 10..; b<p"
    assert message(line, "a") == (
        "parent 'p' is not accepted (InvalidSpec), so it guarantees nothing that spec.min could "
        "be part of [EQ1104]"
    )
    assert forests.verdicts(line)["b"] == "Accepted"


def test_a_refusal_works_down_the_tree() -> None:
    line = "p 10..; q<p 20..; r<q 5..; s<r 1.."
    assert forests.verdicts(line) == {
        "p": "Accepted", "q": "MinExceedsParent", "r": "MinExceedsParent",
        "s": "MinExceedsParent",
    }  # fmt: skip


def test_the_first_level_of_every_tree_is_exempt() -> None:
    assert set(forests.verdicts("top root=blue 1..; a<top 100..; b 100..").values()) == {"Accepted"}


LENIENT = SharingTerms(sums_refused=NOWHERE)


def test_where_sums_may_exceed_no_quota_is_refused_and_the_excess_is_reported() -> None:
    forest = forests.forest("p 10..; a<p 6..; b<p 6..; c<p 6..", LENIENT)
    assert forest.effective_min("c") == {forests.DEVICE: 6}
    said = [forest.verdicts[Key("ns", name)] for name in "abc"]
    assert all(verdict.accepted for verdict in said)
    but = "guarantees are filled in proportion, because "
    assert [warning for verdict in said for warning in verdict.warnings] == [
        f"{but}spec.min.device: 6 must be less than or equal to 4, the unreserved min of parent "
        f"'p' (min 10, children reserve 6: a 6). {REMEDY}",
        f"{but}spec.min.device: 6 must be less than or equal to 0, the unreserved min of parent "
        f"'p' (min 10, children reserve 12: a 6, b 6). {REMEDY}",
    ]


def test_each_tree_has_its_own_terms() -> None:
    line = "blue root=blue parent; red root=red parent; p<blue; q<red; a<p 1..; b<q 1.."
    forest = forests.forest(
        line, SharingTerms(sums_refused=TreeSelection(True, frozenset({"blue"})))
    )
    assert forest.accepted("a")
    assert not forest.accepted("b")


def test_guarantees_that_do_not_fit_are_filled_in_proportion() -> None:
    line = "p 9..9; a<p 6..20; b<p 12..20"
    tree = forests.forest(line, LENIENT).trees[""]
    found = forests.solved(
        tree, forests.forest(line, LENIENT), forests.devices(a=20, b=20), {forests.DEVICE: 100}
    )
    assert (found.runtime("a"), found.runtime("b")) == ({forests.DEVICE: 3}, {forests.DEVICE: 6})
