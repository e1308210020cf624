"""Law: translation of neighbours' objects is total, goes by no order, and is settled.

Issue: "translation is total (any stored object gives quotas or a condition), order-free, and
idempotent". What comes out is taken by the webhook's rules and by the controller, and what
``import`` prints is read back as the same quotas.
"""

import copy
import random
from collections.abc import Callable
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

import levels
import translations
from elasticquota import names
from elasticquota.dialects import fitting
from elasticquota.dialects.translation import Draft, Path, Translation


Objects = list[Any]

_NAMES = st.sampled_from(("a", "b", "a-b", "b-a", "A", "root", "capacity", "x" * 60, "算", "a_b"))
_SPACES = st.sampled_from(("a", "b", "c", "capacity", "koordinator-default-quota"))
_AMOUNTS = st.dictionaries(
    st.sampled_from(("cpu", "memory", "vcore", "nvidia.com/gpu", "kube-queue/max-jobs")),
    st.integers(0, 20) | st.sampled_from(("1500m", "10Gi", "-1", "much", "9" * 60 + "E")),
    max_size=3,
)
_WILD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


def _node(children: st.SearchStrategy[Any] | None = None) -> st.SearchStrategy[Any]:
    """A node; below it more of them, or nothing."""
    optional: dict[str, st.SearchStrategy[Any]] = {
        "min": _AMOUNTS,
        "max": _AMOUNTS,
        "namespaces": st.lists(_SPACES, max_size=3),
        "children": st.just([]) if children is None else st.lists(children, max_size=3),
        "attributes": st.just({"resourceflavors": "x"}),
    }
    return st.fixed_dictionaries({"name": _NAMES}, optional=optional)


_ROOTS = _node(_node(_node(_node())))


def _metadata(name: st.SearchStrategy[str], space: st.SearchStrategy[str]) -> Any:
    created = st.sampled_from(("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"))
    return st.fixed_dictionaries(
        {"name": name, "namespace": space}, optional={"creationTimestamp": created}
    )


def _key(found: Any) -> tuple[str, str]:
    return (found["metadata"].get("namespace", ""), found["metadata"]["name"])


TREES = st.lists(
    st.builds(
        lambda metadata, root: {"metadata": metadata, "spec": {"root": root}},
        _metadata(st.sampled_from("xyz"), st.sampled_from(("kube-system", "other"))),
        _ROOTS,
    ),
    max_size=3,
    unique_by=_key,
)
LIMITS = st.lists(
    st.builds(
        lambda metadata, low, high: {"metadata": metadata, "spec": {"min": low, "max": high}},
        _metadata(st.sampled_from("xyz"), _SPACES),
        _AMOUNTS,
        _AMOUNTS,
    ),
    max_size=6,
    unique_by=_key,
)
HARD = st.lists(
    st.builds(
        lambda metadata, hard: {"metadata": metadata, "spec": {"hard": hard}},
        _metadata(st.sampled_from("xyz"), _SPACES),
        _AMOUNTS,
    ),
    max_size=6,
    unique_by=_key,
)


def _queue(children: st.SearchStrategy[Any] | None = None) -> st.SearchStrategy[Any]:
    """A queue; below it more of them, or nothing."""
    limits = st.fixed_dictionaries({}, optional={"guaranteed": _AMOUNTS, "max": _AMOUNTS})
    optional: dict[str, st.SearchStrategy[Any]] = {
        "parent": st.booleans(),
        "resources": limits,
        "childtemplate": st.fixed_dictionaries({"resources": limits}),
        "queues": st.just([]) if children is None else st.lists(children, max_size=3),
        "properties": st.fixed_dictionaries({"preemption.delay": st.sampled_from(("1s", "x"))}),
        "limits": st.just([]),
    }
    return st.fixed_dictionaries({"name": _NAMES}, optional=optional)


_RULES = st.lists(
    st.sampled_from(
        (
            {"name": "provided"},
            {"name": "tag", "value": "namespace", "create": True},
            {"name": "tag", "value": "namespace"},
            *(
                {"name": "tag", "value": "namespace", "create": True, "parent": parent}
                for parent in (
                    {"name": "tag", "value": "namespace.parentqueue"},
                    {"name": "tag", "value": "namespace.parentqueue", "create": True},
                    {"name": "fixed", "value": "a.b", "create": True},
                    {"name": "user"},
                )
            ),
        )
    ),
    max_size=3,
)
CONFIGS = st.none() | st.builds(
    lambda queues, rules: {"partitions": [{"queues": queues, "placementrules": rules}]},
    st.lists(_queue(_queue(_queue())), max_size=3),
    _RULES,
)
_ANNOTATIONS = st.fixed_dictionaries(
    {},
    optional={
        "yunikorn.apache.org/namespace.quota": _AMOUNTS.map(
            lambda found: msgspec.json.encode(found).decode()
        ),
        "yunikorn.apache.org/namespace.guaranteed": st.sampled_from(('{"cpu": 3}', "{")),
        "yunikorn.apache.org/namespace.max.cpu": st.sampled_from(("4", "x")),
        "yunikorn.apache.org/parentqueue": st.sampled_from(("root.a", "b", "a.b", "root")),
    },
)
SPACES = st.lists(
    st.builds(
        lambda name, annotations: {"metadata": {"name": name, "annotations": annotations}},
        _SPACES,
        _ANNOTATIONS,
    ),
    max_size=4,
    unique_by=_key,
)


