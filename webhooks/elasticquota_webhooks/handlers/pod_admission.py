"""Labels a new pod of a quota, adds the scheduling gate, and restricts it to its tree's nodes.

Where YuniKorn's queues are followed, its placement rules choose the quota first, and the creator of
the pod is written on it. A gated pod whose quota label changes is judged like a new one.

Webhook down: the default failure policy is Ignore, so pods are created without the gate; the
controller counts them and reclaims what exceeds the quota. Stale cache: a pod may be labeled with a
quota that was just deleted, or miss one that was just created; the controller resolves the quota
again in every cycle and adds what is missing when it ungates. Races: none, because nothing is
counted here. The handler makes no API call, and a second call for the same pod changes nothing.
Only stored quotas decide what a pod gets: no review of a quota, forged or real, changes a pod.
"""

from elasticquota import names
from elasticquota.defaulting import pod_gate
from elasticquota.defaulting.pod_gate import Hold
from elasticquota.forest.structure import Forest
from elasticquota.jobs import named_quota
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.structs import Struct, replace
from elasticquota.validation import chains, creation_limit
from elasticquota.validation.severity import USUAL, Validation
from elasticquota.wire.admission import patch, review
from elasticquota.wire.admission.review import AdmissionRequest, Operation, Response, UserInfo
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.kubernetes import holders, pods
from elasticquota_webhooks.cache import creators
from elasticquota_webhooks.cache.caches import Caches
from elasticquota_webhooks.handlers import passed_over
from elasticquota_webhooks.reviews import replies, reviews


class PodAdmission(Struct, frozen=True):
    """Completes new pods, and refuses pods that may not use the quota they name.

    Raises ``reviews.UnavailableError`` until the caches are filled.
    """

    caches: Caches
    validation: Validation = USUAL
    controller_user: str = ""
    """The user of our controller, which labels the pods that it ungates."""
    aliases: bool = False
    """Whether labels of ACK name the quota of a pod too, where ours does not."""
    replaced_schedulers: frozenset[str] = frozenset()
    """A new pod of one of these, which run no more, gets the scheduler of the cluster."""
    refuses_at_creation: bool = False
    """Pods beyond what their quota takes are refused instead of held at the gate."""

    async def default(self, request: AdmissionRequest) -> Response:
        """Add the label, the gate and the node affinity."""
        if request.operation != "CREATE" or request.sub_resource:
            return replies.allow(request)
        if not self.caches.filled:
            # Not a refusal: the failure policy decides about pods that we cannot judge.
            raise reviews.UnavailableError("the quotas are still being read")
        new = review.subject(request.object, review.NewPod, "the pod")
        meta = new.metadata
        pod = pods.read(new)
        membership = self.caches.stored_membership()
        forest = membership.forest
        key = Key(meta.namespace, meta.name or f"{meta.generate_name}*")
        named = named_quota.of_labels(meta.labels or {}) if self.aliases else ""
        place = self.caches.queues.of(pod, meta, request.user_info, membership, named)
        if place.refusal is not None:
            return replies.refuse_document(request, "Pod", key, [place.refusal])
        operations = self._annotated(new, request.user_info)
        if pod.scheduler in self.replaced_schedulers and not pod.bound:
            operations += patch.scheduler()
        if place.is_coming:
            # There is no quota yet to judge the pod by. The controller creates it, or admits the
            # pod by the quota of its namespace.
            coming = pod_gate.hold_for_new(pod, place.quota)
            return replies.allow(request, patch=operations + _held(coming, pod, meta))
        placed = replace(pod, quota_label=place.quota) if place.quota else pod
        quota = membership.quota_of(placed)
        findings = chains.judge_pod(placed, membership, self.validation)
        if findings.refused:
            return replies.refuse(request, "Pod", key, findings.refused)
        beyond = self._excess(placed, quota, forest)
        if beyond:
            return replies.forbid(request, "Pod", key, beyond)
        hold = pod_gate.hold(pod, quota, forest)
        operations += _held(hold, pod, meta)
        if hold.governed and quota in forest.tree_of:
            of_tree = self.caches.selector(forest.tree_of[quota])
            selector = of_tree.within(forest.quotas[quota].nodes)
            operations += patch.affinity(new.spec.node_selector, new.spec.affinity, selector)
        notes = passed_over.of_pod(meta)
        return replies.allow(request, patch=operations, warnings=findings.warned, notes=notes)

    def _annotated(self, new: review.NewPod, creator: UserInfo) -> list[Operation]:
        """Write what the queues of YuniKorn need to know of the pod.

        The creator, for limits of users, unless a controller creates the pod; and that its priority
        class is evicted last, unless the pod says so or not itself (Y22).
        """
        meta, queues = new.metadata, self.caches.queues
        found: dict[str, str] = {}
        stamp = creators.stamp(creator) if queues.are_followed else ""
        if stamp and not meta.annotation(holders.STAMP):
            found[holders.STAMP] = stamp
        said = meta.annotation(names.ALLOW_PREEMPTION) in ("true", "false")
        if not said and queues.evicts_last(new.spec.priority_class_name):
            found[names.ALLOW_PREEMPTION] = "false"
        return patch.annotations(meta.annotations, found) if found else []

    def _excess(self, pod: Pod, quota: str, forest: Forest) -> str:
        """Why the pod may not be created, where that is refused; for most pods nothing."""
        if not self.refuses_at_creation or quota not in forest.quotas:
            return ""
        published = self.caches.published.of([forest.quotas[quota]])
        return creation_limit.excess(pod, quota, forest, published.get(quota))

    async def validate(self, request: AdmissionRequest) -> Response:
        """Judge a gated pod whose quota label changes; allow every other edit."""
        if request.operation != "UPDATE" or request.sub_resource:
            return replies.allow(request)
        if not self.caches.filled:
            raise reviews.UnavailableError("the quotas are still being read")
        old = pods.read(review.subject(request.old_object, pods.PodManifest, "the old pod"))
        new = review.subject(request.object, pods.PodManifest, "the pod")
        pod = pods.read(new)
        if not old.gated or pod.quota_label == old.quota_label:
            return replies.allow(request)
        members = self.caches.stored_membership()
        if request.user_info.username != self.controller_user:
            user = request.user_info
            denial = self.caches.queues.denial(pod, new.metadata, user, members)
            if denial is not None:
                return replies.refuse_document(request, "Pod", pod.key, [denial])
        findings = chains.judge_pod(pod, members, self.validation)
        return replies.judged(request, "Pod", pod.key, findings)


def _held(hold: Hold, pod: Pod, meta: ObjectMeta) -> list[Operation]:
    label = patch.labels(meta.labels, {names.QUOTA_NAME: hold.label}) if hold.label else []
    return label + (patch.gate(pod.gates) if hold.gate else [])
