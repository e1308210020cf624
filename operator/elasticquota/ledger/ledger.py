"""The ledger is the cache of the core: it takes in events and keeps what every quota holds.

It is the only mutable object of the core and has no locks, because one thread owns it. An event
only notes what changed. ``update`` brings the books up to date, so a burst of events changes each
sum once, and returns the snapshot that others read. It equals that of a new ledger with the same
objects, but for a group of which the pod that stated its size is gone (``group_sizes``).
"""

import copy
from collections.abc import Callable, Mapping

from elasticquota.ledger.books import Books
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.inputs.change_log import ChangeLog
from elasticquota.ledger.inputs.objects import Changes, LedgerObjects
from elasticquota.model.clocks import Clocks
from elasticquota.model.group import GroupObject
from elasticquota.model.key import Key
from elasticquota.model.namespace import Namespace
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.refusal import Refusal
from elasticquota.model.unread import Unread
from elasticquota.model.workload import Counted, QueuedJob
from elasticquota.structs import field, fields_of


class Ledger(LedgerObjects):
    """Objects, expectations, the clocks of the last cycle, and the books; mutable."""

    clocks: Clocks = field(default_factory=Clocks)
    on_gone: Callable[[Counted], None] | None = None
    """Gets each pod and job that is gone, as it was last seen."""
    unequal: set[Key] = field(default_factory=set)
    """The quotas with labels of Koordinator that do not say yet what their fields say."""
    roots: set[Key] = field(default_factory=set)
    """The root quotas among the quotas."""
    changed_quotas: ChangeLog[str] = field(default_factory=lambda: ChangeLog(0))
    """The quotas of which a figure may have changed, by generation."""
    changed_jobs: ChangeLog[Key] = field(default_factory=lambda: ChangeLog(0))
    """Jobs that came or went, or whose pods did, by generation."""
    _books: Books | None = None
    _snapshot: ClusterSnapshot | None = None
    _generation: int = 0
    _key_of: dict[str, Key] = field(default_factory=dict)
    """Uid of a pod or job -> key."""

    def __post_init__(self) -> None:
        self.roots = {key for key, quota in self.quotas.items() if quota.is_root}

    def update(self, accounting: Accounting) -> ClusterSnapshot:
        """Bring the books up to date with all events; the new snapshot replaces the last one."""
        self._generation += 1
        if self._books is None or self._books.accounting != accounting:
            self.changes = Changes({*self.pods, *self.jobs})
            self._books = Books(self, accounting, self.changed_quotas, self.changed_jobs)
            self.changed_quotas.note_all(self._generation)
            self.changed_jobs.note_all(self._generation)
        books, self._books = self._books, None
        # If ``follow`` raises, the books are dropped, and the next update makes new ones.
        before, self._snapshot = self._snapshot, books.follow(self.changes, self._generation)
        if before is not None:
            before.index.close()
        self._books = books
        self.changes = Changes(quotas={}, profiles_changed=False)
        return self._snapshot

    @property
    def snapshot(self) -> ClusterSnapshot:
        """The snapshot of the last ``update``; raises LookupError before the first one."""
        if self._snapshot is None:
            raise LookupError("the ledger has no snapshot before its first update")
        return self._snapshot

    def with_quotas(self, changed: Mapping[Key, Quota]) -> "Ledger":
        """A new ledger of the same objects and expectations, with other quotas; no clock runs."""
        same = {name: copy.copy(its) for name, its in fields_of(LedgerObjects, self).items()}
        quotas = {**self.quotas, **changed}
        return Ledger(**{**same, "quotas": quotas, "changes": Changes()})

    def set_time(self, time: int) -> None:
        """Set the wall clock, epoch milliseconds; it may go back."""
        self.time = time

    def upsert_quota(self, quota: Quota) -> None:
        """Store a new or changed quota."""
        self._touch_quota(quota.key)
        self.quotas[quota.key] = quota
        differs = bool(quota.differences) and not quota.is_root
        (self.unequal.add if differs else self.unequal.discard)(quota.key)
        (self.roots.add if quota.is_root else self.roots.discard)(quota.key)

    def delete_quota(self, key: Key) -> None:
        """Drop a quota; an unknown key is ignored, as in all ``delete_`` methods."""
        self._touch_quota(key)
        self.quotas.pop(key, None)
        self.unequal.discard(key)
        self.roots.discard(key)

    def upsert_profile(self, profile: Profile) -> None:
        """Store a new or changed profile."""
        self.profiles[profile.key] = profile
        self.changes.profiles_changed = True

    def delete_profile(self, key: Key) -> None:
        """Drop a profile."""
        self.profiles.pop(key, None)
        self.changes.profiles_changed = True

    def upsert_pod(self, pod: Pod) -> None:
        """Store a live pod; for a finished pod the caller uses ``delete_pod``."""
        before, self.pods[pod.key] = self.pods.get(pod.key), pod
        self._store(before, pod)

    def delete_pod(self, key: Key) -> None:
        """Drop a pod, and what was expected of it."""
        self._forget(self.pods.pop(key, None))

    def upsert_job(self, job: QueuedJob) -> None:
        """Store a job that is queued or admitted; for any other job use ``delete_job``."""
        before, self.jobs[job.key] = self.jobs.get(job.key), job
        self._store(before, job)

    def delete_job(self, key: Key) -> None:
        """Drop a job, and what was expected of it."""
        self._forget(self.jobs.pop(key, None))

    def upsert_node(self, node: Node) -> None:
        """Store a new or changed node."""
        self.changes.nodes.setdefault(node.name, self.nodes.get(node.name))
        self.nodes[node.name] = node

    def delete_node(self, name: str) -> None:
        """Drop a node."""
        self.changes.nodes.setdefault(name, self.nodes.get(name))
        self.nodes.pop(name, None)

    def upsert_namespace(self, namespace: Namespace) -> None:
        """Store a new or changed namespace."""
        before = self.namespaces.get(namespace.name)
        self.namespaces[namespace.name] = namespace
        if namespace.terminating and not (before is not None and before.terminating):
            # A total that a root states there is taken off the default tree no longer.
            self.changes.profiles_changed |= any(
                key.namespace == namespace.name for key in self.roots
            )

    def delete_namespace(self, name: str) -> None:
        """Drop a namespace."""
        self.namespaces.pop(name, None)

    def upsert_group_object(self, found: GroupObject) -> None:
        """Store an object that states the size of groups."""
        self.group_objects[found.key] = found
        self.changes.group_sources.add(found.key)

    def delete_group_object(self, key: Key) -> None:
        """Drop an object that states the size of groups."""
        if self.group_objects.pop(key, None) is not None:
            self.changes.group_sources.add(key)

    def follow_group_kind(self, adapter: str) -> None:
        """Note that all objects of a kind are known: a pod waits for its object if it is not."""
        if adapter not in self.group_kinds:
            self.group_kinds.add(adapter)
            self.changes.group_kinds.add(adapter)

    def note_unread(self, found: Unread) -> None:
        """Note how a kind is served; without versions it is read again, or gone."""
        key = (found.definition, found.adapter)
        before = self.unread.get(key)
        if found.served:
            self.unread[key] = found
        else:
            self.unread.pop(key, None)
        if self.unread.get(key) != before:
            self.changes.definitions = True
            self.changes.group_kinds.update(filter(None, (found.adapter,)))

    def note_lacking(self, definition: str, fields: tuple[str, ...]) -> bool:
        """Note which fields the definition of a kind of ours lacks; return whether that is news."""
        if self.lacking.get(definition, ()) == fields:
            return False
        if fields:
            self.lacking[definition] = fields
        else:
            del self.lacking[definition]
        self.changes.definitions = True
        return True

    def expect_release(self, uid: str) -> None:
        """Count this pod as admitted before the cache shows it without the gate."""
        self._note(self.releasing, uid)

    def await_nodes(self, uid: str) -> None:
        """Count this pod or job as admitted, and as one that starts when it has its nodes."""
        self._note(self.awaiting_nodes, uid)
        self._note(self.releasing, uid)

    def start_awaiting(self, uid: str) -> None:
        """Count it as being released: its nodes are there."""
        self.awaiting_nodes.discard(uid)
        self._touch(uid)

    def forget_release(self, uid: str) -> None:
        """Count the pod as waiting again, because its ungating was refused."""
        self._discard_release(uid)
        self._touch(uid)

    def expect_eviction(self, uid: str) -> None:
        """Count what this pod holds as returning before the cache shows it terminating."""
        self._note(self.evicting, uid)

    def forget_eviction(self, uid: str) -> None:
        """Count the pod as holding its room again, because its eviction was refused."""
        self.evicting.discard(uid)
        self._touch(uid)

    def withhold(self, uid: str, refusal: Refusal | None = None) -> None:
        """Mark a pod that cannot be evicted or released for now, so that others are chosen."""
        if uid in self._key_of:
            self.withheld.add(uid)
            self._touch(uid)
            if refusal is not None:
                self.refused[uid] = refusal

    def offer_again(self, uid: str) -> None:
        """Allow this pod to be evicted or released again."""
        self.withheld.discard(uid)
        self._touch(uid)

    def forget_refusal(self, uid: str) -> None:
        """Drop the record that the pod could not be evicted."""
        self.refused.pop(uid, None)

    def postpone_group(self, group: Key, why: str) -> None:
        """Keep a group, by namespace and name, out of the queue until ``resume_group``."""
        self.postponed[group] = why
        self._touch_group(group)

    def resume_group(self, group: Key) -> None:
        """Put the group into the queue again."""
        if self.postponed.pop(group, None) is not None:
            self._touch_group(group)

    def remember(self, clocks: Clocks) -> None:
        """Keep the clocks of this cycle for the next one; the pool of a release counts at once."""
        before, now = self.pool_choices, clocks.pools
        for uid in before.keys() | now.keys():
            if before.get(uid) != now.get(uid):
                self._touch(uid)
        self.clocks, self.pool_choices = clocks, now

    def _forget(self, gone: Counted | None) -> None:
        """Note that a pod or a job is gone."""
        if gone is not None:
            self._key_of.pop(gone.uid, None)
            self._expect_nothing(gone.uid)
            self.changes.counted.add(gone.key)
            if self.on_gone is not None:
                self.on_gone(gone)

    def _store(self, before: Counted | None, now: Counted) -> None:
        """Note what a pod or a job replaces; expect no more of it than its new state allows."""
        if before is not None and before.uid != now.uid:
            self._forget(before)
        self._key_of[now.uid] = now.key
        self.changes.counted.add(now.key)
        if not now.gated:
            self._discard_release(now.uid)
        if now.deleting and not (before is not None and before.deleting):
            self._expect_nothing(now.uid)

    def _touch_quota(self, key: Key) -> None:
        if self.changes.quotas is not None:
            self.changes.quotas[key] = None

    def _note(self, expectations: set[str], uid: str) -> None:
        """Note an expectation, but not for a pod that is gone: no event would clear it."""
        if uid in self._key_of:
            expectations.add(uid)
            self._touch(uid)

    def _touch(self, uid: str) -> None:
        key = self._key_of.get(uid)
        if key is not None:
            self.changes.counted.add(key)

    def _touch_group(self, group: Key) -> None:
        """Note a change of all pods of a group. Rare, so there is no index."""
        self.changes.counted.update(
            pod.key
            for pod in self.pods.values()
            if pod.group is not None and (pod.key.namespace, pod.group.name) == group
        )

    def _discard_release(self, uid: str) -> None:
        self.releasing.discard(uid)
        self.awaiting_nodes.discard(uid)

    def _expect_nothing(self, uid: str) -> None:
        self._discard_release(uid)
        self.evicting.discard(uid)
        self.withheld.discard(uid)
        self.refused.pop(uid, None)
