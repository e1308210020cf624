"""Laws: the controller accepts what admission allows, and asking again changes nothing.

Admission.md: any accepted sequence of edits leaves a forest in which all rules hold and every
verdict is Accepted; an edit of the accepted state that means nothing is allowed; concurrent edits,
each judged without the others, end in one state whatever their order.
"""

import random

import pytest
from hypothesis import given

import edits
import levels
from edits import Edit, Store
from elasticquota.structs import replace
from elasticquota.validation import chains
from elasticquota.validation.change import Change
from elasticquota.validation.severity import Findings, Validation


SEQUENCES = edits.sequences(40)
FULL: tuple[Validation, ...] = tuple(
    Validation(profile, overrides={"EQ1101-missing": "deny"})
    for profile in ("koordinator", "strict", "yunikorn")
)
"""They refuse everything that the controller would not accept, as no quota waits for its parent."""


@pytest.mark.parametrize("chosen", FULL, ids=lambda chosen: chosen.profile)
@given(sequence=SEQUENCES)
def test_what_admission_allows_is_accepted(chosen: Validation, sequence: list[Edit]) -> None:
    store = Store(chosen)
    for edit in sequence:
        if store.ask(edit):
            verdicts = store.forest().verdicts
            assert {verdict.reason for verdict in verdicts.values()} <= {"Accepted"}


@pytest.mark.parametrize("chosen", FULL, ids=lambda chosen: chosen.profile)
@given(sequence=SEQUENCES)
def test_all_rules_hold_for_every_quota_that_admission_allowed(
    chosen: Validation, sequence: list[Edit]
) -> None:
    store = Store(chosen)
    for edit in sequence:
        store.ask(edit)
    for key, quota in store.quotas.items():
        if quota.is_root:
            continue
        others = Store(chosen, [each for k, each in store.quotas.items() if k != key])
        assert others.judge(Change(None, quota)).refused == ()


@given(sequence=SEQUENCES)
def test_a_quota_that_admission_lets_wait_is_in_no_tree_and_guarantees_nothing(
    sequence: list[Edit],
) -> None:
    store = Store()
    for edit in sequence:
        if not store.ask(edit):
            continue
        forest = store.forest()
        waiting = [quota for quota in store.quotas.values() if quota.parent not in forest.quotas]
        for name in {each.name for each in waiting}:
            assert name not in forest.tree_of
            assert forest.effective_min(name) == {}


@given(SEQUENCES)
def test_an_edit_without_meaning_of_the_accepted_state_is_allowed(sequence: list[Edit]) -> None:
    store = Store()
    for edit in sequence:
        store.ask(edit)
    for quota in store.quotas.values():
        noted = replace(quota, uid="other", generation=quota.generation + 1)
        assert store.judge(Change(quota, noted)) == Findings()


@given(edits.sequences(8))
def test_a_stored_bad_object_accepts_edits_without_meaning(
    sequence: list[Edit],
) -> None:
    store = Store()
    for edit in sequence:
        change = store.change(edit)
        if change is not None:
            store.apply(change)  # no webhook was asked
    for quota in store.quotas.values():
        assert store.judge(Change(quota, replace(quota, generation=9))) == Findings()


@given(SEQUENCES)
def test_a_permissive_tree_reports_what_another_refuses_and_refuses_nothing_else(
    sequence: list[Edit],
) -> None:
    store = Store()
    for edit in sequence:
        change = store.change(edit)
        if change is None:
            continue
        refused = {each.rule for each in store.judge(change).refused}
        found = chains.judge(change, store.forest(), Validation("permissive"))
        told = {each.rule for each in (*found.refused, *found.warned)}
        assert bool(refused & told) is bool(refused)
        if not refused:
            store.apply(change)
            assert found.refused == ()


@given(SEQUENCES, edits.sequences(8), levels.DICE)
def test_concurrent_edits_end_in_the_same_verdicts_in_any_order(
    sequence: list[Edit], concurrent: list[Edit], dice: random.Random
) -> None:
    store = Store()
    for edit in sequence:
        store.ask(edit)
    # Every replica judges each edit by the state before all of them.
    passed = {}
    for number, edit in enumerate(concurrent):
        change = store.change(edit)
        if change is None or change.quota.key in passed or store.judge(change).refused:
            continue
        if change.old is None and change.new is not None:
            change = Change(None, replace(change.new, uid=f"concurrent-{number}"))
        passed[change.quota.key] = change
    ends = []
    for order in (list(passed.values()), dice.sample(list(passed.values()), len(passed))):
        end = Store(stored=store.quotas.values())
        for change in order:
            end.apply(change)
        ends.append(end.forest())
    assert ends[0] == ends[1]
    for tree in ends[0].trees.values():
        for parent in tree.order[1:]:
            promised = ends[0].effective_min(parent)
            for key in ("device", "gpu"):
                held = (ends[0].effective_min(child).get(key, 0) for child in tree.children[parent])
                assert sum(held) <= promised.get(key, 0)
