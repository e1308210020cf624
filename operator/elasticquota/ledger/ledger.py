"""The ledger holds the objects as last seen, and what we have asked for but not seen yet.

It is the one mutable thing of the rulebook and has no locks, because one thread owns it. Sums are
not kept here: ``books.balance`` makes them from these objects, so nothing can leak.
"""

from dataclasses import dataclass, field

from elasticquota.model.decision import Clocks
from elasticquota.model.key import Key
from elasticquota.model.namespace import Namespace
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota


@dataclass(slots=True)
class Ledger:
    """Objects by identity, expectations by pod uid, and the clocks of the last round."""

    quotas: dict[Key, Quota] = field(default_factory=dict)
    profiles: dict[Key, Profile] = field(default_factory=dict)
    pods: dict[Key, Pod] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    namespaces: dict[str, Namespace] = field(default_factory=dict)
    releasing: set[str] = field(default_factory=set)
    """Pods whose gate we took off and that we have not seen ungated: admitted already."""
    evicting: set[str] = field(default_factory=set)
    """Pods we evicted and that we have not seen terminating: returned already."""
    withheld: set[str] = field(default_factory=set)
    """Pods that may not be evicted for now, because a disruption budget protects them."""
    clocks: Clocks = field(default_factory=Clocks)

    def upsert_quota(self, quota: Quota) -> None:
        self.quotas[quota.key] = quota

    def delete_quota(self, key: Key) -> None:
        self.quotas.pop(key, None)

    def upsert_profile(self, profile: Profile) -> None:
        self.profiles[profile.key] = profile

    def delete_profile(self, key: Key) -> None:
        self.profiles.pop(key, None)

    def upsert_pod(self, pod: Pod) -> None:
        """A live pod; finished ones are deleted from here by the caller."""
        before = self.pods.get(pod.key)
        if before is not None and before.uid != pod.uid:
            self._forget(before.uid)
        self.pods[pod.key] = pod
        if not pod.gated:
            self.releasing.discard(pod.uid)
        if pod.deleting:
            self._forget(pod.uid)

    def delete_pod(self, key: Key) -> None:
        gone = self.pods.pop(key, None)
        if gone is not None:
            self._forget(gone.uid)

    def upsert_node(self, node: Node) -> None:
        self.nodes[node.name] = node

    def delete_node(self, name: str) -> None:
        self.nodes.pop(name, None)

    def upsert_namespace(self, namespace: Namespace) -> None:
        self.namespaces[namespace.name] = namespace

    def delete_namespace(self, name: str) -> None:
        self.namespaces.pop(name, None)

    def expect_release(self, uid: str) -> None:
        """Count this pod as admitted before its gate is seen gone."""
        self.releasing.add(uid)

    def forget_release(self, uid: str) -> None:
        """The release was refused: the pod waits again."""
        self.releasing.discard(uid)

    def expect_eviction(self, uid: str) -> None:
        """Count what this pod holds as returned before it is seen terminating."""
        self.evicting.add(uid)

    def forget_eviction(self, uid: str) -> None:
        """The eviction was refused: the pod holds what it held."""
        self.evicting.discard(uid)

    def withhold(self, uid: str) -> None:
        """The pod cannot be evicted for now: choose others."""
        self.withheld.add(uid)

    def offer_again(self, uid: str) -> None:
        """The pod may be asked to leave again."""
        self.withheld.discard(uid)

    def remember(self, clocks: Clocks) -> None:
        """Keep the clocks of this round for the next one."""
        self.clocks = clocks

    def _forget(self, uid: str) -> None:
        self.releasing.discard(uid)
        self.evicting.discard(uid)
        self.withheld.discard(uid)
