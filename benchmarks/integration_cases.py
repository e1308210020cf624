"""Measures how long external objects take to become quotas, and an edited node to take effect.

A time counts only if there is a quota for every node, the edit changes exactly one of them, and the
decision has its new figure.
"""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from benchmarks import integration_objects, measure, product
from benchmarks.measure import Times, Way
from benchmarks.table import Row, Target
from elasticquota import names
from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.integrations.translation import sync
from elasticquota.integrations.translation.translation import Translation
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.structs import replace
from elasticquota.wire.codec.metadata import StatusManifest


COUNT: Final = 2_000
"""Nodes of the tree, queues, quotas."""

PODS: Final = 3
"""Of each leaf; all are running."""

_NODES: Final = 200
_BUDGET: Final = 5.0
_CREATED: Final = "2026-01-01T00:00:00Z"


def all_cases() -> Iterator[Row]:
    yield from translations()
    yield from one_node()


def translations() -> Iterator[Row]:
    """Translate everything from the start, except that the text is already parsed."""
    measure.say("translations")
    tree = msgspec.json.encode(integration_objects.tree(COUNT))
    queues = integration_objects.queues(COUNT)
    quotas = integration_objects.capacity(COUNT)
    read_tree, read_queues = product.read_object(tree), product.read_queues(queues)
    read_quotas = [product.read_object(each) for each in quotas]
    times = measure.in_turns(
        {
            "json": Way(lambda: product.read_object(tree)),
            "tree": Way(lambda: product.from_tree(read_tree)),
            "yaml": Way(lambda: product.read_queues(queues)),
            "queues": Way(lambda: product.from_queues(read_queues)),
            "objects": Way(lambda: [product.read_object(each) for each in quotas]),
            "quotas": Way(lambda: product.from_capacity(read_quotas)),
        },
        _BUDGET,
    )
    # The tree's root limits the sum of its children, so it is a quota; YuniKorn's root is none, and
    # the root of capacity scheduling's quotas is not among them.
    _check(product.from_tree(read_tree), COUNT)
    _check(product.from_queues(read_queues), COUNT - 1)
    _check(product.from_capacity(read_quotas), COUNT + 1)
    for case, text, way in (
        (f"ElasticQuotaTree of {COUNT:,} nodes", "json", "tree"),
        (f"queues.yaml of {COUNT:,} queues", "yaml", "queues"),
        (f"{COUNT:,} capacity quotas", "objects", "quotas"),
    ):
        yield _row(f"{case}: decoding the text", times[text])
        yield _row(f"{case}: translation", times[way], Target(100))


def one_node() -> Iterator[Row]:
    """The tree is updated with another max of one leaf, as a line of its watch."""
    measure.say("one edited node")
    follower, ledger, notes = product.Follower(), _nodes(), CycleCache()
    follower.take(product.read_event(_line(integration_objects.tree(COUNT), {})))
    for step in follower.steps(ledger):
        _write(ledger, step)
    _run_everywhere(ledger)
    product.decision(ledger, notes)
    status = follower.told
    lines = itertools.cycle([_line(each, status) for each in _edits(COUNT)])
    seen: list[StatusManifest] = []
    changed: list[sync.Step] = []

    def come() -> None:
        follower.steps(ledger)
        seen[:] = [product.read_event(next(lines))]

    def translate() -> None:
        follower.take(seen[0])
        changed[:] = follower.steps(ledger)

    def translated() -> None:
        come()
        translate()
        if len(changed) != 1:
            raise measure.WrongAnswerError(f"{len(changed)} quotas differ after one edit")

    def decide() -> None:
        _write(ledger, changed[0])
        product.decision(ledger, notes)

    def all_of_it() -> None:
        seen[:] = [product.read_event(next(lines))]
        translate()
        decide()

    sibling = next(quota for quota in ledger.quotas.values() if quota.namespaces)
    leaf = replace(
        sibling, key=Key(sibling.key.namespace, "late"), uid="late", namespaces=("late",),
        kept_for="",
    )  # fmt: skip

    def come_or_go() -> None:
        if leaf.key in ledger.quotas:
            ledger.delete_quota(leaf.key)
        else:
            ledger.upsert_quota(leaf)
        product.decision(ledger, notes)

    times = measure.in_turns(
        {
            "event": Way(lambda: product.read_event(next(lines))),
            "translate": Way(translate, come),
            "decide": Way(decide, translated),
            "all": Way(all_of_it, lambda: follower.steps(ledger)),
            "leaf": Way(come_or_go),
        },
        _BUDGET,
    )
    translated()
    decide()
    _check_decided(ledger, notes, changed[0])
    case = f"one edited node of {COUNT:,}"
    yield _row(f"{case}: decoding the event", times["event"])
    yield _row(f"{case}: from there to what is to be written", times["translate"])
    yield _row(f"{case}: from there to decisions", times["decide"], Target(5))
    yield _row(f"{case}: all of it, in one go", times["all"], Target(200))
    case = f"a leaf that comes or goes among {COUNT:,}: to decisions"
    yield _row(case, times["leaf"], Target(10))


