"""Reclaim: evict pods of quotas above their runtime, for a waiting pod or down to a limit.

* *An owner waits*: a pod of another quota is within its min and lacks only room. After its grace
  (its quota's own, or ``grace``) reclaim first evicts external pods on the tree's nodes. Then it
  evicts pods of quotas above their runtime, wherever on the owner's path room is missing. If pods
  wholly beyond min are not enough, pods partly within min go too: they are borrowed as a whole.
* *A pod waits for a fair share*: it is within its quota's runtime, beyond min. Usage above runtime
  that lasts for ``delay`` makes room for it, but no quota falls to a smaller part of its runtime
  than the gaining quota has. The administrator can turn this off, for single trees and for the
  quotas of an external system, too (``Policy.shares``). It is off for those of capacity scheduling
  and YuniKorn: they neither gain nor lose a pod by it.
* *No pod waits*: usage that has been above a max for ``delay`` is reclaimed, or after the quota's
  own delay, or never (``over_max_delay``). Usage above a tree's remaining nodes is reclaimed too,
  while the quota keeps its runtime. The default quota is exempt from the second rule, because its
  pods may be on any nodes.

A device that no node offers any more is above nothing: it returns with its driver, and an eviction
returns nothing. When the first node offers it again, all delays begin.

Other usage above runtime stays: an eviction that starts no pod only leaves nodes idle
(docs/decisions). Terminating pods count as returned, so a restart in between evicts no pod too
many. The default quota is reclaimed like others; the system quota never is.

Usage means admitted: an admitted pod without a node takes the same room as a bound one. A pod that
runs for less than ``min_runtime`` is spared, until the owner has waited for its grace and for
``min_runtime`` too: so the wait of an owner is bounded. An owner still waits while a refused
eviction for it is tried again.
"""

from collections.abc import Callable, Mapping, Sequence

from elasticquota import names, resources
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.nodes.tree_nodes import NONE
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.clocks import Clocks
from elasticquota.model.workload import Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.policy import Policy
from elasticquota.scheduling.preemption.reclaim_search import ReclaimSearch
from elasticquota.scheduling.preemption.targets import PreemptionTargets
from elasticquota.scheduling.queue.fair_order import Turn
from elasticquota.structs import Struct, field


class Reclaim(Struct, frozen=True):
    """Clocks for the next cycle; ``due``: when the next one ends (clock of ``now``), or None."""

    clocks: Clocks = field(default_factory=Clocks)
    due: int | None = None
    spared_young: bool = False


def reclaim(
    targets: PreemptionTargets,
    blocked: Sequence[tuple[str, Workload]],
    without_node: Sequence[tuple[str, Workload]],
    turn: Callable[[str, Workload], Turn],
    over: Mapping[str, Resources],
    clocks: Clocks,
    policy: Policy,
    now: int,
) -> Reclaim:
    """Add the victims to ``targets``, whose snapshot already has the admissions of this cycle.

    ``over`` has the ``over_use`` of all quotas above their runtime; ``without_node`` are the
    blocked pods that lack only a node; ``turn`` is the order of admission between quotas; ``now``
    is in milliseconds.
    """
    unchanged = skipped(targets, clocks)
    anywhere = bool(over) or bool(targets.tree.external_pods.evictable)
    if not (anywhere or without_node):
        return unchanged
    owner_waits = dict(unchanged.clocks.owner_waits_since)
    vanished = _vanished(targets)
    over = _without(over, vanished)
    over_since = {name: clocks.over_since.get(name, now) for name in over}
    lasting = [name for name in over if now - over_since[name] >= policy.delay]
    search = ReclaimSearch(targets, over, vanished, turn, policy.min_runtime)
    delays = search.exceeded_limits(policy.delay)
    over_limit_since = {name: clocks.over_limit_since.get(name, now) for name in delays}
    limit_ends = {name: since + delays[name] for name, since in over_limit_since.items()}
    targets.overdue = frozenset(name for name, end in limit_ends.items() if end <= now)
    ends = [since + policy.delay for since in over_since.values()] + [*limit_ends.values()]
    for name, pod in search.worth_trying(blocked if anywhere else without_node):
        if over.keys() != {name} and targets.snapshot.guarantees.entitled(name, pod):
            since = owner_waits.setdefault(name, clocks.owner_waits_since.get(name, now))
            due = since + grace(targets.cluster, name, policy)
            ends.append(due)
            if now >= due:
                deadline = due + policy.min_runtime
                if search.reclaim_for_min(name, pod, spares_young=now < deadline):
                    ends.append(deadline)
    if lasting:
        tree, quotas = targets.tree.tree.id, targets.cluster.forest.quotas
        share = [name for name in lasting if policy.shares(tree, quotas[name].kept_for)]
        if share:
            gain = [each for each in blocked if policy.shares(tree, quotas[each[0]].kept_for)]
            search.reclaim_for_fair_shares(gain, share)
    if targets.overdue:
        search.reclaim_excess(lasting)
    if search.youngest_in is not None:
        ends.append(now + search.youngest_in)
    due_at = min((end for end in ends if end > now), default=None)
    return Reclaim(
        Clocks(over_since, over_limit_since, owner_waits),
        due_at,
        search.youngest_in is not None,
    )


def skipped(targets: PreemptionTargets, clocks: Clocks) -> Reclaim:
    """The result of a cycle without reclaim."""
    since = clocks.owner_waits_since
    asking = targets.cluster.asks_again_for & since.keys() & targets.tree.admitted.keys()
    return Reclaim(Clocks(owner_waits_since={name: since[name] for name in sorted(asking)}))


def grace(cluster: ClusterSnapshot, owner: str, policy: Policy) -> int:
    """How long pods within the min of ``owner`` wait before reclaim begins, in milliseconds."""
    own = cluster.forest.quotas[owner].reclaim_grace
    return policy.grace if own is None else own


def over_use(cluster: ClusterSnapshot, tree: TreeBooks, name: str) -> dict[str, int]:
    """What the quota's own pods use beyond its runtime; terminating pods count as returned."""
    if name in (names.ROOT_QUOTA, names.SYSTEM_QUOTA):
        return {}
    account = cluster.account(name)
    return {
        key: over
        for key, most in tree.runtimes.own_runtime(name).items()
        if (over := account.admitted.get(key, 0) - account.returning.get(key, 0) - most) > 0
    }


def _vanished(targets: PreemptionTargets) -> frozenset[str]:
    """The devices of the tree that no node offers any more."""
    tree = targets.tree
    nodes = targets.cluster.nodes_by_tree.get(tree.tree.id, NONE)
    return nodes.vanished(tree.runtimes.runtime(tree.tree.root))


def _without(over: Mapping[str, Resources], vanished: frozenset[str]) -> Mapping[str, Resources]:
    if not vanished:
        return over
    left = {name: resources.without(excess, vanished) for name, excess in over.items()}
    return {name: excess for name, excess in left.items() if excess}
