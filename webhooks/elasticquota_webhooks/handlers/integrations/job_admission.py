"""A job that names a quota or a queue takes its pods along (Koord-Queue; ``jobs.named_quota``).

The label of the quota is written into the job's pod templates, where there is none. The job is
judged by the rules for pods, so no job gets into a quota that does not take pods of its namespace;
a namespace may restrict its jobs further by the annotation ``kube-queue/available-quota``.

A Job whose pods YuniKorn's rules or access lists would refuse is refused with the same message: it
would hold room in its queue for pods that never come (Y8). So is an edit of the template of a Job
that names another queue: its pods keep the user who created the Job. The pods of other kinds have
the account of the operator that creates them, which is not known here.

Webhook down: the failure policy is Ignore; the job and its pods then belong to the quota of their
namespace. Stale cache: a queue that was just created is refused, and one that was just deleted is
written; pods whose label names no quota belong to that of their namespace. Races: none.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from elasticquota import names
from elasticquota.jobs import named_quota
from elasticquota.jobs.adapter import JobAdapter
from elasticquota.jobs.named_quota import NamedQuota
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.validation import chains
from elasticquota.validation.severity import USUAL, Validation
from elasticquota.wire.admission import patch, review
from elasticquota.wire.admission.review import AdmissionRequest, Operation, Response, UserInfo
from elasticquota.wire.codec.metadata import ObjectMeta, SpecManifest
from elasticquota.wire.integrations import queue_pods
from elasticquota.wire.kubernetes import holders, pods
from elasticquota_webhooks.cache import creators
from elasticquota_webhooks.cache.caches import Caches
from elasticquota_webhooks.reviews import replies, reviews


_NO_TEXTS: Final[Mapping[str, str]] = {}
_JUDGED: Final = frozenset({"CREATE", "UPDATE"})
_PODS_OF_ITS_USER: Final = ("batch", "jobs")
"""The kind whose pods have the user of the job (``workload_admission``)."""
_CONTROLLER: Final = UserInfo(creators.CONTROLLERS)
"""Who creates the pods of a Job: they have the user of its template."""


class JobAdmission:
    """Labels the pod templates of new jobs that name a quota.

    Raises ``reviews.UnavailableError`` until the caches are filled.
    """

    def __init__(
        self, caches: Caches, adapters: Iterable[JobAdapter], validation: Validation = USUAL
    ) -> None:
        self._caches = caches
        self._adapters = {(each.group, each.plural): each for each in adapters}
        self._validation = validation

    async def default(self, request: AdmissionRequest) -> Response:
        """Write the label, or refuse a job that may not use what it names."""
        adapter = self._adapters.get((request.resource.group, request.resource.resource))
        if request.operation not in _JUDGED or request.sub_resource or adapter is None:
            return replies.allow(request)
        if not self._caches.filled:
            raise reviews.UnavailableError("the quotas are still being read")
        new = review.subject(request.object, SpecManifest, "the job")
        if request.operation == "CREATE":
            return self._created(request, adapter, new)
        return self._edited(request, adapter, new)

    def _created(
        self, request: AdmissionRequest, adapter: JobAdapter, new: SpecManifest
    ) -> Response:
        meta = new.metadata
        key = Key(request.namespace or meta.namespace, meta.name or request.name or "*")
        faults: list[Fault] = []
        named = named_quota.named(meta.labels or _NO_TEXTS, meta.annotations or _NO_TEXTS, faults)
        templates = list(named_quota.templates({"spec": new.spec}, adapter))
        if (adapter.group, adapter.plural) == _PODS_OF_ITS_USER:
            for _, template in templates:
                faults += self._refusal(key, template, request.user_info, named.quota)
        if not named.quota:
            if faults:
                return replies.refuse_document(request, adapter.kind, key, faults)
            return replies.allow(request)
        faults += self._faults(named, key.namespace)
        faults += _faults_of_templates(named, templates, adapter.kind)
        if faults:
            return replies.refuse_document(request, adapter.kind, key, faults)
        pod = pods.PodManifest(
            metadata=ObjectMeta(key.name, key.namespace, labels={names.QUOTA_NAME: named.quota})
        )
        judged = chains.judge_pod(
            pods.read(pod), self._caches.stored_membership(), self._validation
        )
        if judged.refused:
            return replies.refuse(request, adapter.kind, key, judged.refused)
        operations = [
            each for where, template in templates for each in _labeled(where, template, named)
        ]
        return replies.allow(request, patch=operations, warnings=judged.warned)

    def _edited(
        self, request: AdmissionRequest, adapter: JobAdapter, new: SpecManifest
    ) -> Response:
        """Refuse an edit of a Job's template that moves its pods to a queue that refuses them."""
        if (adapter.group, adapter.plural) != _PODS_OF_ITS_USER:
            return replies.allow(request)
        key = Key(request.namespace or new.metadata.namespace, new.metadata.name or request.name)
        old = review.subject(request.old_object, SpecManifest, "the old job")
        before = dict(named_quota.templates({"spec": old.spec}, adapter))
        faults: list[Fault] = []
        for where, template in named_quota.templates({"spec": new.spec}, adapter):
            there = before.get(where, {})
            if _naming(template) != _naming(there):
                stamp = _texts(there, "annotations").get(holders.STAMP, "")
                faults += self._refusal(key, template, _CONTROLLER, "", {holders.STAMP: stamp})
        if faults:
            return replies.refuse_document(request, adapter.kind, key, faults)
        return replies.allow(request)

    def _refusal(
        self,
        key: Key,
        template: Mapping[str, Any],
        creator: UserInfo,
        quota: str,
        annotations: Mapping[str, str] = _NO_TEXTS,
    ) -> Iterable[Fault]:
        """Why pods of the template that ``creator`` creates would be refused at their creation.

        The job names ``quota`` for them, or none.
        """
        named = {names.QUOTA_NAME: quota} if quota else _NO_TEXTS
        meta = ObjectMeta(
            key.name,
            key.namespace,
            labels={**_texts(template, "labels"), **named},
            annotations={**_texts(template, "annotations"), **annotations},
        )
        pod = pods.read(pods.PodManifest(metadata=meta))
        members = self._caches.stored_membership()
        place = self._caches.queues.of(pod, meta, creator, members)
        if place.refusal is not None:
            yield place.refusal

    def _faults(self, named: NamedQuota, namespace: str) -> Iterable[Fault]:
        quotas = self._caches.stored_membership().forest.quotas
        if named.is_queue and named.quota not in quotas:
            yield Fault(
                named.where,
                f"there is no queue '{named.quota}', because there is no quota of that name; "
                "leave it out to wait in the queue of the namespace's quota",
            )
        stored = self._caches.namespaces.get(Key("", namespace))
        available = None if stored is None else stored.available_quotas
        if fault := named_quota.unavailable(named, namespace, available):
            yield fault


