"""Assigns each pod to the pool of its tree in which it is counted, with pool keys.

* A pod with a node counts in the pool of its node.
* Any other counts where its constraints lead. If these are several pools, it is assigned to none of
  them before it is released: it asks in each, and the cycle tries its variants, one for each pool
  in the order of preference. Until it has a node it then counts in the pool of its release.
* Its quotas and the nodes of a pool must be able to take it, else the pool is none of its options.
* A pod that can go to no pool counts in none if nodes that are in no pool are open to it.
* A queued job counts in one pool, and its pods follow it.

Only pods that ask for a resource that is counted by pool are concerned. In a tree without pools
nothing here is asked.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple, TypeVar

from elasticquota import pool_keys
from elasticquota.copy_on_write import CopyOnWrite
from elasticquota.ledger.inputs.objects import LedgerObjects
from elasticquota.ledger.pods.infeasible import FeasibilityCheck
from elasticquota.model import pools as pools_of
from elasticquota.model import workload
from elasticquota.model.constraints import Constraints, NodeTerm
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.pools import Pool, Pools
from elasticquota.model.workload import Counted, Gang, QueuedJob, Workload
from elasticquota.resources import EMPTY, Resources
from elasticquota.structs import replace


_MOST_KNOWN: Final = 8192
"""The most results to keep; then all are dropped."""
_MOST_VARIANTS: Final = 65_536
_T = TypeVar("_T", bound=Counted)


class OnNode(NamedTuple):
    """The pools of the tree that has a node, and the pool of the node; empty: it is in none."""

    pools: Pools
    pool: str


class Flexible(NamedTuple):
    """A pod or job without a node that may go to several pools."""

    uid: str
    quota: str
    pools: Pools
    """Of its tree."""
    options: tuple[str, ...]
    """In the order of preference."""


class PoolAssignment:
    """The pools of all trees, and who may go to several; mutable."""

    def __init__(self, objects: LedgerObjects) -> None:
        self._objects = objects
        self.of_trees: Mapping[str, Pools] = {}
        """By tree id; only trees with pools."""
        self._on_nodes: Mapping[str, OnNode] = {}
        """By name, the nodes of these trees."""
        self._unknown: AbstractSet[str] = frozenset()
        """The trees whose nodes are not known."""
        self.flexible: CopyOnWrite[dict[Key, Flexible]] = CopyOnWrite({})
        """Of what is counted."""
        self._check: FeasibilityCheck | None = None
        self._variants: dict[Key, tuple[Workload, ...]] = {}
        """Of pods and jobs that were tried."""
        self._kept_variants = 0
        self._known: dict[tuple[object, ...], tuple[str, ...]] = {}
        """The options of each kind of pod, as this check found them."""

    @property
    def active(self) -> bool:
        """Whether any tree has pools."""
        return bool(self.of_trees)

    def set(
        self,
        of_trees: Mapping[str, Pools],
        on_nodes: Mapping[str, OnNode],
        unknown: AbstractSet[str],
    ) -> set[str] | None:
        """Set the pools; return the nodes that are in another pool now, None if pools changed.

        ``unknown`` are the ids of trees whose nodes are not known.
        """
        before, were = (self.of_trees, self._unknown), self._on_nodes
        self.of_trees, self._on_nodes, self._unknown = of_trees, on_nodes, unknown
        if before != (of_trees, unknown):
            return None
        if not (were or on_nodes):
            return set()
        every = were.keys() | on_nodes.keys()
        return {name for name in every if were.get(name) != on_nodes.get(name)}

    def assign(
        self,
        pod_or_job: _T,
        quota: str,
        tree_id: str | None,
        check: FeasibilityCheck,
        job: QueuedJob | None = None,
    ) -> tuple[_T, Flexible | None]:
        """Return ``pod_or_job`` with its pool keys, and its options if it has several.

        ``job`` is that of a pod that draws on one.
        """
        on_node = self._on_nodes.get(pod_or_job.node_name) if isinstance(pod_or_job, Pod) else None
        if on_node is not None:
            return moved(pod_or_job, on_node.pools, on_node.pool), None
        pools = self.of_trees.get(tree_id or "")
        node = (
            self._objects.nodes.get(pod_or_job.node_name) if isinstance(pod_or_job, Pod) else None
        )
        if node is not None and pools is not None:
            pool = pools.of(node.labels) if tree_id in self._unknown else ""
            return moved(pod_or_job, pools, pool), None
        if pools is None or not pools.concern(pod_or_job.request):
            return _plain(pod_or_job), None
        options = self._options(pod_or_job, quota, pools, check)
        if not options:
            return moved(pod_or_job, pools, _leads_to(pod_or_job, quota, pools, check)), None
        follows = ""
        if job is not None:
            follows = pools_of.named(self.assign(job, quota, tree_id, check)[0].request)
        there = moved(pod_or_job, pools, self._chosen(pod_or_job, options, follows))
        if len(options) == 1:
            return there, None
        return there, Flexible(pod_or_job.uid, quota, pools, options)

    def rest_of(self, job: QueuedJob, left: QueuedJob, tree_id: str | None) -> QueuedJob:
        """Return what pods leave of a job in the pool of the whole ``job``, as it was assigned."""
        pools = self.of_trees.get(tree_id or "")
        pool = pools_of.named(job.request)
        return _plain(left) if pools is None or not pool else moved(left, pools, pool)

    def variants(self, waiting: Workload) -> tuple[Workload, ...]:
        """Return a waiting workload as it counts in each pool to which it may go.

        In the order of preference; without a choice only itself. The pods of a gang go together.
        """
        if not self.flexible.now:
            return (waiting,)
        if isinstance(waiting, Gang):
            return self.gangs(waiting)
        known = self._variants.get(waiting.key)
        if known is None:
            flexible = self.flexible.now.get(waiting.key)
            if flexible is None:
                return (waiting,)
            if self._kept_variants >= _MOST_VARIANTS:
                self._variants.clear()
                self._kept_variants = 0
            known = tuple(moved(waiting, flexible.pools, pool) for pool in flexible.options)
            self._kept_variants += len(known)
            self._variants[waiting.key] = known
        return known

    def gangs(self, found: Gang) -> tuple[Gang, ...]:
        """Return the variants of a gang, by the options of its first pod that has some."""
        first = next((pod for pod in found.pods if pod.key in self.flexible.now), None)
        if first is None:
            return (found,)
        return tuple(self._gang_in(found, pool) for pool in self.flexible.now[first.key].options)

    def asked_elsewhere(self, found: Counted) -> Resources:
        """Return what a waiting pod or job asks for in the pools in which it is not counted."""
        flexible = self.flexible.now.get(found.key)
        if flexible is None:
            return EMPTY
        own = pools_of.named(found.request)
        return {
            key: amount
            for pool in flexible.options
            if pool != own
            for key, amount in flexible.pools.inside(pool, found.request).items()
            if pool_keys.is_reserved(key)
        }

    def note(self, key: Key, flexible: Flexible | None) -> None:
        """Keep the options of what is counted now."""
        self._variants.pop(key, None)
        if flexible is not None:
            self.flexible.opened()[key] = flexible
        elif key in self.flexible.now:
            del self.flexible.opened()[key]

    def _gang_in(self, gang: Gang, pool: str) -> Gang:
        parts = []
        for part in gang.pods:
            flexible = self.flexible.now.get(part.key)
            goes = flexible is not None and pool in flexible.options
            parts.append(moved(part, flexible.pools, pool) if flexible and goes else part)
        return workload.gang(gang.key, parts, gang.surplus)

    def _options(
        self, pod_or_job: Counted, quota: str, pools: Pools, check: FeasibilityCheck
    ) -> tuple[str, ...]:
        """The pools whose nodes and bounds can take it; equal pods have the same.

        Of one that is admitted, in spite of its bounds, those whose nodes can take it.
        """
        if self._check is not check or len(self._known) >= _MOST_KNOWN:
            self._check = check
            self._known.clear()
        gated, size = self._objects.is_gated(pod_or_job), frozenset(pod_or_job.request.items())
        parts = tuple(frozenset(part.items()) for part in getattr(pod_or_job, "parts", ()))
        where = (
            quota,
            pod_or_job.quota_label,
            pod_or_job.key.namespace,
            pod_or_job.holder,
            pod_or_job.constraints,
        )
        kind = (*where, size, parts, gated)
        options = self._known.get(kind)
        if options is None:
            options = self._known[kind] = self._found(pod_or_job, quota, pools, check, gated=gated)
        return options

    def _found(
        self, found: Counted, quota: str, pools: Pools, check: FeasibilityCheck, *, gated: bool
    ) -> tuple[str, ...]:
        there = {
            pool.name: moved(found, pools, pool.name)
            for pool in pools.pools
            if not is_ruled_out(pool, found.constraints)
        }
        options = [name for name, each in there.items() if check.infeasible(each, quota) is None]
        if not (options or gated):
            options = [name for name, each in there.items() if check.hosts(each, quota)]
        return tuple(options)

    def _chosen(self, found: Counted, options: Sequence[str], follows: str) -> str:
        chosen = self._objects.pool_choices.get(found.uid)
        if chosen is not None and chosen in options:
            return chosen
        return follows if follows in options else options[0]


def is_ruled_out(pool: Pool, constraints: Constraints) -> bool:
    """Whether the labels of the pool alone keep such pods off all of its nodes."""
    labels = dict(pool.labels)
    if any(labels.get(key, value) != value for key, value in constraints.selector):
        return True
    terms = constraints.terms
    return terms is not None and all(_contradicts(term, labels) for term in terms)


def _contradicts(term: NodeTerm, labels: Mapping[str, str]) -> bool:
    return any(each.key in labels and not each.holds(labels) for each in term.labels)


def _leads_to(found: Counted, quota: str, pools: Pools, check: FeasibilityCheck) -> str:
    """The pool in which it waits when none can take it; empty: it goes to nodes of no pool.

    The first with a node that is open to it. If no node at all is, as none has come yet, the first
    that its labels do not rule out.
    """
    found_open = check.open_pools(found, quota, pools) or {
        pool.name for pool in pools.pools if not is_ruled_out(pool, found.constraints)
    }
    return next((name for name in pools.names if name in found_open), "")


def _plain(found: _T) -> _T:
    """Without pool keys that a user made up."""
    request = pools_of.outside(found.request)
    return found if len(request) == len(found.request) else replace(found, request=request)


def moved(found: _T, pools: Pools, pool: str) -> _T:
    """Return ``found`` as it is counted in ``pool``; empty: in none."""
    request = pools.inside(pool, found.request)
    if isinstance(found, QueuedJob):
        parts = tuple(pools.inside(pool, part) for part in found.parts)
        return replace(found, request=request, parts=parts)
    return found if request == found.request else replace(found, request=request)
