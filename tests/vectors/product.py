"""Every call that the vectors make to ``sharing``, ``ledger`` and ``enforcement``, in one place.

Rows of the peer come from tests without admission, so the trees of ``tree`` are taken as accepted;
everywhere else the verdicts are on.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from elasticquota import names, resources, structs
from elasticquota.decisions import decide as entrance
from elasticquota.forest import acceptance, walk
from elasticquota.forest.settings import NOWHERE
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.ledger import Ledger
from elasticquota.model import tree_ids
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.sharing import level
from elasticquota.sharing.runtime import Runtimes
from tests.vectors.ideal import Claim


SYSTEM = "kube-system"
_NAMESPACE = "ns"
_PEERS = Accounting(external_refused=NOWHERE)
"""Any pod may name any quota there."""


def share(total: int, claims: Sequence[Claim]) -> list[int]:
    """One level."""
    lo, hi, weights, mins = ([claim[place] for claim in claims] for place in range(4))
    return level.share(total, lo, hi, weights, mins)


def scaled_min(total: int, mins: Mapping[str, int]) -> dict[str, int]:
    """What is left of each sibling's min in ``total``: its share when all ask for just that."""
    shares = share(total, [Claim(amount, amount, 0, amount) for amount in mins.values()])
    return dict(zip(mins, shares, strict=True))


def tree_id(key: Key) -> str:
    return tree_ids.hashed(key)


@dataclass(frozen=True)
class TreeFigures:
    """Figures of every quota of a tree, by quota name."""

    children: Mapping[str, Sequence[str]]
    self_request: Mapping[str, Resources]
    child_request: Mapping[str, Resources]
    request: Mapping[str, Resources]
    limited_request: Mapping[str, Resources]
    used: Mapping[str, Resources]
    allocated: Mapping[str, Resources]
    guaranteed: Mapping[str, Resources]
    runtime: Mapping[str, Resources]


def tree(
    quotas: Iterable[Quota],
    total: Resources,
    self_request: Mapping[str, Resources],
    self_used: Mapping[str, Resources],
    *,
    guarantees_use: bool = False,
) -> TreeFigures:
    """A default tree with ``total`` for its first level."""
    root = Quota(Key(_NAMESPACE, names.ROOT_QUOTA), "", "", guarantee_usage=guarantees_use)
    forest = structs.replace(acceptance.build([root, *quotas]), verdicts={})
    found = forest.trees[names.DEFAULT_TREE]
    asked = Runtimes(found, forest)
    for name in found.order:
        asked.set_request(name, self_request.get(name, EMPTY))
        asked.set_usage(name, self_used.get(name, EMPTY))
    asked.set_capacity(total)
    asked.settle()
    return TreeFigures(
        children=found.children,
        self_request=self_request,
        child_request={
            name: resources.add(
                self_request.get(name, EMPTY),
                *(asked.limited_request(child) for child in found.children[name]),
            )
            for name in found.order
        },
        request={name: asked.request(name) for name in found.order},
        limited_request={name: asked.limited_request(name) for name in found.order},
        used=walk.roll_up(found, self_used),
        allocated={name: asked.allocated(name) for name in found.order},
        guaranteed={name: asked.guaranteed(name) for name in found.order[1:]},
        runtime={name: asked.runtime(name) for name in found.order},
    )


def limited_request(limit: Resources, asked: Resources) -> Resources:
    """What goes up from a quota with this max whose pods ask for ``asked``."""
    quota = make_quota("q", max=limit)
    return tree([quota], EMPTY, {"q": asked}, {}).limited_request["q"]


def request(asked: Resources) -> Resources:
    """What counts as the request of a quota whose pods ask for ``asked``, which may be negative."""
    return tree([make_quota("q")], EMPTY, {"q": asked}, {}).request["q"]


def make_quota(
    name: str,
    *,
    min: Resources = EMPTY,  # noqa: A002 - the field's name in the manifest
    max: Resources = EMPTY,  # noqa: A002
    parent: str = names.ROOT_QUOTA,
    is_parent: bool = False,
) -> Quota:
    """A quota of the default tree."""
    return Quota(
        key=Key(_NAMESPACE, name),
        uid=name,
        created="",
        parent=parent,
        is_parent=is_parent,
        min=min,
        max=max,
    )


class Cluster:
    """A ledger under construction, and what the product makes of it."""

    def __init__(self, accounting: Accounting = _PEERS) -> None:
        self.ledger = Ledger()
        self._accounting = accounting

    def node(
        self,
        name: str,
        allocatable: Resources,
        labels: Mapping[str, str] | None = None,
        *,
        ready: bool = True,
    ) -> None:
        self.ledger.upsert_node(Node(name, "", labels or {}, allocatable, ready=ready))

    def quota(self, quota: Quota) -> None:
        self.ledger.upsert_quota(quota)

    def profile(self, profile: Profile) -> None:
        self.ledger.upsert_profile(profile)

    def pod(
        self,
        name: str,
        quota: str,
        asked: Resources,
        *,
        node: str = "",
        waiting: bool = False,
        deleting: bool = False,
        preemptible: bool = True,
        priority: int = 0,
        namespace: str = _NAMESPACE,
    ) -> Pod:
        """A pod of the quota, on ``node`` or without one, or held by our gate."""
        pod = Pod(
            key=Key(namespace, name),
            uid=name,
            created="",
            quota_label=quota,
            request=asked,
            node_name=node,
            gates=(names.GATE,) if waiting else (),
            deleting=deleting,
            preemptible=preemptible,
            priority=priority,
        )
        self.ledger.upsert_pod(pod)
        return pod

    def see(self, pod: Pod) -> None:
        """The pod as it was read."""
        self.ledger.upsert_pod(pod)

    def set_time(self, seconds: int) -> None:
        """Since the epoch."""
        self.ledger.set_time(seconds * 1000)

    def expect_release(self, pod: Pod) -> None:
        """The pod was released and is not seen without its gate yet."""
        self.ledger.expect_release(pod.uid)

    def books(self) -> ClusterSnapshot:
        return self.ledger.update(self._accounting)

    def used(self, quota: str) -> Resources:
        return self.books().account(quota).used

    def requested(self, quota: str) -> Resources:
        return self.books().account(quota).request(accepted=True)

    def admitted(self, quota: str) -> Resources:
        return self.books().account(quota).admitted

    def total(self) -> Resources:
        """What the nodes of the default tree offer."""
        return self.books().trees[names.DEFAULT_TREE].total

    def available(self) -> Resources:
        """What the default tree's first level shares."""
        return self.books().trees[names.DEFAULT_TREE].available

    def decide(self) -> Decisions:
        return entrance.decide(self.ledger, 0, Policy(accounting=_PEERS, exceed_dimensions=True))

    def victims(self, delay: int = 120_000) -> list[str]:
        """Names of the pods evicted once over-use has lasted longer than ``delay`` ms."""
        policy = Policy(delay=delay, evictions_per_second=10**6)
        self.evicts(0, policy)
        return self.evicts(delay, policy)

    def give_way(self) -> list[str]:
        """Names of the pods evicted at once."""
        return self.evicts(0, Policy(evictions_per_second=10**6))

    def evicts(self, now: int, policy: Policy) -> list[str]:
        """Names of the pods evicted at ``now`` (ms); the clocks are kept for the next round."""
        decisions = entrance.decide(self.ledger, now, policy)
        self.ledger.remember(decisions.clocks)
        return [eviction.pod.name for eviction in decisions.evictions]
