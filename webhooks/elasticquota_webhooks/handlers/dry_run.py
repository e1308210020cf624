"""Says in the answer to a dry run what would become of new pods (``forecast.pod_summary``).

The API server asks about pods, Deployments, StatefulSets and Jobs here, and only in a dry run: no
write of any of them waits for this. Nothing is refused. The answer has what their pods would be
refused or warned for, too, which a workload itself never says.

No API call is made and nothing is counted. Webhook down: the failure policy is Ignore, so the API
server answers without the sentences. Stale cache: the figures are about a second old. Races: pods
that come at the same time are not known to each other. Where YuniKorn's queues are followed, its
placement may choose another quota; then the sentence is left out. A summary of a large tree takes
over 10 ms, in which no other request is answered. So all together take about a tenth of the time
at most; beyond that the answer says that nothing was computed.
"""

from collections.abc import Iterator
from typing import Final

import structlog

from elasticquota import names, resources
from elasticquota.defaulting import pod_gate
from elasticquota.forecast import edit_shares, pod_summary
from elasticquota.forecast.pod_summary import ComingPods, QueueSummary
from elasticquota.forest.structure import Forest
from elasticquota.model.pod import Pod
from elasticquota.resources import EMPTY
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import Struct, field
from elasticquota.validation import chains
from elasticquota.validation.severity import USUAL, Validation
from elasticquota.wire.admission import review
from elasticquota.wire.admission.review import AdmissionRequest, Response
from elasticquota.wire.kubernetes import new_workloads
from elasticquota.wire.kubernetes.new_workloads import NewPods, NewWorkload
from elasticquota.wire.kubernetes.pods import PodManifest
from elasticquota_webhooks.cache.caches import Caches
from elasticquota_webhooks.cache.published import stored_as
from elasticquota_webhooks.handlers import edit_summary, passed_over
from elasticquota_webhooks.handlers.token_bucket import TokenBucketRateLimiter
from elasticquota_webhooks.reviews import replies


_WORK: Final = 10 * edit_shares.MOST
"""Quotas times resources that are computed in a second."""
_BUSY: Final = "not computed, because too many dry runs came within a second; try again"

log = structlog.get_logger(__name__)


class DryRun(Struct, frozen=True):
    """Warns of what would happen, in a dry run of a creation."""

    caches: Caches
    validation: Validation = USUAL
    policy: Policy = field(default_factory=Policy)
    """The times of reclaim."""
    work: TokenBucketRateLimiter = field(default_factory=lambda: TokenBucketRateLimiter(_WORK))

    async def validate(self, request: AdmissionRequest) -> Response:
        """Allow the object, with the sentences about its pods."""
        try:
            notes = list(self._notes(request))
        except Exception as error:
            # A fault in a warning must not be one of the object.
            log.exception("a dry run could not be summed up", error=type(error).__name__)
            notes = []
        return replies.allow(request, notes=notes)

    def _notes(self, request: AdmissionRequest) -> Iterator[str]:
        asked = request.dry_run and request.operation == "CREATE" and not request.sub_resource
        new = _read(request) if asked and self.caches.filled else None
        if new is None or not new.number:
            return
        membership = self.caches.stored_membership()
        quota = membership.quota_of(new.pod)
        findings = chains.judge_pod(new.pod, membership, self.validation)
        for each in (*findings.refused, *findings.warned):
            yield f"{new.where}{each.line}"
        for note in passed_over.of_pod(new.meta):
            yield f"{new.where}{note}"
        for note in new.pod.warnings:
            yield f"{new.where}metadata: {note}; it is ignored"
        hold = pod_gate.hold(new.pod, quota, membership.forest)
        held = hold.gate or (hold.governed and new.pod.gated)
        if held and not findings.refused and not self.caches.queues.are_followed:
            text = self._summary(new.pod, new.number, quota, membership.forest)
            if text:
                # kubectl prints equal warnings about several objects of a file once.
                kind = new_workloads.KINDS[request.resource.resource]
                yield f"{kind} {new.meta.name or request.name}: {text}"

    def _summary(self, pod: Pod, count: int, name: str, forest: Forest) -> str:
        request = {
            key: amount
            for key, amount in self.caches.accounting.sized(pod).request.items()
            if amount and key != names.PODS
        }
        quotas = edit_shares.concerned_by_request(name, len(request), forest)
        if not request or not quotas:
            return ""
        new, paused = ComingPods(request, count), forest.paused_at(name)
        if paused:
            return pod_summary.paused(new, forest.quotas[name], itself=paused == name)
        if not self.work.take(len(quotas) * len(request)):
            return _BUSY
        asked = [stored_as(forest.quotas[each], forest) for each in quotas]
        published = self.caches.published.of_keys(asked, {*request, names.PODS})
        quota = forest.quotas[name]
        more = {key: amount * count for key, amount in request.items()}
        changes = edit_shares.changes_by_request(quota, more, forest, published)
        limit = edit_shares.pod_limit(quota, forest, published)
        if limit is not None and changes:
            changes = (*changes, limit)
            new = ComingPods({**request, names.PODS: 1}, count)
        times = edit_summary.times(quota, forest.tree_of[name], self.policy)
        queue = QueueSummary(*self.caches.published.waits(stored_as(quota, forest)))
        most = EMPTY
        for each in forest.path(name):
            most = resources.minimum(most, forest.quotas[each].max)
        return pod_summary.of(new, quota, changes, published, queue, times, most)


def _read(request: AdmissionRequest) -> NewPods | None:
    """The pods that the object is or makes; None for one that a controller made."""
    resource = request.resource.resource
    if resource not in new_workloads.KINDS:
        return None
    if resource == new_workloads.PODS:
        pod = review.subject(request.object, PodManifest, "the pod")
        return None if pod.metadata.owner_references else new_workloads.of_pod(pod)
    workload = review.subject(request.object, NewWorkload, "the workload")
    owned = workload.metadata.owner_references
    return None if owned else new_workloads.of_workload(workload)
