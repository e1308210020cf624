"""A pod of a tree runs on the tree's nodes: the laws of the merge, with a patch library as oracle.

``matches`` is the scheduler's rule, written down here a second time: a term matches when all its
expressions hold, terms are alternatives, a term without any matches nothing.
"""

import copy
from typing import Any

import jsonpatch
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elasticquota.defaults import pod_affinity
from elasticquota.model.selector import Requirement, Selector
from elasticquota.wire import patch, review


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
POOL = Selector((Requirement("pool", "In", ("gpu",)),))


def required(*terms: dict[str, Any]) -> dict[str, Any]:
    return {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}}


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


IN_POOL = expression("pool", "In", "gpu")


def operations(pod: dict[str, Any], selector: Selector) -> list[dict[str, Any]]:
    present = msgspec.convert(pod, review.NewPod).spec.affinity
    return patch.affinity(present, pod_affinity.narrow(patch.terms(present), selector))


def merged(affinity: dict[str, Any] | None, selector: Selector = POOL) -> Any:
    """The affinity after the patch, applied by the library, and that a second one is empty."""
    pod: dict[str, Any] = {"spec": {} if affinity is None else {"affinity": affinity}}
    before = copy.deepcopy(pod)
    after = jsonpatch.apply_patch(pod, operations(pod, selector))
    assert pod == before
    assert operations(after, selector) == []
    return after["spec"].get("affinity")


ZONE = expression("zone", "Gt", "3")
FIELDS = [expression("metadata.name", "In", "node-1")]
PREFERRED = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {}}]}

CASES: list[tuple[str, dict[str, Any] | None, dict[str, Any]]] = [
    ("no affinity", None, required({"matchExpressions": [IN_POOL]})),
    (
        "affinity to pods only",
        {"podAffinity": {}},
        {"podAffinity": {}, **required({"matchExpressions": [IN_POOL]})},
    ),
    (
        "preferred nodes only",
        {"nodeAffinity": PREFERRED},
        {
            "nodeAffinity": {
                **PREFERRED,
                **required({"matchExpressions": [IN_POOL]})["nodeAffinity"],
            }
        },
    ),
    ("an empty list of terms", required(), required({"matchExpressions": [IN_POOL]})),
    (
        "every alternative is narrowed",
        required({"matchExpressions": [ZONE]}, {"matchExpressions": [ZONE, ZONE]}),
        required(
            {"matchExpressions": [ZONE, IN_POOL]}, {"matchExpressions": [ZONE, ZONE, IN_POOL]}
        ),
    ),
    (
        "fields stay and get expressions beside them",
        required({"matchFields": FIELDS}),
        required({"matchFields": FIELDS, "matchExpressions": [IN_POOL]}),
    ),
    (
        "an empty alternative stays matching nothing",
        required({}, {"matchExpressions": [ZONE]}, {"matchExpressions": []}),
        required({}, {"matchExpressions": [ZONE, IN_POOL]}, {"matchExpressions": []}),
    ),
    (
        "what is there is not added again",
        required({"matchExpressions": [IN_POOL]}),
        required({"matchExpressions": [IN_POOL]}),
    ),
    (
        "the same key with other values is another expression",
        required({"matchExpressions": [expression("pool", "In", "gpu", "cpu")]}),
        required({"matchExpressions": [expression("pool", "In", "gpu", "cpu"), IN_POOL]}),
    ),
    (
        "null is as good as absent",
        {"nodeAffinity": None},
        required({"matchExpressions": [IN_POOL]}),
    ),
]


@pytest.mark.parametrize(
    ("before", "after"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_the_selector_goes_into_every_alternative(
    before: dict[str, Any] | None, after: dict[str, Any]
) -> None:
    assert merged(before) == after


def test_an_empty_selector_adds_nothing() -> None:
    assert merged(None, Selector()) is None
    assert merged(required({"matchExpressions": [ZONE]}), Selector()) == required(
        {"matchExpressions": [ZONE]}
    )


def test_a_selector_that_could_not_be_read_adds_nothing() -> None:
    assert merged(None, Selector((Requirement("", "In", ()),))) is None


def test_existence_has_no_values() -> None:
    selector = Selector((Requirement("gpu", "Exists"),))
    assert merged(None, selector) == required(
        {"matchExpressions": [{"key": "gpu", "operator": "Exists"}]}
    )


KEYS = st.sampled_from(["pool", "zone", "gpu"])
VALUES = st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True)
REQUIREMENTS = st.builds(
    lambda key, operator, values: Requirement(key, operator, tuple(sorted(values))),
    KEYS,
    st.sampled_from(["In", "NotIn"]),
    VALUES,
) | st.builds(Requirement, KEYS, st.sampled_from(["Exists", "DoesNotExist"]))
SELECTORS = st.lists(REQUIREMENTS, max_size=3, unique=True).map(
    lambda found: Selector(tuple(sorted(found)))
)
EXPRESSIONS = REQUIREMENTS.map(lambda found: expression(found.key, found.operator, *found.values))
TERMS = st.fixed_dictionaries(
    {},
    optional={
        "matchExpressions": st.lists(EXPRESSIONS, max_size=3),
        "matchFields": st.just(FIELDS),
    },
)
AFFINITIES = st.none() | st.lists(TERMS, max_size=3).map(lambda terms: required(*terms))
NODES = st.dictionaries(KEYS, st.sampled_from("abc"))


def matches(affinity: dict[str, Any] | None, labels: dict[str, str]) -> bool:
    """The scheduler's rule, for a node that is called node-1."""
    terms = ((affinity or {}).get("nodeAffinity") or {}).get(REQUIRED, {}).get("nodeSelectorTerms")
    if not terms:
        return True
    return any(
        (term.get("matchExpressions") or term.get("matchFields"))
        and all(
            Requirement(each["key"], each["operator"], tuple(each.get("values", ()))).holds(labels)
            for each in term.get("matchExpressions") or ()
        )
        for term in terms
    )


@settings(deadline=None, max_examples=200)
@given(affinity=AFFINITIES, selector=SELECTORS, labels=NODES)
def test_the_merge_means_both(
    affinity: dict[str, Any] | None, selector: Selector, labels: dict[str, str]
) -> None:
    both = matches(affinity, labels) and selector.matches(labels)
    assert matches(merged(affinity, selector), labels) is both
