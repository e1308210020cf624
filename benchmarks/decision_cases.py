"""Measures a decision cycle in a large cluster, and the victim search in it, in process.

The cluster is one full tree of equal quotas and equal pods of one cpu each. A time counts only if
decisions with and without notes are the same, every pod without room waits, and exactly as many
victims are chosen as there are pods that need their room.
"""

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Final

from benchmarks import measure, product
from benchmarks.measure import Way
from benchmarks.table import Row, Target
from elasticquota import names
from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.group import Group, GroupObject
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.workload import JobName, QueuedJob
from elasticquota.scheduling.inputs.policy import Policy


QUOTAS: Final = 1_000
RUNNING: Final = 19
"""Running pods of a quota; one more of each waits."""

CANDIDATES: Final = 50
"""Running pods of each borrower."""

WANTED: Final = 50
"""Pods of the owner, which is also the number of victims."""

_AT_ONCE: Final = Policy(grace=0, delay=0, evictions_per_second=QUOTAS)
_SPARE: Final = 3
"""Pods of a quota that its reduced max no longer covers."""

_BUDGET: Final = 4.0
_CREATED: Final = "2026-01-01T00:00:00Z"
_TREE: Final = "tree"
_NODES: Final = 50
_GROUPS: Final = 500
_EACH: Final = 100


def all_cases() -> Iterator[Row]:
    yield from decisions()
    yield from victims()
    yield from one_group()
    yield from many_groups()
    yield from one_job()


def decisions() -> Iterator[Row]:
    """Measure a decision without notes, and one after a waiting pod was added or removed."""
    measure.say("decisions")
    ledger, notes = packed(), CycleCache()
    greedy, its_notes = packed(), CycleCache()
    _greedy(greedy)
    for each, kept in ((ledger, notes), (greedy, its_notes)):
        _check(each, kept)
    times = measure.in_turns(
        {
            "noted": Way(lambda: product.decision(ledger, notes), _comings_and_goings(ledger)),
            "greedy": Way(lambda: product.decision(greedy, its_notes), _comings_and_goings(greedy)),
            "full": Way(lambda: product.decision(ledger)),
        },
        _BUDGET,
    )
    for each, kept in ((ledger, notes), (greedy, its_notes)):
        _check(each, kept)
    pods = QUOTAS * (RUNNING + 1)
    case = f"decide, {QUOTAS:,} quotas, {pods:,} pods, {QUOTAS:,} waiting"
    yield Row(f"{case}: full", times["full"].median * 1e3, "ms", Target(60))
    yield Row(f"{case}: after one pod event", times["noted"].median * 1e3, "ms", Target(1))
    yield Row(f"{case}: the same, and a quota holds too much", times["greedy"].median * 1e3, "ms")


def packed() -> Ledger:
    """The running pods just fit, and one more pod of every quota waits."""
    ledger = _full(QUOTAS * RUNNING + _SPARE)
    for number in range(QUOTAS):
        name = _borrower(ledger, number, RUNNING)
        _pod(ledger, name, RUNNING, gates=(names.GATE,))
    _quota(ledger, "rest", _SPARE)
    for number in range(_SPARE):
        _pod(ledger, "rest", number, node_name="node-0")
    return ledger


def _greedy(ledger: Ledger) -> None:
    """Reduce the max of a quota below what it uses."""
    _quota(ledger, "rest", 0, high=1)


def _comings_and_goings(ledger: Ledger) -> Callable[[], None]:
    """Add and remove a waiting pod by turns, each time of another quota."""
    quotas = itertools.cycle([number for number in range(QUOTAS) for _ in (0, 1)])
    turns = itertools.cycle((False, True))

    def event() -> None:
        name = f"borrower-{next(quotas):04}"
        if next(turns):
            ledger.delete_pod(Key("pods", f"{name}-late"))
        else:
            _pod(ledger, name, "late", gates=(names.GATE,))

    return event


def victims() -> Iterator[Row]:
    """Measure the search for one owner in a thousand borrowers above their runtime."""
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
    case = f"victim search, {QUOTAS:,} quotas, {QUOTAS * CANDIDATES:,} candidates"
    yield Row(case, times["search"].median * 1e3, "ms", Target(30), note=f"{WANTED} victims")


def one_group() -> Iterator[Row]:
    """Measure a decision that evicts from a quota whose pods all name one group.

    With a size of 1 no pod belongs to a gang, with the other one gang has all of them.
    """
    measure.say("pods of one group")
    for size in (1, QUOTAS):
        ledger = _full(QUOTAS)
        _quota(ledger, "owner", 1)
        _pod(ledger, "owner", "late", gates=(names.GATE,))
        _quota(ledger, "borrower", 0)
        for number in range(QUOTAS):
            _pod(
                ledger, "borrower", number, node_name=f"node-{number % _NODES}",
                group=Group("all", size),
            )  # fmt: skip
        wanted = 1 if size == 1 else QUOTAS

        def decide(ledger: Ledger = ledger, wanted: int = wanted) -> None:
            evicted = len(product.decision(ledger, policy=_AT_ONCE).evictions)
            if evicted != wanted:
                raise measure.WrongAnswerError(f"{evicted} evictions instead of {wanted}")

        times = measure.in_turns({"decide": Way(decide)}, _BUDGET)
        case = f"decide, one pod waits, {QUOTAS:,} pods of one group of size {size:,}"
        yield Row(case, times["decide"].median * 1e3, "ms")


