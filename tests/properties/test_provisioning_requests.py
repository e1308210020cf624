"""Laws: any ProvisioningRequest is read, its names are valid, its templates stay in their tree."""

import re
from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

import law_breaks
from elasticquota.jobs import phase
from elasticquota.model.key import Key
from elasticquota.model.owner import Owner
from elasticquota.model.selector import Requirement, Selector
from elasticquota.provisioning import answer, manifests, pod_sets, step
from elasticquota.provisioning.answer import ProvisioningAnswer
from elasticquota.provisioning.manifests import Asking
from elasticquota.provisioning.step import ProvisioningTerms


STEP: Final[Callable[..., Any]] = step.step
_NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", re.ASCII)
REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"

leaves = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
words = st.sampled_from(
    ("type", "status", "conditions", "True", "Provisioned", "Failed", "name", "uid", "podSets")
)


def shaped(keys: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """JSON of any shape, in which ``keys`` occur."""
    return st.recursive(
        leaves | words,
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(keys | st.text(max_size=4), inner, max_size=4)
        ),
        max_leaves=12,
    )


anything = shaped(words)
texts = st.text(max_size=60)


def mostly(usual: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """What is usual, and now and then any other shape."""
    return st.one_of(*[usual] * 7, anything)


def under(key: str, inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return mostly(st.fixed_dictionaries({key: inner}))


expression = st.fixed_dictionaries({"key": st.sampled_from(("pool", "disk")), "operator": words})
term = under("matchExpressions", mostly(st.lists(mostly(expression), max_size=2)))
affinities = under(
    "nodeAffinity", under(REQUIRED, under("nodeSelectorTerms", st.lists(term, max_size=3)))
)


def asking(namespace: str, name: str, uids: list[str], counts: list[int]) -> Asking:
    owner = Owner("v1", "Pod", "p", "u")
    return manifests.asking(Key(namespace, name), uids, [owner], "class", (), counts)


@given(anything, anything, anything, anything)
def test_a_request_of_any_shape_is_read_and_is_never_taken_for_ours(
    status: Any, spec: Any, owners: Any, annotations: Any
) -> None:
    stored = {
        "metadata": {"name": "x-1", "ownerReferences": owners, "annotations": annotations},
        "spec": spec,
        "status": status,
    }
    assert len(answer.read(stored).text) <= 300
    assert all(name.startswith("x-1-") for name in manifests.templates(stored))
    manifests.subject(stored)
    assert not manifests.is_ours(stored, asking("n", "train", ["a"], [1]), 1)


@given(texts, texts, st.lists(texts, max_size=3), st.lists(st.integers(1, 9), min_size=1))
def test_every_name_is_valid_and_its_attempt_is_found_in_it(
    namespace: str, name: str, uids: list[str], counts: list[int]
) -> None:
    asked = asking(namespace, name, uids, counts)
    for attempt in (1, 12, 999_999):
        made = asked.name(attempt)
        assert _NAME.fullmatch(made)
        assert len(asked.template(attempt, 31)) <= 63 + 8
        assert manifests.attempt_of(made, asked.prefix) == attempt
        assert manifests.is_ours(manifests.request(asked, attempt), asked, attempt)


@given(st.lists(texts, min_size=1, max_size=4, unique=True), st.randoms(use_true_random=False))
def test_a_name_does_not_depend_on_the_order_of_the_parts(uids: list[str], random: Any) -> None:
    mixed = list(uids)
    random.shuffle(mixed)
    assert asking("n", "a", mixed, [1]).prefix == asking("n", "a", uids, [1]).prefix


@given(affinities)
def test_a_template_of_any_shape_is_made_and_stays_on_the_nodes_of_its_tree(affinity: Any) -> None:
    pool = Selector((Requirement("pool", "In", ("a",)),))
    made = pod_sets.template_of({"spec": {"affinity": affinity}}, pool)["spec"].get("affinity")
    if affinity and not isinstance(affinity, dict):
        assert made == affinity  # the API server refuses it
        return
    of_nodes = made["nodeAffinity"]
    if not isinstance(of_nodes, dict):
        return
    for term in of_nodes[REQUIRED]["nodeSelectorTerms"]:
        if not isinstance(term, dict) or not term.get("matchExpressions"):
            continue
        if isinstance(term["matchExpressions"], list):  # the API server refuses the others
            expression = {"key": "pool", "operator": "In", "values": ["a"]}
            assert expression in term["matchExpressions"]


@given(
    st.none()
    | st.builds(
        ProvisioningAnswer, st.sampled_from(("silent", "waiting", "provisioned", "refused"))
    ),
    st.integers(0, 10**13),
    st.integers(1, 10**6),
    st.integers(-900_000, 10**13) | st.integers(-1000, 1000),
)
def test_nothing_is_held_beyond_its_time(
    found: ProvisioningAnswer | None, asked: int, attempt: int, beyond: int
) -> None:
    terms = ProvisioningTerms("class")
    now = asked + terms.timeout + beyond
    result = step.step("x", found, asked, attempt, terms, now)
    if beyond >= 0:
        assert result.verdict != "hold"
    if result.verdict == "hold":
        assert result.due > now
    if result.verdict == "back":
        assert result.due <= now + phase.LONGEST_BACKOFF


def _late(*asked: Any) -> step.ProvisioningStep:
    """As it would be a millisecond earlier."""
    result: step.ProvisioningStep = STEP(*[*asked[:-1], asked[-1] - 1])
    return result


@pytest.mark.parametrize(
    ("law", "owner", "name", "wrong"),
    [
        (
            test_a_request_of_any_shape_is_read_and_is_never_taken_for_ours,
            manifests,
            "is_ours",
            lambda *_: True,
        ),
        (
            test_every_name_is_valid_and_its_attempt_is_found_in_it,
            manifests,
            "_UNFIT",
            re.compile(" "),
        ),
        (test_a_name_does_not_depend_on_the_order_of_the_parts, manifests, "sorted", list),
        (
            test_a_template_of_any_shape_is_made_and_stays_on_the_nodes_of_its_tree,
            pod_sets,
            "_narrowed",
            lambda term, _: term,
        ),
        (test_nothing_is_held_beyond_its_time, step, "step", _late),
    ],
)
def test_a_law_fails_without_what_it_is_about(
    law: Callable[..., None], owner: object, name: str, wrong: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, wrong, raising=False)
    assert law_breaks.notices(law, monkeypatch)