def shuffled(value: Any, dice: random.Random, still: tuple[str, ...] = ("placementrules",)) -> Any:
    """The same with every list in another order, but for rules, whose order means something."""
    if isinstance(value, dict):
        return {
            key: copy.deepcopy(inner) if key in still else shuffled(inner, dice)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [shuffled(inner, dice) for inner in dice.sample(value, len(value))]
    return value


def meaning(found: Translation) -> tuple[Any, ...]:
    """All that does not say where in a document something stands."""
    said = sorted((remark.source, remark.text) for remark in found.remarks)
    return (found.quotas, dict(found.origins), said)


def order_decides_nothing(
    translate: Callable[..., Translation], objects: Objects, dice: random.Random
) -> None:
    before = copy.deepcopy(objects)
    found = translate(*objects)
    assert objects == before
    assert meaning(translate(*shuffled(objects, dice))) == meaning(found)


def what_comes_out_is_good(found: Translation) -> None:
    called = [quota.name for quota in found.quotas]
    assert len({*called}) == len(called)
    assert set(called) == set(found.origins)
    assert all(0 < len(name) <= 63 and "--" not in name for name in called)
    assert translations.read_back(found) == found.quotas
    assert translations.refusals(found) == []
    assert translations.not_accepted(found) == []
    assert all("\n" not in line for line in translations.lines(found))


@given(TREES)
def test_any_trees_give_quotas_that_are_taken(trees: Objects) -> None:
    what_comes_out_is_good(translations.of_ack(*trees))


@given(LIMITS)
def test_any_capacity_quotas_give_quotas_that_are_taken(limits: Objects) -> None:
    what_comes_out_is_good(translations.of_capacity(*limits))


@given(HARD)
def test_any_resource_quotas_give_quotas_that_are_taken(hard: Objects) -> None:
    what_comes_out_is_good(translations.of_resource_quotas(*hard))


@given(CONFIGS, SPACES)
def test_any_queues_give_quotas_that_are_taken(config: Any, spaces: Objects) -> None:
    what_comes_out_is_good(translations.of_yunikorn(config, *spaces))


@given(TREES, levels.DICE)
def test_the_order_of_trees_nodes_and_namespaces_decides_nothing(
    trees: Objects, dice: random.Random
) -> None:
    order_decides_nothing(translations.of_ack, trees, dice)


@given(LIMITS, levels.DICE)
def test_the_order_of_capacity_quotas_decides_nothing(limits: Objects, dice: random.Random) -> None:
    order_decides_nothing(translations.of_capacity, limits, dice)


@given(HARD, levels.DICE)
def test_the_order_of_resource_quotas_decides_nothing(hard: Objects, dice: random.Random) -> None:
    order_decides_nothing(translations.of_resource_quotas, hard, dice)


@given(CONFIGS, SPACES, levels.DICE)
def test_the_order_of_queues_and_namespaces_decides_nothing(
    config: Any, spaces: Objects, dice: random.Random
) -> None:
    found = meaning(translations.of_yunikorn(config, *spaces))
    other = translations.of_yunikorn(shuffled(config, dice), *shuffled(spaces, dice))
    assert meaning(other) == found


@given(_WILD)
def test_any_value_is_translated(wild: Any) -> None:
    for spec in (wild, {"root": wild}, {"hard": wild}, {"min": wild, "max": wild}):
        stored = {"metadata": {"name": "x", "namespace": "kube-system"}, "spec": spec}
        for translate in (
            translations.of_ack,
            translations.of_capacity,
            translations.of_resource_quotas,
        ):
            what_comes_out_is_good(translate(stored))
    for config in (wild, {"partitions": wild}, {"partitions": [{"queues": wild}]}):
        what_comes_out_is_good(translations.of_yunikorn(config))


@given(TREES)
def test_what_fits_is_not_fitted_again(trees: Objects) -> None:
    found = translations.of_ack(*trees)
    paths: dict[str, Path] = {names.ROOT_QUOTA: ()}
    for quota in found.quotas:
        paths[quota.name] = (*paths[quota.parent], quota.name)
    drafts = {
        paths[quota.name]: Draft(paths[quota.name], "", "", "", "", min=quota.min, max=quota.max)
        for quota in found.quotas
    }
    remarks: list[Any] = []
    again = fitting.fit(drafts, remarks)
    assert again == {paths[quota.name]: (quota.min, quota.max) for quota in found.quotas}
    assert remarks == []
