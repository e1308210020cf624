"""What a round of decisions takes in a large cluster, and the search for victims in it, in process.

No time counts unless every waiting pod was answered, decisions with notes are those without, and
exactly the pods were chosen whose room is asked for.
"""

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from benchmarks import measure, product
from benchmarks.cluster_lists import Cluster
from benchmarks.measure import Way
from benchmarks.table import Reach, Row
from elasticquota import names
from elasticquota.enforcement.notes import Notes
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota


CLUSTER: Final = Cluster(pods=20_000, nodes=3_000, quotas=1_000, running=Fraction(19, 20))
BORROWERS: Final = 1_000
EACH: Final = 50
"""Pods of a borrower, and nodes."""

WANTED: Final = 50
"""Pods of the owner, and so victims; they have the size of the borrowers' pods."""

_BUDGET: Final = 4.0
_CREATED: Final = "2026-01-01T00:00:00Z"
_TREE: Final = "tree"


def all_cases() -> Iterator[Row]:
    yield from decisions()
    yield from victims()


def decisions() -> Iterator[Row]:
    """Everything decided anew, and after one pod has come or gone."""
    measure.say("decisions")
    ledger, notes = Ledger(), Notes()
    for plural, page in CLUSTER.pages():
        product.take_page(ledger, plural, page)
    _check(product.decision(ledger), product.decision(ledger, notes))
    comers = [
        product.read_pod(document)
        for gone, document in CLUSTER.pod_events(1_000)
        if not gone
        if b'"schedulingGates"' in document
    ]
    stream = itertools.cycle([(gone, pod) for pod in comers for gone in (False, True)])

    def event() -> None:
        product.take_values(ledger, [next(stream)])

    times = measure.in_turns(
        {
            "full": Way(lambda: product.decision(ledger), event),
            "noted": Way(lambda: product.decision(ledger, notes), event),
        },
        _BUDGET,
    )
    _check(product.decision(ledger), product.decision(ledger, notes))
    size = f"{CLUSTER.quotas:,} quotas, {CLUSTER.pods:,} pods, {CLUSTER.waiting:,} waiting"
    yield Row(f"decide, {size}: full", times["full"].median * 1e3, "ms", Reach(60))
    yield Row(f"decide, {size}: after one pod event", times["noted"].median * 1e3, "ms", Reach(1))


def victims() -> Iterator[Row]:
    """One owner waits for what a thousand borrowers hold too much."""
    measure.say("the search for victims")
    ledger = _borrowed()
    found: list[product.Search] = []

    def prepare() -> None:
        found[:] = [product.search(ledger, _TREE, WANTED)]

    def search() -> None:
        chosen = product.victims(found[0])
        if len(chosen) != WANTED:
            raise measure.WrongAnswerError(f"{len(chosen)} victims for {WANTED} waiting pods")

    times = measure.in_turns({"search": Way(search, prepare)}, _BUDGET)
    case = f"victim search, {BORROWERS:,} quotas, {BORROWERS * EACH:,} candidates"
    yield Row(case, times["search"].median * 1e3, "ms", Reach(30), note=f"{WANTED} victims")


def _check(full: Decisions, noted: Decisions) -> None:
    if full != noted:
        raise measure.WrongAnswerError("decisions with notes are not those without")
    if len(full.releases) + len(full.waits) < CLUSTER.waiting:
        raise measure.WrongAnswerError("a waiting pod was not answered")


def _borrowed() -> Ledger:
    """A tree that borrowers fill with pods of one cpu each, and an owner whose pods wait."""
    ledger = Ledger()
    whole = 1000 * BORROWERS * EACH
    root, profile = Key("quotas", "root"), Key("quotas", "pool")
    ledger.upsert_profile(Profile(profile, "pool", _CREATED, root.name, tree_id=_TREE))
    for number in range(EACH):
        offered = {names.CPU: 1000 * BORROWERS, names.PODS: 2 * BORROWERS}
        ledger.upsert_node(Node(f"node-{number}", _CREATED, {}, offered))
    ledger.upsert_quota(
        Quota(
            root, "root", _CREATED, is_parent=True, is_root=True, tree_id=_TREE,
            min={names.CPU: whole}, max={names.CPU: whole}, profile=profile.name,
        )
    )  # fmt: skip
    _quota(ledger, "owner", 1000 * WANTED, whole)
    for number in range(WANTED):
        _pod(ledger, "owner", number, gates=(names.GATE,))
    for borrower in range(BORROWERS):
        name = f"borrower-{borrower:04}"
        _quota(ledger, name, 1000 * EACH // 2, whole)
        for number in range(EACH):
            _pod(ledger, name, number, node_name=f"node-{number}")
    return ledger


def _quota(ledger: Ledger, name: str, low: int, high: int) -> None:
    ledger.upsert_quota(
        Quota(
            Key("quotas", name), name, _CREATED, parent="root", tree_id=_TREE,
            min={names.CPU: low}, max={names.CPU: high},
        )
    )  # fmt: skip


def _pod(
    ledger: Ledger, quota: str, number: int, *, node_name: str = "", gates: tuple[str, ...] = ()
) -> None:
    name = f"{quota}-{number}"
    ledger.upsert_pod(
        Pod(
            Key("pods", name), name, _CREATED, quota, {names.CPU: 1000, names.PODS: 1},
            node_name=node_name, started=_CREATED if node_name else "", gates=gates,
        )
    )  # fmt: skip
