"""Law: the steps of an integration lead from any stored state to what its source objects mean.

Any stored state ends in sync whatever was edited in between, and a second plan has no steps. On the
way from one synchronized state to another no quota is refused and no namespace is without quota,
unless that is so at both ends. Quotas that wait for their tree stay unchanged.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import translations
from elasticquota import names
from elasticquota.forest import acceptance
from elasticquota.integrations.translation import sync
from elasticquota.integrations.translation.sync import Put, Step, SyncPlan
from elasticquota.integrations.translation.translation import Translation
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.structs import replace


Stored = dict[Key, Quota]

_NAMES = ("a", "b", "a-b", "c")
_SPACES = ("one", "two", "three")
_AMOUNTS = st.dictionaries(st.sampled_from(("cpu", "memory")), st.integers(0, 9), max_size=2)


def _node(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {
            "name": st.sampled_from(_NAMES),
            "min": _AMOUNTS,
            "max": st.just({}) | _AMOUNTS,
            "namespaces": st.lists(st.sampled_from(_SPACES), max_size=2),
            "children": children,
        }
    )


_LEAVES = st.lists(_node(st.just([])), max_size=3)
_ROOTS = _node(st.lists(_node(st.lists(_node(_LEAVES), max_size=3)), max_size=3))
TREES = st.tuples(
    _ROOTS.map(lambda root: translations.tree({**root, "name": "root"})),
    _ROOTS.map(lambda root: translations.tree({**root, "name": "root"}, "own", profile="ml/gpu")),
)
"""The default tree, and one of a profile."""
ROOT = Quota(
    Key("ml", "gpu-root-quota"),
    uid="root",
    created="2024-01-01T00:00:00Z",
    is_parent=True,
    is_root=True,
    tree_id="1",
    max={"cpu": 10**9, "memory": 10**9},
)
"""The root quota of the profile."""
THERE = {"ml/gpu": ROOT.name}
POOLS = st.sampled_from((THERE, {"ml/gpu": ""}, {}))

_FOUND = st.builds(
    lambda name, space, mark, parent, low, is_parent: Quota(
        Key(space, name),
        uid=f"{space}/{name}",
        created="2025-01-01T00:00:00Z",
        parent=parent,
        is_parent=is_parent,
        min=low,
        kept_for=mark,
        faults=(Fault("spec", "odd"),) if low.get("cpu") == 1 else (),
    ),
    st.sampled_from(("root-a", "root-b", "root-a-b", "root-c-a", "gpu-root-a", "left", "other")),
    st.sampled_from(("kube-system", "one")),
    st.sampled_from(("ack", "ack", "ack", "capacity", "")),
    st.sampled_from((names.ROOT_QUOTA, "root-a", "left", "other", "nobody")),
    _AMOUNTS,
    st.booleans(),
)
STORED = st.lists(_FOUND, max_size=6).map(
    lambda found: {ROOT.key: ROOT, **{quota.key: quota for quota in found}}
)


def made(trees: Any, pools: Mapping[str, str] = THERE) -> Translation:
    return translations.of_ack(*trees, pools=pools)


def plan(found: Translation, stored: Stored) -> SyncPlan:
    return sync.plan("ack", found.quotas, stored.values(), found.waiting)


def steps(found: Translation, stored: Stored) -> Sequence[Step]:
    return plan(found, stored).steps


_ages = itertools.count()


def take(step: Step, stored: Stored) -> None:
    """Apply the step to ``stored``, as the API server would."""
    if isinstance(step, Put):
        before = stored.get(step.quota.key)
        age = f"{next(_ages):012}"
        uid, created = (before.uid, before.created) if before else (age, f"2026-{age}")
        stored[step.quota.key] = replace(step.quota, uid=uid, created=created)
    elif step.key in stored and stored[step.key].uid == step.uid:
        del stored[step.key]


def taken(found: Translation, stored: Stored) -> Stored:
    after = dict(stored)
    for step in steps(found, stored):
        take(step, after)
    return after


def refused(stored: Stored) -> list[str]:
    verdicts = acceptance.build(stored.values()).verdicts
    return [f"{key}: {found.message}" for key, found in verdicts.items() if not found.accepted]


def bound(stored: Stored) -> set[str]:
    return {name for quota in stored.values() for name in quota.namespaces}


def kept(stored: Stored) -> set[Key]:
    return {quota.key for quota in stored.values() if quota.kept_for == "ack"}


@given(TREES, POOLS, STORED)
def test_any_stored_state_ends_in_sync(
    trees: Any, pools: Mapping[str, str], stored: Stored
) -> None:
    found = made(trees, pools)
    after = taken(found, stored)
    assert steps(found, after) == ()
    others = {quota.name for quota in stored.values() if quota.kept_for != "ack"}
    missing = set(plan(found, after).taken)
    stay = {key for key in kept(stored) if key.name in found.waiting}
    assert kept(after) - stay == {q.key for q in found.quotas if q.name not in missing}
    assert missing or not others & {quota.name for quota in found.quotas}


@given(TREES, POOLS, STORED)
def test_quotas_of_other_owners_and_waiting_ones_are_never_changed(
    trees: Any, pools: Mapping[str, str], stored: Stored
) -> None:
    found = made(trees, pools)
    after = taken(found, stored)
    others = {
        key: quota
        for key, quota in stored.items()
        if quota.kept_for != "ack" or quota.name in found.waiting
    }
    assert {key: after.get(key) for key in others} == others


@given(
    st.lists(st.tuples(TREES, POOLS, st.integers(0, 9), STORED), min_size=1, max_size=4),
    TREES,
    POOLS,
)
def test_edits_and_crashes_in_between_do_not_change_the_end(
    history: list[tuple[Any, Any, int, Stored]], last: Any, pools: Mapping[str, str]
) -> None:
    stored: Stored = {}
    for trees, there, count, meddled in history:
        for step in list(steps(made(trees, there), stored))[:count]:
            take(step, stored)
        stored |= {key: quota for key, quota in meddled.items() if quota.kept_for == "ack"}
    found = made(last, pools)
    stored = taken(found, stored)
    assert steps(found, stored) == ()
    ends = {quota.key for quota in stored.values() if quota.name not in found.waiting}
    assert ends == {quota.key for quota in found.quotas}


@given(TREES, TREES)
def test_no_quota_is_refused_on_the_way_from_one_state_to_another(before: Any, after: Any) -> None:
    stored = taken(made(before), {ROOT.key: ROOT})
    assert refused(stored) == []
    wanted = made(after)
    names_before = {quota.name: quota.parent for quota in stored.values()}
    # A name with another path has to move in the tree, and its figures with it.
    if any(names_before.get(q.name, q.parent) != q.parent for q in wanted.quotas):
        return
    for step in steps(wanted, stored):
        take(step, stored)
        assert refused(stored) == [], step
    assert refused(stored) == []


@given(TREES, TREES)
def test_a_namespace_that_moves_is_never_without_quota(before: Any, after: Any) -> None:
    stored = taken(made(before), {})
    wanted = made(after)
    stay = bound(stored) & {name for quota in wanted.quotas for name in quota.namespaces}
    for step in steps(wanted, stored):
        take(step, stored)
        assert stay <= bound(stored), step


@given(TREES, POOLS)
def test_deleting_and_creating_a_profile_changes_no_quota(
    trees: Any, pools: Mapping[str, str]
) -> None:
    stored = taken(made(trees), {})
    assert steps(made(trees, pools), stored) == ()


@given(TREES)
def test_syncing_from_an_empty_state_makes_each_quota_once(trees: Any) -> None:
    found = made(trees)
    assert steps(found, {}) == tuple(Put(replace(quota, kept_for="ack")) for quota in found.quotas)
