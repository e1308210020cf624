"""Sentences agree in number with 0, 1 and 2 of what they count.

``test_every_function_that_counts_is_here`` finds a new message function that this law leaves out.
"""

import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Literal

import pytest

import grammar
from elasticquota import names
from elasticquota.forecast import wording as durations
from elasticquota.forest import wording
from elasticquota.forest.user_limits import Scope, Subject
from elasticquota.ledger.nodes import node_fit
from elasticquota.model import workload
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.reporting import waits
from elasticquota.resources import Resources
from elasticquota.scheduling.snapshot.reasons import Bounds, Guarantee, Shortage
from elasticquota.scheduling.snapshot.user_limits import Reached
from elasticquota.status import amounts_text, messages
from elasticquota.status.messages import Message
from elasticquota.structs import replace


COUNTS = (0, 1, 2)
POD = Pod(Key("teams", "a"), "uid-a", "2026-01-01", request={"cpu": 2_000, names.PODS: 1})
RESOURCES = {"cpu": 1_000, names.PODS: 1, "nvidia.com/gpu": 1}
"""Accounting units of one of each."""
WHERE: tuple[Literal["own", "ancestor", "nodes"], ...] = ("own", "ancestor", "nodes")
POOL = "a100.pool.elasticquota.dev/pods"
"""Pod slots of a pool."""


def pod(key: str, amount: int) -> Pod:
    return replace(POD, request={key: amount})


def gang(size: int) -> workload.Workload:
    pods = [replace(POD, key=Key("teams", f"p-{place}")) for place in range(size)]
    return workload.gang(Key("teams", "train"), pods or [POD])


def of_shortage(asked: int, share: int) -> Iterator[Message]:
    """Of all kinds and resources, with 0, 1 and 2 left."""
    for key, one in RESOURCES.items():
        for where in WHERE:
            for left in COUNTS:
                short = Shortage(where, "b", (key,), {key: share * one}, {key: left * one})
                own = Bounds({key: asked * one}, {key: share * one})
                users = [("c", share * one)]
                low = {key: asked * one}
                for owed in (None, Guarantee("", low), Guarantee("d", low)):
                    yield messages.shortage(pod(key, asked * one), short, own, users, owed)
                yield messages.shortage(gang(asked), short, own, users)


def of_obstacles(count: int) -> Counter[str]:
    found = (
        "",
        "are being removed by an autoscaler",
        "are cordoned",
        "do not match its node affinity",
        "have taint gpu:NoSchedule",
        "lack label disk=ssd",
    )
    return Counter(dict.fromkeys(found, count))


def of_limit(held: int, most: int) -> Iterator[Message]:
    for subject in (Subject("user", "ann"), Subject("all")):
        scope = Scope("a", subject)
        for key, one in RESOURCES.items():
            yield messages.limit_reached(POD, Reached(scope, key, held * one, most * one))
        yield messages.limit_reached(POD, Reached(scope, "", held, most))


def of_bounds(
    write: Callable[[workload.Workload, tuple[str, ...], Resources, Resources], Message],
    asked: int,
    count: int,
) -> Iterator[Message]:
    for key, one in RESOURCES.items():
        yield write(pod(key, asked * one), (key,), {key: count * one}, {key: count * one})


PAIRS: dict[str, Callable[[int, int], Iterator[Message]]] = {
    "shortage": of_shortage,
    "no_node": lambda one, other: iter(
        [
            messages.no_node(pod(names.PODS, other), of_obstacles(one)),
            messages.no_node(gang(other), of_obstacles(one)),
        ]
    ),
    "many_without_node": lambda one, _: iter([messages.many_without_node(one + 2)]),
    "limit_reached": of_limit,
    "max_exhausted": lambda one, other: of_bounds(messages.max_exhausted, one, other),
    "non_preemptible": lambda one, other: of_bounds(messages.non_preemptible, one, other),
    "surplus_of_group": lambda one, _: iter([messages.surplus_of_group(POD, one)]),
}
WITHOUT_COUNT = {
    "asked_for_nodes",
    "behind",
    "infeasible",
    "member_gated",
    "not_accepted",
    "of",
    "other_gates",
    "others_unbound",
    "release_refused",
    "strict",
}


def test_every_function_that_counts_is_here() -> None:
    functions = {
        name
        for name, found in inspect.getmembers(messages, inspect.isfunction)
        if found.__module__ == messages.__name__ and not name.startswith("_")
    }
    assert PAIRS.keys() | WITHOUT_COUNT == functions


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("one", COUNTS)
@pytest.mark.parametrize("other", COUNTS)
def test_a_message_of_a_wait_agrees_with_its_counts(name: str, one: int, other: int) -> None:
    for found in PAIRS[name](one, other):
        text = f"{found.detail}. {found.starts}."
        assert grammar.faults(text) == [], text


@pytest.mark.parametrize("count", COUNTS)
def test_parts_of_sentences_agree_with_their_counts(count: int) -> None:
    for key, one in {**RESOURCES, POOL: 1}.items():
        held = {key: count * one}
        for text in (
            wording.amount(key, count * one),
            wording.amount_is(key, count * one),
            wording.needs(held, key),
            wording.bounds(key, held, held),
            wording.amounts(held),
            amounts_text.used_of_share(held, held, held),
        ):
            assert grammar.faults(text) == [], text
    for text in (
        wording.counted(count, "node"),
        node_fit.listed(Counter({why: n for why, n in of_obstacles(count).items() if why})),
        waits.none(count),
        gang(count).title,
        durations.duration(count * 1000),
    ):
        assert grammar.faults(text) == [], text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("needs 1 pods; all are in use", ["1 pods"]),
        ("when 1 pod slot are freed", ["1 pod slot are"]),
        ("when 2 cpu is freed", ["2 cpu is"]),
        ("1 are cordoned, 2 lacks label x", ["1 are", "2 lacks"]),
        ("from 1 other quotas with 0 pod", ["1 other quotas", "0 pod"]),
        ("1 of 2 pods is there; 3 pods wait, 1 waits, 1 cpu is freed", []),
        ("position 1 of 1 in group-1 of 2 pods", []),
    ],
)
def test_the_law_finds_what_disagrees(text: str, found: list[str]) -> None:
    assert grammar.faults(text) == found
