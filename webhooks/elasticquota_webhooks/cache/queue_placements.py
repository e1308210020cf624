"""Places new pods into YuniKorn's queues, as far as this replica knows them.

A pod that the placement rules put into a queue gets the label of its quota. A pod that no rule
matches is refused, as in YuniKorn, and so is one whose user may not submit to its queue, by
whatever label it names it. These pods are left alone: pods that name another quota of ours, system
pods, pods of namespaces bound to a quota that an administrator wrote, and all pods while no valid
configuration is known or the default tree is in observe mode.

A queue that a rule creates for pods may have no quota yet. The pod then gets the name that the
quota will have. The controller sees the pod, comes to the same result (``asking``) and creates the
quota.

Webhook down: pods belong to the queue of their namespace. Stale cache: a queue that the
configuration or a namespace added a moment ago may be unknown here; its pods then belong to the
queue of their namespace.
"""

from typing import Final, Protocol

from elasticquota import names
from elasticquota.forest.membership import Membership
from elasticquota.integrations.translation import naming
from elasticquota.integrations.yunikorn import pod_queues, queues
from elasticquota.integrations.yunikorn.pod_queues import Placements
from elasticquota.integrations.yunikorn.rules import Applicant, PlacementRefusal
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.structs import Struct, replace
from elasticquota.wire.admission import review
from elasticquota.wire.admission.review import AnyObject, UserInfo
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.integrations import queue_namespaces, queue_pods
from elasticquota.wire.integrations.queue_namespaces import QueueNamespace
from elasticquota.wire.integrations.queues import QueueConfig
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest
from elasticquota.wire.quota.quotas import StoredQuota
from elasticquota_kube.informer.store import Store
from elasticquota_webhooks.cache import creators


class QueuePlacement(Struct, frozen=True):
    """Where to put a pod: a quota name, or why it is refused; neither: leave it alone."""

    quota: str = ""
    refusal: Fault | None = None
    is_coming: bool = False
    """Whether the quota is still to be created, for this pod."""


LEFT_ALONE: Final = QueuePlacement()


class PlacementRuleSource(Protocol):
    """Where the placement rules come from."""

    @property
    def is_good(self) -> bool:
        """Whether there is a valid configuration."""

    @property
    def config(self) -> QueueConfig | None:
        """The configuration; None stands for YuniKorn's default."""


class QueuePlaces:
    """Places no pod until it follows a configuration."""

    def __init__(self) -> None:
        self.quotas: Store[StoredQuota, str] = Store(_path, lambda *_: self._forget_names())
        """The queue paths, with dots, of the quotas that are made from queues."""
        self.namespaces: Store[NamespaceManifest, QueueNamespace] = Store(queue_namespaces.read)
        self.priority_classes: Store[AnyObject, bool] = Store(review.is_evicted_last)
        """Priority classes whose pods are evicted last."""
        self._names: dict[str, str] | None = None
        """By path, with dots: the name of its quota; None: to be read again, like its inverse."""
        self._paths: dict[str, str] | None = None
        self._source: PlacementRuleSource | None = None
        self._placements: tuple[QueueConfig | None, Placements] | None = None

    @property
    def are_followed(self) -> bool:
        """Whether YuniKorn's queues are followed."""
        return self._source is not None

    def follow(self, source: PlacementRuleSource) -> None:
        """Place pods by the rules of ``source`` from now on."""
        self._source = source

    def of(
        self, pod: Pod, meta: ObjectMeta, creator: UserInfo, members: Membership, named: str = ""
    ) -> QueuePlacement:
        """The place of a new pod that ``creator`` creates.

        ``named`` is the quota that another label names, for a pod that no rule puts anywhere.
        """
        place = self._by_rules(pod, meta, creator, members)
        if place.quota or place.refusal or not named:
            return place
        refusal = self.denial(replace(pod, quota_label=named), meta, creator, members)
        return QueuePlacement(refusal=refusal) if refusal else QueuePlacement(named)

    def _by_rules(
        self, pod: Pod, meta: ObjectMeta, creator: UserInfo, members: Membership
    ) -> QueuePlacement:
        rules = self._rules()
        if rules is None or _is_exempt(pod, members):
            return LEFT_ALONE
        if pod.quota_label:
            refusal = self.denial(pod, meta, creator, members)
            return QueuePlacement(refusal=refusal) if refusal else LEFT_ALONE
        if _is_spoken_for(pod, members):
            return LEFT_ALONE
        place = rules.place(self._applicant(pod, meta, creator))
        if isinstance(place, PlacementRefusal):
            return QueuePlacement(refusal=Fault(f"metadata.labels[{queue_pods.QUEUE}]", place.text))
        return self._at(place)

    def denial(
        self, pod: Pod, meta: ObjectMeta, creator: UserInfo, members: Membership
    ) -> Fault | None:
        """Why the pod may not name its quota, which is made from a queue; None: it may.

        The label of a quota is no way around the access lists of its queue.
        """
        rules = self._rules()
        if rules is None or _is_exempt(pod, members):
            return None
        if self._paths is None:
            self._paths = {key.name: path for key, path in self.quotas.values.items()}
        path = self._paths.get(pod.quota_label)
        if not path:
            return None
        text = rules.denial(tuple(path.split(".")), self._applicant(pod, meta, creator))
        return Fault(f"metadata.labels[{names.QUOTA_NAME}]", text) if text else None

    def _applicant(self, pod: Pod, meta: ObjectMeta, creator: UserInfo) -> Applicant:
        known = self.namespaces.get(Key("", pod.key.namespace))
        who = creators.of(pod, creator)
        return Applicant(
            known or QueueNamespace(pod.key.namespace),
            queue_pods.queue(meta),
            who.user if who is not None else "",
            who.groups if who is not None else (),
        )

    def evicts_last(self, priority_class: str) -> bool:
        """Whether pods of the class are evicted last, where YuniKorn is followed (Y22)."""
        return self.are_followed and bool(self.priority_classes.get(Key("", priority_class)))

    def _at(self, found: pod_queues.PodPlacement) -> QueuePlacement:
        if self._names is None:
            self._names = {path: key.name for key, path in self.quotas.values.items()}
        known = self._names.get(".".join(found.path), "")
        if known or not found.for_pods:
            return QueuePlacement(known)
        return QueuePlacement(naming.own(found.path), is_coming=True)

    def _forget_names(self) -> None:
        self._names = self._paths = None

    def _rules(self) -> Placements | None:
        if self._source is None or not self._source.is_good:
            return None
        config = self._source.config
        if self._placements is None or self._placements[0] is not config:
            self._placements = (config, Placements(queues.partition_in_force(config)))
        return self._placements[1]


def _is_exempt(pod: Pod, members: Membership) -> bool:
    return (
        pod.daemon
        or pod.bound
        or members.forest.observes(names.ROOT_QUOTA)
        or members.quota_of(pod) == names.SYSTEM_QUOTA
    )


def _is_spoken_for(pod: Pod, members: Membership) -> bool:
    quota = members.quota_of(pod)
    found = members.forest.quotas.get(quota)
    return (
        found is not None and quota not in names.RESERVED_QUOTAS and found.kept_for != queues.NAME
    )


def _path(manifest: StoredQuota) -> str | None:
    meta = manifest.metadata
    if meta.label(names.DIALECT) != queues.NAME:
        return None
    return meta.annotation(names.SOURCE).partition(":")[2]
