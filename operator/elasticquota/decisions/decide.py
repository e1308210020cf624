"""Decide: from the ledger of this moment to everything that should be done now.

The one entry for controller, CLI and simulator: verdicts, root quotas, runtimes, releases,
evictions and statuses of one consistent state. It reads no clock (``now`` is an argument). It
brings the ledger's books up to date, and changes nothing else but the caller's ``cache``. The
caller carries its decisions out or drops them; the next cycle decides again.
"""

import operator
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import reduce
from itertools import chain
from typing import Any

from elasticquota import names
from elasticquota.decisions import unowned
from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.derived import built_in, namespace_labels, root_quotas
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.clocks import Clocks
from elasticquota.model.decision import (
    OF_WORKLOADS,
    Condition,
    Decisions,
    Eviction,
    Release,
    Wait,
    WorkloadDecisions,
)
from elasticquota.model.key import Key
from elasticquota.scheduling import cycle
from elasticquota.scheduling.admission import pool_nodes
from elasticquota.scheduling.cycle import CycleInput, TreeDecision
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.status import (
    cycle_conditions,
    eviction_messages,
    pod_messages,
    quota_status,
    wait_texts,
    without_node,
)
from elasticquota.status.room_on_its_way import RoomOnItsWay
from elasticquota.structs import field_names, replace


_DEFAULT_POLICY = Policy()


def decide(
    ledger: Ledger, now: int, policy: Policy = _DEFAULT_POLICY, cache: CycleCache | None = None
) -> Decisions:
    """Decisions for ``ledger`` at ``now`` (milliseconds of any clock that never goes back).

    A ``cache`` that was passed each time before gives the same decisions at less cost.
    """
    cluster = ledger.update(policy.accounting)
    inputs = CycleInput(
        now,
        policy,
        ledger,
        terminating={
            name for name, namespace in ledger.namespaces.items() if namespace.terminating
        },
        overdue=_overdue(ledger.clocks, policy, now),
    )
    cache = cache if cache is not None else CycleCache()
    cache.follow(cluster, inputs)
    decided = _decide_trees(cluster, cache, inputs)
    orphaned = root_quotas.orphaned_since(ledger, cluster, now)
    clocks = replace(_together(each.clocks for each in decided), orphaned_since=orphaned)
    ends = {key: since + root_quotas.KEPT_FOR for key, since in orphaned.items()}
    due = [end for end in chain(ends.values(), *(each.due for each in decided)) if end > now]
    if cluster.changes_in is not None:
        due.append(now + cluster.changes_in)
    head_since = _first_after(clocks.head_since.values(), now - policy.head_of_line)
    if head_since is not None:
        due.append(head_since + policy.head_of_line)
    conditions: dict[str, list[Condition]] = {}
    for each in decided:
        for name, condition in cycle_conditions.of(each, ledger, cluster, policy):
            conditions.setdefault(name, []).append(condition)
    enforced = [each for each in decided if not each.observed]
    observed = [each for each in decided if each.observed]
    unowned_waits = list(wait_texts.texts(unowned.waits(cluster), policy))
    waits: list[Iterable[Wait]] = [
        [wait for wait in unowned_waits if wait.quota not in cluster.observed],
        *(cache.waits(each, policy, RoomOnItsWay(each, cluster, policy)) for each in enforced),
    ]
    decisions = Decisions(
        roots=root_quotas.wanted(ledger, cluster),
        built_in=built_in.wanted(ledger, cluster),
        orphan_roots=tuple(key for key, end in ends.items() if end <= now),
        unequal=tuple(sorted(ledger.unequal)),
        profiles=root_quotas.statuses(ledger, cluster),
        statuses=quota_status.with_conditions(cache.statuses(ledger, cluster), conditions, cluster),
        releases=_releases(ledger, cluster, decided, clocks.pools),
        waits=tuple(chain(*waits)),
        namespace_labels=namespace_labels.wanted(ledger, cluster)
        if policy.label_namespaces
        else (),
        evictions=tuple(chain.from_iterable(_evictions(each, cluster) for each in enforced)),
        would_wait=(
            *(wait for wait in unowned_waits if wait.quota in cluster.observed),
            *chain.from_iterable(_would_wait(each, cache, policy) for each in observed),
        ),
        would_evict=tuple(chain.from_iterable(_evictions(each, cluster) for each in observed)),
        held={
            each.tree.tree.root: each.held_back
            for each in enforced
            if each.breaker.until is not None
        },
        unscheduled=without_node.unscheduled(cluster),
        clocks=clocks,
        wake_at=min(due, default=None),
    )
    return _with_jobs_apart(decisions, ledger.jobs.keys()) if ledger.jobs else decisions