def many_groups() -> Iterator[Row]:
    """Measure an event of one waiting pod among many groups, by what states their sizes."""
    measure.say("an event among many groups")
    for way in ("pods", "objects"):
        ledger = _full(1)
        _quota(ledger, "team", 1)
        for number in range(_GROUPS * _EACH):
            ledger.upsert_group_object(GroupObject(Key("pods", _of(number, way).source), _EACH))
            _pod(ledger, "team", number, gates=(names.GATE,), group=_of(number, way))
        priorities = itertools.count()

        def event(
            ledger: Ledger = ledger, way: str = way, priorities: Iterator[int] = priorities
        ) -> None:
            _pod(
                ledger, "team", 0, gates=(names.GATE,), group=_of(0, way),
                priority=next(priorities),
            )  # fmt: skip

        read = functools.partial(product.standing, ledger)
        read()
        times = measure.in_turns({"event": Way(read, event)}, _BUDGET)
        case = (
            f"an event of one of {_GROUPS * _EACH:,} waiting pods in {_GROUPS:,} groups whose "
            f"{way} state the sizes, until the sums can be read"
        )
        yield Row(case, times["event"].median * 1e3, "ms")


def _of(number: int, way: str) -> Group:
    name = f"volcano/{number // _EACH}"
    return Group(name, 0 if way == "objects" else _EACH, name)


def one_job() -> Iterator[Row]:
    """Measure an event of one pod of a queued job with many pods."""
    measure.say("a pod of a large job")
    ledger = _full(QUOTAS)
    _quota(ledger, "team", QUOTAS)
    ledger.upsert_job(
        QueuedJob(
            Key("pods", "job.batch/train"), "train", _CREATED,
            JobName("Job", Key("pods", "train")), "team",
            request={names.CPU: 1000 * QUOTAS}, labels=("job=train",),
        )
    )  # fmt: skip
    for number in range(QUOTAS):
        _pod(ledger, "team", number, node_name=f"node-{number % _NODES}", jobs=("job=train",))
    priorities = itertools.count()

    def event() -> None:
        _pod(
            ledger, "team", 0, node_name="node-0", jobs=("job=train",), priority=next(priorities)
        )  # fmt: skip

    times = measure.in_turns({"event": Way(lambda: product.standing(ledger), event)}, _BUDGET)
    case = f"an event of one pod of a queued job with {QUOTAS:,} pods, until the sums can be read"
    yield Row(case, times["event"].median * 1e3, "ms")


def _check(ledger: Ledger, notes: CycleCache) -> None:
    full, noted = product.decision(ledger), product.decision(ledger, notes)
    if full != noted:
        raise measure.WrongAnswerError("decisions with notes are not those without")
    if full.releases or full.evictions or len(full.waits) < QUOTAS:
        raise measure.WrongAnswerError("a pod was admitted or evicted, or has no answer")


def _borrowed() -> Ledger:
    """Borrowers use everything, and an owner's pods wait."""
    ledger = _full(QUOTAS * CANDIDATES)
    _quota(ledger, "owner", WANTED)
    for number in range(WANTED):
        _pod(ledger, "owner", number, gates=(names.GATE,))
    for number in range(QUOTAS):
        _borrower(ledger, number, CANDIDATES)
    return ledger


def _full(cpus: int) -> Ledger:
    """A tree with this many cpus."""
    ledger = Ledger()
    root, profile = Key("quotas", "root"), Key("quotas", "pool")
    ledger.upsert_profile(Profile(profile, "pool", _CREATED, root.name, tree_id=_TREE))
    for number in range(_NODES):
        offered = {names.CPU: 1000 * cpus // _NODES, names.PODS: 2 * cpus}
        ledger.upsert_node(Node(f"node-{number}", _CREATED, {}, offered))
    whole = {names.CPU: 1000 * cpus}
    ledger.upsert_quota(
        Quota(
            root, "root", _CREATED, is_parent=True, is_root=True, tree_id=_TREE,
            min=whole, max=whole, profile=profile.name,
        )
    )  # fmt: skip
    return ledger


def _borrower(ledger: Ledger, number: int, running: int) -> str:
    """A quota of this name; half of its running pods is its min."""
    name = f"borrower-{number:04}"
    _quota(ledger, name, running // 2)
    for each in range(running):
        _pod(ledger, name, each, node_name=f"node-{each % _NODES}")
    return name


def _quota(ledger: Ledger, name: str, low: int, high: int = QUOTAS * CANDIDATES) -> None:
    ledger.upsert_quota(
        Quota(
            Key("quotas", name), name, _CREATED, parent="root", tree_id=_TREE,
            min={names.CPU: 1000 * low}, max={names.CPU: 1000 * high},
        )
    )  # fmt: skip


def _pod(
    ledger: Ledger,
    quota: str,
    number: int | str,
    *,
    node_name: str = "",
    gates: tuple[str, ...] = (),
    group: Group | None = None,
    jobs: tuple[str, ...] = (),
    priority: int = 0,
) -> None:
    name = f"{quota}-{number}"
    ledger.upsert_pod(
        Pod(
            Key("pods", name), name, _CREATED, quota, {names.CPU: 1000, names.PODS: 1},
            node_name=node_name, started=_CREATED if node_name else "", gates=gates,
            group=group, jobs=jobs, priority=priority,
        )
    )  # fmt: skip
