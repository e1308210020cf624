"""The world of a simulation: a ledger of the controller, and what only the API server knows.

Objects that are written by hand have no uid and no time. They count as younger than all objects
from a cluster, in the order of the files. An object that is applied again keeps its age, and the
labels and annotations that the new manifest does not mention, as with ``kubectl apply``.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec

from elasticquota import names
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import RootQuota
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.wait_estimate import WaitEstimate
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.snapshot.nodes.node_reservations import Kind, NodeReservations
from elasticquota.structs import replace
from elasticquota.validation.severity import USUAL, Validation
from elasticquota.wire.quota import profiles, quotas, roots, wait_estimates
from elasticquota_cli.simulate.claimed import Devices
from elasticquota_cli.simulate.submitted import Priorities, SubmittedOwner


SOMEWHERE: Final = "(simulated)"
"""The node of an admitted pod that no known node takes, or whose tree has none."""

_UID: Final = "simulated-"
# Later than any real object, and of the same width as real times, which sort as text.
_FIRST_MOMENT: Final = datetime(9000, 1, 1, tzinfo=UTC)


class World:
    """A mutable store: the ledger with the documents of quotas and the owners of pods.

    Quotas, profiles and pods change through its methods, nodes through ``devices``, namespaces in
    the ledger.
    """

    def __init__(self, policy: Policy, validation: Validation = USUAL) -> None:
        self.policy = policy
        self.validation = validation
        """The rule levels that check changes of quotas."""
        self.now = 0
        """Milliseconds since the simulation began."""
        self.ledger = Ledger()
        self.priorities = Priorities.built_in()
        self.quotas: Mapping[Key, Quota] = self.ledger.quotas
        self.devices = Devices(self.ledger)
        self.pods: Mapping[Key, Pod] = self.devices.pods
        """The pods as written; the ledger has them with the devices of their claims."""
        self.owners: dict[Key, SubmittedOwner] = {}
        self.by_owner: dict[SubmittedOwner, dict[Key, None]] = defaultdict(dict)
        self._documents: dict[tuple[str, Key], Mapping[str, Any]] = {}
        self._moment = 0
        self._unplaced: dict[Key, None] = {}

    def stamp(self) -> tuple[str, str]:
        """The uid and creation time of the next object that is written by hand."""
        self._moment += 1
        time = _FIRST_MOMENT + timedelta(seconds=self._moment)
        return f"{_UID}{self._moment:09}", time.strftime("%Y-%m-%dT%H:%M:%SZ")

    def is_new(self, uid: str) -> bool:
        """Whether an object was written by hand."""
        return uid.startswith(_UID)

    def has(self, kind: str, key: Key) -> bool:
        """Whether there is a quota or profile of this key."""
        return (kind, key) in self._documents

    def reading_of(self, key: Key, content: Mapping[str, Any]) -> tuple[Quota, Mapping[str, Any]]:
        """The quota that applying ``content`` would store, and its document."""
        document = self._completed(names.QUOTA_KIND, key, content)
        return quotas.read(msgspec.convert(document, quotas.QuotaManifest)), document

    def estimate_of(self, quota: str) -> WaitEstimate | None:
        """The wait estimate in the status of the quota of this name, as the controller wrote it."""
        found = self.ledger.update(self.policy.accounting).forest.quotas.get(quota)
        status = self.document(names.QUOTA_KIND, found.key).get("status") if found else None
        return wait_estimates.read_estimate(status) if isinstance(status, Mapping) else None

    def document(self, kind: str, key: Key) -> Mapping[str, Any]:
        """The stored document of a quota or profile; empty if there is none."""
        return self._documents.get((kind, key)) or {}

    def put_quota(self, quota: Quota, document: Mapping[str, Any]) -> None:
        """Store a quota with its document."""
        self._documents[names.QUOTA_KIND, quota.key] = document
        self.ledger.upsert_quota(quota)

    def remove_quota(self, key: Key) -> None:
        """Remove a quota; nothing happens if there is none."""
        self._documents.pop((names.QUOTA_KIND, key), None)
        self.ledger.delete_quota(key)

    def put_root(self, root: RootQuota) -> bool:
        """Write a root quota as the controller does; returns whether it changed."""
        stored = self._documents.get((names.QUOTA_KIND, root.key))
        change = roots.manifest(root) if stored is None else roots.patch(root, stored)
        if change is None:
            return False
        self.put_quota(*self.reading_of(root.key, merge_patch(stored or {}, change)))
        return True

    def profile_of(self, key: Key, content: Mapping[str, Any]) -> tuple[Profile, Mapping[str, Any]]:
        """The profile that applying ``content`` would store, and its document."""
        document = self._completed(names.PROFILE_KIND, key, content)
        return profiles.read(msgspec.convert(document, profiles.ProfileManifest)), document

    def put_profile(self, profile: Profile, document: Mapping[str, Any]) -> None:
        """Store a profile with its document."""
        self._documents[names.PROFILE_KIND, profile.key] = document
        self.ledger.upsert_profile(profile)

    def remove_profile(self, key: Key) -> None:
        """Remove a profile; nothing happens if there is none."""
        self._documents.pop((names.PROFILE_KIND, key), None)
        self.ledger.delete_profile(key)

    def put_pod(self, pod: Pod, owner: SubmittedOwner | None) -> None:
        """Store a pod, in place of one with the same name."""
        self.remove_pod(pod.key)
        self.devices.put_pod(pod)
        if self.is_new(pod.uid) and placed(pod, SOMEWHERE) != pod:
            self._unplaced[pod.key] = None
        if owner is not None:
            self.owners[pod.key] = owner
            self.by_owner[owner][pod.key] = None

    def place_new(self) -> None:
        """Place the new pods that have no gate and no node, as the scheduler would.

        Each gets the node with the largest free share of those that have room.
        """
        if not self._unplaced:
            return
        cluster = self.ledger.update(self.policy.accounting)
        table = NodeReservations(cluster.index.fit)
        for key in self._unplaced:
            self.devices.put_pod(
                placed(self.pods[key], _booked(table, cluster, self.ledger.pods[key]))
            )
        self._unplaced.clear()

    def remove_pod(self, key: Key) -> None:
        """Remove a pod; nothing happens if there is none."""
        self.devices.remove_pod(key)
        self._unplaced.pop(key, None)
        owner = self.owners.pop(key, None)
        if owner is not None:
            self.by_owner[owner].pop(key, None)

    def new(self, pod: Pod) -> Pod:
        """``pod`` with a new uid and the next creation time."""
        uid, created = self.stamp()
        return replace(pod, uid=uid, created=created)

    def _completed(self, kind: str, key: Key, content: Mapping[str, Any]) -> dict[str, Any]:
        """The stored document: labels and annotations are merged, everything else is replaced."""
        metadata = dict(content.get("metadata") or {})
        before = dict((self._documents.get((kind, key)) or {}).get("metadata") or {})
        for part in ("labels", "annotations"):
            metadata[part] = merge_patch(before.get(part) or {}, metadata.get(part) or {})
        if not metadata.get("uid"):
            uid, created = (before.get("uid"), before.get("creationTimestamp"))
            metadata["uid"], metadata["creationTimestamp"] = (uid, created) if uid else self.stamp()
        metadata["namespace"], metadata["name"] = key
        return {**content, "metadata": metadata}


def placed(pod: Pod, node: str) -> Pod:
    """The pod on this node, unless it has one or has a gate."""
    return pod if pod.gates or pod.bound else replace(pod, node_name=node)


def _booked(table: NodeReservations, cluster: ClusterSnapshot, pod: Pod) -> str:
    for kind in _kinds(cluster, pod):
        if (node := table.first(kind)) is not None:
            table.book(node, kind)
            return node
    return SOMEWHERE


def _kinds(cluster: ClusterSnapshot, pod: Pod) -> Iterator[Kind]:
    """The kind of the pod in its tree; a pod of no tree may run anywhere."""
    quota, trees = cluster.members.quota_of(pod), cluster.forest
    where = cluster.index.where(quota, pod)
    for tree_id in (where.tree_id,) if quota in trees.tree_of else trees.trees:
        yield Kind(where._replace(tree_id=tree_id), pod.size)


def merge_patch(stored: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """``stored`` after a JSON merge patch (RFC 7396): null removes, maps merge."""
    merged = dict(stored)
    for key, value in change.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, Mapping):
            before = merged.get(key)
            merged[key] = merge_patch(before if isinstance(before, Mapping) else {}, value)
        else:
            merged[key] = value
    return merged
