"""A new pod of a quota is labelled, held at the gate and sent to the nodes of its tree.

Where YuniKorn's queues are followed, its placement rules say first which quota that is, and who
creates the pod is written on it.
One that waits there and is given another quota is judged as if it were new.

Down: the configuration says Ignore unless told otherwise, so pods are created without gate; the
controller counts them as they are and takes back what is too much. Stale: a pod may be labelled
with a quota that has just gone, or miss one that has just come; the controller resolves it again at
every look and adds what is missing at release. Raced: nothing is counted here, so nothing can be.
No API call is made, and the same pod asked twice gets nothing the second time.
What a pod gets goes by stored quotas alone: no review of a quota, forged or real, changes a pod.
"""

from dataclasses import replace

from elasticquota import names
from elasticquota.defaulting import pod_affinity, pod_gate
from elasticquota.defaulting.pod_gate import Hold
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.validation import chains
from elasticquota.validation.severity import USUAL, Validation
from elasticquota.wire.codec import patch
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.kubernetes import node_affinity, pods, review
from elasticquota.wire.kubernetes.review import Operation, Request, Response, User
from elasticquota.wire.quota import holders
from elasticquota_webhooks.cache.caches import Caches
from elasticquota_webhooks.handlers import creators, replies, reviews


class PodAdmission:
    """Completes new pods, and refuses pods that may not go where they want to.

    Raises ``reviews.UnavailableError`` until the caches are filled.
    """

    def __init__(self, caches: Caches, validation: Validation = USUAL) -> None:
        self._caches = caches
        self._validation = validation

    async def default(self, request: Request) -> Response:
        """Label, gate and node affinity."""
        if request.operation != "CREATE" or request.sub_resource:
            return replies.allow(request)
        if not self._caches.filled:
            # Not a refusal: the failure policy says what becomes of pods that we cannot judge.
            raise reviews.UnavailableError("the quotas are still being read")
        new = review.subject(request.object, review.NewPod, "the pod")
        meta = new.metadata
        pod = pods.read(new)
        membership = self._caches.stored_membership()
        forest = membership.forest
        key = Key(meta.namespace, meta.name or f"{meta.generate_name}*")
        place = self._caches.queues.of(pod, meta, request.user_info, membership)
        if place.refusal:
            return replies.refuse_document(request, "Pod", key, [place.refusal])
        operations = self._signed(meta, request.user_info)
        if place.is_coming:
            # There is nothing yet that it could be judged by; the controller makes it, or lets the
            # pod in by the quota of its namespace.
            coming = pod_gate.hold_for_new(pod, place.quota)
            return replies.allow(request, patch=operations + _held(coming, pod, meta))
        placed = replace(pod, quota_label=place.quota) if place.quota else pod
        quota = membership.quota_of(placed)
        found = chains.judge_pod(placed, membership, self._validation)
        if found.refused:
            return replies.refuse(request, "Pod", key, found.refused)
        hold = pod_gate.hold(pod, quota, forest)
        operations += _held(hold, pod, meta)
        if hold.governed and quota in forest.tree_of:
            of_tree = self._caches.selector(forest.tree_of[quota])
            selector = of_tree.within(forest.quotas[quota].nodes)
            present = new.spec.affinity
            operations += patch.affinity(
                present, pod_affinity.narrow(node_affinity.terms(present), selector)
            )
        return replies.allow(request, patch=operations, warnings=found.warned)

    def _signed(self, meta: ObjectMeta, creator: User) -> list[Operation]:
        """Who creates the pod, where limits of users may ask for it; not in place of others."""
        text = creators.stamp(creator) if self._caches.queues.are_followed else ""
        if not text or meta.annotation(holders.STAMP):
            return []
        return patch.annotations(meta.annotations, {holders.STAMP: text})

    async def validate(self, request: Request) -> Response:
        """Judge a waiting pod that is given another quota; every other edit passes."""
        if request.operation != "UPDATE" or request.sub_resource:
            return replies.allow(request)
        if not self._caches.filled:
            raise reviews.UnavailableError("the quotas are still being read")
        old = pods.read(review.subject(request.old_object, pods.PodManifest, "the old pod"))
        pod = pods.read(review.subject(request.object, pods.PodManifest, "the pod"))
        if not old.gated or pod.quota_label == old.quota_label:
            return replies.allow(request)
        found = chains.judge_pod(pod, self._caches.stored_membership(), self._validation)
        if found.refused:
            return replies.refuse(request, "Pod", pod.key, found.refused)
        return replies.allow(request, warnings=found.warned)


def _held(hold: Hold, pod: Pod, meta: ObjectMeta) -> list[Operation]:
    label = patch.labels(meta.labels, {names.QUOTA_NAME: hold.label}) if hold.label else []
    return label + (patch.gate(pod.gates) if hold.gate else [])