def _labels(template: Mapping[str, Any]) -> Mapping[str, str] | None:
    metadata = template.get("metadata")
    present = metadata.get("labels") if isinstance(metadata, dict) else None
    return present if isinstance(present, dict) else None


def _faults_of_templates(
    named: NamedQuota, templates: Sequence[tuple[str, Mapping[str, Any]]], kind: str
) -> Iterable[Fault]:
    """Why the pods of the job cannot get the quota that it names."""
    if not templates:
        yield Fault(
            named.where,
            f"a {kind} has no pod template that could take it along; label its pods with "
            f"{names.QUOTA_NAME} instead",
        )
    for where, template in templates:
        own = named_quota.of_labels(_labels(template) or _NO_TEXTS)
        if own and own != named.quota:
            yield Fault(
                named.where,
                f"must be '{own}' as in the labels of the pod template at {where}, got "
                f"'{named.quota}'",
            )


def _naming(template: Mapping[str, Any]) -> tuple[str, str]:
    """The quota and the queue that a template names for its pods."""
    labels = _texts(template, "labels")
    meta = ObjectMeta(labels=labels, annotations=_texts(template, "annotations"))
    return labels.get(names.QUOTA_NAME, ""), queue_pods.queue(meta)


def _texts(template: Mapping[str, Any], field: str) -> dict[str, str]:
    """The labels or annotations of a template, as far as they are texts."""
    metadata = template.get("metadata")
    present = metadata.get(field) if isinstance(metadata, dict) else None
    found = present.items() if isinstance(present, dict) else ()
    return {key: text for key, text in found if isinstance(key, str) and isinstance(text, str)}


def _labeled(where: str, template: Mapping[str, Any], named: NamedQuota) -> list[Operation]:
    """The label at a template that has none."""
    present = _labels(template)
    if (present or _NO_TEXTS).get(names.QUOTA_NAME):
        return []
    has_metadata = isinstance(template.get("metadata"), dict)
    added = {names.QUOTA_NAME: named.quota}
    return patch.labels(present, added, where=where, has_metadata=has_metadata)
