"""A pod of a tree runs on the tree's nodes: the laws of the merge, with a patch library as oracle.

``matches`` is the scheduler's rule, written down here a second time: a term matches when all its
expressions and fields hold, terms are alternatives, a term without any matches nothing.
"""

import copy
from typing import Any

import jsonpatch
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elasticquota.model.selector import Requirement, Selector
from elasticquota.wire.admission import patch, review


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
POOL = Selector((Requirement("pool", "In", ("gpu",)),))


def required(*terms: dict[str, Any]) -> dict[str, Any]:
    return {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}}


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


IN_POOL = expression("pool", "In", "gpu")


def operations(pod: dict[str, Any], selector: Selector) -> list[dict[str, Any]]:
    spec = msgspec.convert(pod, review.NewPod).spec
    return patch.affinity(spec.node_selector, spec.affinity, selector)


def merged(
    affinity: dict[str, Any] | None, selector: Selector = POOL, labels: dict[str, str] | None = None
) -> Any:
    """The affinity after the patch, applied by the library, and that a second one is empty.

    ``labels`` are the pod's nodeSelector.
    """
    pod: dict[str, Any] = {"spec": {} if affinity is None else {"affinity": affinity}}
    if labels:
        pod["spec"]["nodeSelector"] = labels
    before = copy.deepcopy(pod)
    after = jsonpatch.apply_patch(pod, operations(pod, selector))
    assert pod == before
    assert operations(after, selector) == []
    return after["spec"].get("affinity")


ZONE = expression("zone", "Gt", "3")
FIELDS = [expression("metadata.name", "In", "node-1")]
ELSEWHERE = [expression("metadata.name", "NotIn", "node-1")]
PREFERRED = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {}}]}