def _row(case: str, times: Times, reach: Target | None = None) -> Row:
    note = f"{times.work * 1e3:.1f} ms of the processor"
    return Row(case, times.median * 1e3, "ms", reach, note=note)


def _edits(count: int) -> Iterator[dict[str, Any]]:
    """The tree with a different max of a middle leaf each time.

    There are enough of them that no implementation meets a max that a previous one left.
    """
    for number in range(100, 107):
        found = integration_objects.tree(count)
        leaves = list(integration_objects.leaves(found["spec"]["root"]))
        leaves[len(leaves) // 2]["max"][names.CPU] = str(number)
        yield found


def _line(tree: dict[str, Any], status: Mapping[str, Any]) -> bytes:
    """A watch event."""
    return msgspec.json.encode({"type": "MODIFIED", "object": {**tree, "status": status}})


def _nodes() -> Ledger:
    ledger = Ledger()
    for number in range(_NODES):
        offered = {names.CPU: 10**6, names.MEMORY: 2**42, names.PODS: 500}
        ledger.upsert_node(Node(f"node-{number}", _CREATED, {}, offered))
    return ledger


def _write(ledger: Ledger, step: sync.Step) -> None:
    """The object as the API server stores it."""
    if not isinstance(step, sync.Put):
        raise measure.WrongAnswerError(f"{step.key} is not wanted any more")
    quota = step.quota
    ledger.upsert_quota(replace(quota, uid=quota.name, created=_CREATED))


def _run_everywhere(ledger: Ledger) -> None:
    """Pods in all leaves."""
    for quota in ledger.quotas.values():
        for namespace in quota.namespaces:
            for number in range(PODS):
                ledger.upsert_pod(_pod(namespace, number))


def _pod(namespace: str, number: int) -> Pod:
    name = f"pod-{number}"
    request = {names.CPU: 4000, names.MEMORY: 2**34, names.PODS: 1}
    return Pod(
        Key(namespace, name), f"{namespace}-{name}", _CREATED, "", request,
        node_name=f"node-{number}", started=_CREATED,
    )  # fmt: skip


def _check(found: Translation, quotas: int) -> None:
    if len(found.quotas) != quotas:
        raise measure.WrongAnswerError(f"{len(found.quotas)} quotas instead of {quotas}")


def _check_decided(ledger: Ledger, notes: CycleCache, changed: sync.Step) -> None:
    full, noted = product.decision(ledger), product.decision(ledger, notes)
    if full != noted:
        raise measure.WrongAnswerError("decisions with notes are not those without")
    if not isinstance(changed, sync.Put) or changed.quota.max not in [
        each.max for each in full.statuses if each.key == changed.quota.key
    ]:
        raise measure.WrongAnswerError("the edit is not in what is decided")
