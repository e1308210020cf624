"""The objects as last seen, the writes not seen yet, and what changed of both.

Values only. Only the ledger changes them; its books read the changes.
"""

from collections.abc import Mapping

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
from elasticquota.structs import Struct, field


class Changes(Struct):
    """What changed since the last update of the books."""

    counted: set[Key] = field(default_factory=set)
    """Pods and jobs that were added, changed or deleted, or of which something else is expected."""
    quotas: dict[Key, None] | None = None
    """Quotas that were added, changed or deleted, in order; None: the books are new."""
    profiles_changed: bool = True
    """Whether a profile was added, changed or deleted, or the books are new."""
    nodes: dict[str, Node | None] = field(default_factory=dict)
    """Nodes with events since the last update, by name, as they were stored then."""
    group_sources: set[Key] = field(default_factory=set)
    """Objects that state the size of groups and were added, changed or deleted."""
    group_kinds: set[str] = field(default_factory=set)
    """Kinds of such objects that are followed since, or served otherwise than before."""
    definitions: bool = False
    """Whether any definition is served otherwise than before."""


class LedgerObjects(Struct):
    """The objects by key or name, and what is expected of pods and jobs by uid."""

    quotas: dict[Key, Quota] = field(default_factory=dict)
    profiles: dict[Key, Profile] = field(default_factory=dict)
    pods: dict[Key, Pod] = field(default_factory=dict)
    jobs: dict[Key, QueuedJob] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    namespaces: dict[str, Namespace] = field(default_factory=dict)
    group_objects: dict[Key, GroupObject] = field(default_factory=dict)
    """By namespace and source."""
    group_kinds: set[str] = field(default_factory=set)
    """Adapters of ``pod_groups`` all of whose objects are known."""
    unread: dict[tuple[str, str], Unread] = field(default_factory=dict)
    """By definition and adapter, the kinds that are served in no version that is read."""
    lacking: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By definition of a kind of ours, the fields (``spec.paused``) that it does not have."""
    releasing: set[str] = field(default_factory=set)
    """Pods that are being ungated, and jobs that are being started: they count as admitted before
    the cache shows it."""
    awaiting_nodes: set[str] = field(default_factory=set)
    """Those of ``releasing`` that are not being ungated or started yet: a cluster autoscaler is
    asked for their nodes. They run on nothing, so they may return their room."""
    evicting: set[str] = field(default_factory=set)
    """Pods that are being evicted, and jobs that are being suspended: they count as leaving before
    the cache shows it."""
    withheld: set[str] = field(default_factory=set)
    """Pods that cannot be evicted, or released, for now, so it is not tried."""
    refused: dict[str, Refusal] = field(default_factory=dict)
    """Why pods could not be evicted at the last try, as long as the decision needs to know."""
    pool_choices: Mapping[str, str] = field(default_factory=dict)
    """By uid, the pools for which pods and jobs were released that may go to several."""
    postponed: dict[Key, str] = field(default_factory=dict)
    """Groups that are out of the queue for a while, and why."""
    time: int = 0
    """The wall clock as last set, epoch milliseconds."""
    changes: Changes = field(default_factory=Changes)

    def counted(self, key: Key) -> Counted | None:
        """Return the pod or the job of this key; None: there is none."""
        return self.pods.get(key) or self.jobs.get(key)

    def unread_by(self, adapter: str) -> Unread | None:
        """Return the kind of an adapter of ``pod_groups`` that cannot be read; None: it can be."""
        return next((found for found in self.unread.values() if found.adapter == adapter), None)

    def is_gated(self, found: Counted) -> bool:
        """Whether our gate holds it, and it is not being admitted."""
        return found.gated and found.uid not in self.releasing
