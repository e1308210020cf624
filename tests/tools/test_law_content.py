"""A law whose subject is rare fails, and what a law sees is counted by example."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import law_content
from elasticquota.scheduling.inputs.policy import Policy
from law_content import Content
from worlds import World


def content(examples: int, **counts: int) -> Content:
    found = Content(examples)
    for subject, count in counts.items():
        found.counts[subject] = count
    return found


def test_a_law_whose_subject_is_rare_fails_and_says_how_often_it_occurs() -> None:
    assert content(40, evictions=9).rare({"evictions": 1 / 4}, pinned=True) == [
        "evictions occur in 9 of 40 examples, and should in 25% of them: change what the law "
        "generates or does"
    ]


def test_a_law_that_sees_its_subject_often_enough_passes() -> None:
    assert content(40, evictions=10).rare({"evictions": 1 / 4}, pinned=True) == []


def test_each_rare_subject_is_named() -> None:
    rare = content(40, evictions=40).rare({"evictions": 1, "gangs": 1 / 40, "jobs": 1}, pinned=True)
    assert [sentence.split()[0] for sentence in rare] == ["gangs", "jobs"]


def test_with_new_seeds_less_is_chance_and_nothing_at_all_is_not() -> None:
    wanted = {"evictions": 1 / 4}
    assert content(40, evictions=5).rare(wanted, pinned=False) == []
    assert content(40).rare(wanted, pinned=False) != []


def test_a_few_examples_prove_nothing_without_pinned_seeds() -> None:
    assert content(5).rare({"evictions": 1 / 4}, pinned=False) == []


def test_an_unknown_subject_is_refused() -> None:
    with pytest.raises(ValueError, match="no subjects of laws: evitcions"):
        law_content.about(evitcions=1)


def borrowed() -> World:
    """An owner waits for its min, which a borrower holds."""
    world = World(nodes=1, cpu=8)
    world.quota("borrower")
    world.quota("owner", min=4)
    world.pods("borrower", 8)
    world.pods("owner", waiting=True)
    return world


AT_ONCE = Policy(grace=0, delay=0)


def test_what_is_decided_is_counted_once_in_each_example_that_is_not_rejected() -> None:
    @settings(max_examples=10, database=None)
    @given(st.booleans(), st.booleans())
    def law(rejected: bool, evicts: bool) -> None:
        if evicts:
            borrowed().decide(policy=AT_ONCE)
        assume(not rejected)

    with law_content.watched(law) as found:
        law()
    assert found.decides
    assert found.examples == 2
    assert found.counts["evictions"] == found.counts["reclaims"] == found.counts["waits"] == 1
    assert found.counts["preemptions"] == 0


def test_what_a_law_notes_counts_and_what_it_only_compares_with_does_not() -> None:
    @settings(max_examples=3, database=None)
    @given(st.just(0))
    def law(_: int) -> None:
        law_content.note("refusals")
        with law_content.aside():
            borrowed().decide(policy=AT_ONCE)

    with law_content.watched(law) as found:
        law()
    assert (found.part("refusals"), found.part("evictions")) == (1, 0)


def test_after_the_law_decisions_are_counted_no_more() -> None:
    @settings(max_examples=1, database=None)
    @given(st.just(0))
    def law(_: int) -> None:
        pass

    with law_content.watched(law) as found:
        law()
    borrowed().decide(policy=AT_ONCE)
    assert not found.decides
