"""Refuses to resize a running pod beyond the runtimes of its quota and the quotas above it.

Webhook down: the default failure policy is Ignore, so the pod grows; the controller counts what it
requests and has allocated, and reclaims what is too much. Stale cache: the figures are about a
second old, so what this replica permitted in the last seconds counts beside them. Races: two
replicas may both give the last unit away; the controller reclaims it from one of the pods. The
handler makes no API call.
"""

from elasticquota import names
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.forest.structure import Forest
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY
from elasticquota.structs import Struct
from elasticquota.validation import chains, resize
from elasticquota.validation.severity import USUAL, Validation
from elasticquota.wire.admission import review
from elasticquota.wire.admission.review import AdmissionRequest, Response
from elasticquota.wire.kubernetes import pods
from elasticquota_webhooks.cache.caches import Caches
from elasticquota_webhooks.reviews import replies, reviews


class ResizeAdmission(Struct, frozen=True):
    """Judges ``pods/resize`` by ``validation``.

    Raises ``reviews.UnavailableError`` until the caches are filled.
    """

    caches: Caches
    validation: Validation = USUAL

    async def validate(self, request: AdmissionRequest) -> Response:
        """Judge the growth of a pod; allow everything else."""
        if request.operation != "UPDATE" or request.sub_resource != "resize":
            return replies.allow(request)
        if not self.caches.filled:
            # Not a refusal: the failure policy decides about pods that we cannot judge.
            raise reviews.UnavailableError("the quotas are still being read")
        old = review.subject(request.old_object, pods.PodManifest, "the old pod")
        new = review.subject(request.object, pods.PodManifest, "the pod")
        if new.finished:
            return replies.allow(request)
        before, pod = pods.read(old), pods.read(new)
        # The overhead of a runtime class cannot be resized, so it makes no difference whether it
        # counts.
        asked = resize.growth(before, pod)
        membership = self.caches.stored_membership()
        quota = membership.quota_of(pod)
        if not asked or quota in (NO_QUOTA, *names.RESERVED_QUOTAS):
            return replies.allow(request)
        forest = membership.forest
        published = self.caches.published.of(_concerned(quota, forest))
        expected = self.caches.growths.over(published, before)
        firm = EMPTY if pod.preemptible else before.request
        findings = chains.judge_growth(asked, quota, forest, expected, self.validation, firm=firm)
        if not (findings.refused or request.dry_run):
            self.caches.growths.note(before, asked, forest.path(quota), published)
        return replies.judged(request, "Pod", new.metadata.key, findings)


def _concerned(quota: str, forest: Forest) -> list[Quota]:
    """The quotas whose published figures decide."""
    path = forest.path(quota)
    if not path:
        return []
    tree = forest.trees[forest.tree_of[quota]]
    if tree.guarantees_use:
        return [forest.quotas[name] for name in tree.order]
    below = [child for above in path[1:] for child in tree.children[above]]
    return [forest.quotas[name] for name in (tree.root, *below)]