def _releases(
    ledger: Ledger,
    cluster: ClusterSnapshot,
    decided: Iterable[TreeDecision],
    chosen: Mapping[str, str],
) -> tuple[Release, ...]:
    found: Iterable[Release] = (
        *unowned.releases(ledger, cluster),
        *chain.from_iterable(each.releases for each in decided),
    )
    if cluster.pools:
        found = pool_nodes.narrowed(cluster, found, chosen)
    admitted = dict(chain.from_iterable(each.admitted.items() for each in decided))
    return tuple(pod_messages.released(each, ledger, cluster, admitted) for each in found)


def _evictions(decided: TreeDecision, cluster: ClusterSnapshot) -> Iterator[Eviction]:
    """The evictions of a tree, with their messages, and which of them are of external pods."""
    uids = {each.uid for each in decided.evictions}
    said: dict[str, str] = {}
    external: set[str] = set()
    for victim in decided.victims:
        evicted = uids.intersection(one.uid for one in victim.evicted)
        if evicted:
            said.update(dict.fromkeys(evicted, eviction_messages.of(victim, cluster, decided.tree)))
        if victim.by:
            external |= evicted
    return (
        replace(each, message=said[each.uid], external=each.uid in external)
        for each in decided.evictions
    )


def _would_wait(decided: TreeDecision, cache: CycleCache, policy: Policy) -> Iterator[Wait]:
    """What enforcing would hold: not what others hold anyway, nor what would be evicted."""
    leaving = {each.uid for each in decided.evictions}
    for wait in cache.waits(decided, policy):
        if wait.reason != "WaitingForOtherGates" and wait.uid not in leaving:
            yield wait


def _with_jobs_apart(decisions: Decisions, jobs: AbstractSet[Key]) -> Decisions:
    """Move what is decided about ``jobs`` to ``Decisions.jobs``."""
    of_pods: dict[str, Any] = {}
    of_jobs: dict[str, Any] = {}
    for name in OF_WORKLOADS:
        found = getattr(decisions, name)
        of_pods[name] = tuple(each for each in found if each.pod not in jobs)
        of_jobs[name] = tuple(each for each in found if each.pod in jobs)
    return replace(decisions, jobs=WorkloadDecisions(**of_jobs), **of_pods)


def _decide_trees(
    cluster: ClusterSnapshot, cache: CycleCache, inputs: CycleInput
) -> list[TreeDecision]:
    """The cycles of all trees. Pods of the default tree may use any node, so it comes last."""
    decided: list[TreeDecision] = []
    for tree_id, tree in sorted(cluster.trees.items(), key=lambda entry: (not entry[0], entry[0])):
        if tree_id == names.DEFAULT_TREE:
            pods = inputs.ledger.pods
            released = [
                (one.quota, pods[one.pod])
                for each in decided
                for one in each.releases
                if one.pod in pods
            ]
            reserved = [each.reserved for each in decided if each.reserved is not None]
            if released or reserved:
                inputs = replace(inputs, released=released, reserved=reserved)
        decided.append(cycle.decide_tree(cluster, tree, cache.inadmissible(tree_id), inputs))
    return decided


def _together(found: Iterable[Clocks]) -> Clocks:
    """The clocks of all trees in one value; trees share no quota and no pod."""
    clocks, merged = [*found], dict[str, Any]()
    for name in field_names(Clocks):
        kept = [its for each in clocks if (its := getattr(each, name))]
        # Mostly one tree has some: those of many waiting pods are slow to copy.
        merged[name] = kept[0] if len(kept) == 1 else reduce(operator.ior, kept, {})
    return Clocks(**merged)


def _first_after(times: Collection[int], past: int) -> int | None:
    """The first of ``times`` after ``past``; mostly all are."""
    first = min(times, default=None)
    if first is None or first > past:
        return first
    return min((time for time in times if time > past), default=None)


def _overdue(clocks: Clocks, policy: Policy, now: int) -> AbstractSet[str]:
    since, most = clocks.head_since, policy.head_of_line
    if not most or not since or now - min(since.values()) < most:
        return frozenset()
    return {uid for uid, when in since.items() if now - when >= most}