CASES: dict[str, tuple[dict[str, Any] | None, dict[str, Any]]] = {
    "no affinity": (None, required({"matchExpressions": [IN_POOL]})),
    "affinity to pods only": (
        {"podAffinity": {}},
        {"podAffinity": {}, **required({"matchExpressions": [IN_POOL]})},
    ),
    "preferred nodes only": (
        {"nodeAffinity": PREFERRED},
        {
            "nodeAffinity": {
                **PREFERRED,
                **required({"matchExpressions": [IN_POOL]})["nodeAffinity"],
            }
        },
    ),
    "an empty list of terms": (required(), required({"matchExpressions": [IN_POOL]})),
    "every alternative is narrowed": (
        required({"matchExpressions": [ZONE]}, {"matchExpressions": [ZONE, ZONE]}),
        required(
            {"matchExpressions": [ZONE, IN_POOL]}, {"matchExpressions": [ZONE, ZONE, IN_POOL]}
        ),
    ),
    "fields stay and get expressions beside them": (
        required({"matchFields": FIELDS}),
        required({"matchFields": FIELDS, "matchExpressions": [IN_POOL]}),
    ),
    "an empty alternative stays matching nothing": (
        required({}, {"matchExpressions": [ZONE]}, {"matchExpressions": []}),
        required({}, {"matchExpressions": [ZONE, IN_POOL]}, {"matchExpressions": []}),
    ),
    "what is there is not added again": (
        required({"matchExpressions": [IN_POOL]}),
        required({"matchExpressions": [IN_POOL]}),
    ),
    "the same key with other values is another expression": (
        required({"matchExpressions": [expression("pool", "In", "gpu", "cpu")]}),
        required({"matchExpressions": [expression("pool", "In", "gpu", "cpu"), IN_POOL]}),
    ),
    "null is as good as absent": (
        {"nodeAffinity": None},
        required({"matchExpressions": [IN_POOL]}),
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
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
EXPRESSIONS = REQUIREMENTS.map(
    lambda found: expression(found.key, found.operator, *found.values)
) | st.builds(expression, KEYS, st.sampled_from(["Gt", "Lt"]), st.sampled_from("012"))
TERMS = st.fixed_dictionaries(
    {},
    optional={
        "matchExpressions": st.lists(EXPRESSIONS, max_size=3),
        "matchFields": st.sampled_from([FIELDS, ELSEWHERE]),
    },
)
AFFINITIES = st.none() | st.lists(TERMS, max_size=3).map(lambda terms: required(*terms))
NODES = st.dictionaries(KEYS, st.sampled_from("abc012"))


def holds(expression: dict[str, Any], labels: dict[str, str]) -> bool:
    value, given = labels.get(expression["key"]), expression.get("values", [])
    match expression["operator"]:
        case "In":
            return value in given
        case "NotIn":
            return value not in given
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt":
            return value is not None and value.isdigit() and int(value) > int(given[0])
        case _:
            return value is not None and value.isdigit() and int(value) < int(given[0])


def matches(affinity: dict[str, Any] | None, labels: dict[str, str]) -> bool:
    """The scheduler's rule, for a node that is called node-1."""
    terms = ((affinity or {}).get("nodeAffinity") or {}).get(REQUIRED, {}).get("nodeSelectorTerms")
    if not terms:
        return True
    return any(
        (term.get("matchExpressions") or term.get("matchFields"))
        and all(holds(each, labels) for each in term.get("matchExpressions") or ())
        and all(holds(each, {"metadata.name": "node-1"}) for each in term.get("matchFields") or ())
        for term in terms
    )


@settings(deadline=None, max_examples=200)
@given(affinity=AFFINITIES, selector=SELECTORS, node=NODES, labels=NODES)
def test_the_merge_means_both(
    affinity: dict[str, Any] | None,
    selector: Selector,
    node: dict[str, str],
    labels: dict[str, str],
) -> None:
    """On each node that the pod's nodeSelector (``labels``) allows."""
    node |= labels
    both = matches(affinity, node) and selector.matches(node)
    assert matches(merged(affinity, selector, labels), node) is both


@pytest.mark.parametrize(
    ("requirement", "added"),
    [
        (Requirement("pool", "In", ("gpu",)), False),
        (Requirement("pool", "In", ("cpu", "gpu")), False),
        (Requirement("pool", "In", ("cpu",)), True),
        (Requirement("pool", "NotIn", ("cpu",)), False),
        (Requirement("pool", "Exists"), False),
        (Requirement("pool", "DoesNotExist"), True),
        (Requirement("zone", "NotIn", ("east",)), True),
        (Requirement("zone", "DoesNotExist"), True),
    ],
)
@pytest.mark.parametrize("affinity", [None, required({"matchExpressions": [ZONE]})])
def test_what_the_pods_node_selector_demands_is_not_added(
    affinity: dict[str, Any] | None, requirement: Requirement, *, added: bool
) -> None:
    after = merged(affinity, Selector((requirement,)), {"pool": "gpu"})
    assert (after != affinity) is added


@settings(deadline=None, max_examples=200)
@given(affinity=AFFINITIES, selector=SELECTORS)
def test_what_a_pod_had_stays_where_it_was(
    affinity: dict[str, Any] | None, selector: Selector
) -> None:
    """The API server lets the affinity of a gated pod grow at the ends, and refuses all else."""
    before = alternatives(affinity)
    after = alternatives(merged(affinity, selector))
    assert len(after) == len(before) or not before
    for old, new in zip(before, after, strict=False):
        length = len(old.get("matchExpressions") or ())
        added = (new.get("matchExpressions") or [])[length:]
        assert (new.get("matchExpressions") or [])[:length] == (old.get("matchExpressions") or [])
        assert new.get("matchFields") == old.get("matchFields")
        assert not [each for each in added if each in (old.get("matchExpressions") or ())]


def alternatives(affinity: dict[str, Any] | None) -> list[dict[str, Any]]:
    node = (affinity or {}).get("nodeAffinity") or {}
    found: list[dict[str, Any]] = node.get(REQUIRED, {}).get("nodeSelectorTerms") or []
    return found
