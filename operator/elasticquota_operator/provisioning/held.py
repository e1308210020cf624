"""A workload that its quota admitted and that waits for the answer of an autoscaler.

To the ledger it is being released, so it holds its room. Nothing of it is stored but its
ProvisioningRequests: after a restart the next cycle admits it again, finds them and goes on.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Release
from elasticquota.model.key import Key
from elasticquota.model.owner import Owner
from elasticquota.model.pod import Pod
from elasticquota.model.selector import Selector
from elasticquota.provisioning import manifests, pod_sets
from elasticquota.provisioning.manifests import Asking
from elasticquota.provisioning.pod_sets import EqualPods
from elasticquota.provisioning.step import ProvisioningTerms
from elasticquota.structs import Struct, field
from elasticquota_operator.jobs.queued_job import Queued


_JUDGED: Final = ("quota_label", "request", "priority", "preemptible", "constraints", "group")
"""On what the admission of a pod rests."""


class HeldPart(Struct):
    """What the workload asks for in one namespace, on the same nodes."""

    asking: Asking
    sets: tuple[EqualPods, ...]
    nodes: Selector
    attempt: int = 0
    """The attempt whose answer counts; 0: none is chosen yet."""
    was_open: bool = False
    """Whether its request was seen without a refusal: a refusal is then one of now."""


class HeldWorkload(Struct):
    """One workload."""

    subject: Key
    """The group, or the job by its key in the ledger."""
    releases: tuple[Release, ...]
    parts: tuple[HeldPart, ...]
    since: int
    """When it was admitted, epoch milliseconds."""
    terms: ProvisioningTerms
    """Those of its tree."""
    nodes: Selector
    """The nodes of its quota; those of its pool, if it has one, are a part of them."""
    is_job: bool
    pods: dict[str, Pod] = field(default_factory=dict)
    """Of a group: its pods as they were admitted, by uid."""

    def is_intact(self, ledger: Ledger) -> bool:
        """Whether each part of it still waits, and is what was admitted, where it was admitted."""
        return all(self._is_same(ledger, release) for release in self.releases)

    def is_observed(self, ledger: Ledger) -> bool:
        """Whether its tree is in observe mode by now, which holds nothing."""
        return ledger.snapshot.forest.observes(self.releases[0].quota)

    def _is_same(self, ledger: Ledger, release: Release) -> bool:
        now = ledger.counted(release.pod)
        if now is None or now.uid != release.uid or not now.gated or now.deleting:
            return False
        cluster = ledger.snapshot
        if cluster.members.quota_of(now) != release.quota:
            return False
        if cluster.nodes(release.quota) != self.nodes:
            return False
        before = self.pods.get(release.uid)
        return before is None or all(
            getattr(before, name) == getattr(now, name) for name in _JUDGED
        )


def gang(
    releases: Sequence[Release],
    pods: Sequence[Pod],
    nodes: Selector,
    terms: ProvisioningTerms,
    now: int,
) -> HeldWorkload:
    """Return the held gang of ``releases``, each of the pod at the same place.

    ``nodes`` are those of its quota.
    """
    subject = releases[0].gang or releases[0].pod
    parts = tuple(
        _part(
            Key(namespace, subject.name),
            [pod.uid for pod in theirs],
            [Owner("v1", "Pod", pod.key.name, pod.uid) for pod in theirs],
            pod_sets.of_pods(theirs),
            where,
            terms,
        )
        for (namespace, where), theirs in _by_place(releases, pods).items()
    )
    return HeldWorkload(
        subject,
        tuple(releases),
        parts,
        now,
        terms,
        nodes,
        is_job=False,
        pods={pod.uid: pod for pod in pods},
    )


def job(
    release: Release, found: Queued, nodes: Selector, terms: ProvisioningTerms, now: int
) -> HeldWorkload:
    """Return the held job of ``release``; ``nodes`` are those of its quota."""
    of = found.job
    owner = Owner(found.resource.api_version, of.kind, of.key.name, of.uid)
    sets = pod_sets.of_job(of, found.adapter, found.document)
    # The uid of the release differs after each suspension: what was booked before is not used.
    part = _part(release.pod, [release.uid], [owner], sets, release.nodes, terms)
    return HeldWorkload(release.pod, (release,), (part,), now, terms, nodes, is_job=True)


def can_be_asked_for(held: HeldWorkload) -> bool:
    """Whether a request can say what the workload needs."""
    return all(0 < len(part.sets) <= pod_sets.MOST for part in held.parts)


def _part(
    subject: Key,
    uids: Iterable[str],
    owners: Sequence[Owner],
    sets: tuple[EqualPods, ...],
    nodes: Selector,
    terms: ProvisioningTerms,
) -> HeldPart:
    counts = [each.count for each in sets]
    where = [f"{each.key} {each.operator} {each.values}" for each in nodes.requirements]
    asking = manifests.asking(
        subject, [*uids, *where], owners, terms.class_name, terms.parameters, counts
    )
    return HeldPart(asking, sets, nodes)


def _by_place(
    releases: Sequence[Release], pods: Sequence[Pod]
) -> dict[tuple[str, Selector], list[Pod]]:
    """By namespace and nodes: pods of a group may be counted in different pools."""
    found: dict[tuple[str, Selector], list[Pod]] = {}
    for release, pod in zip(releases, pods, strict=True):
        found.setdefault((pod.key.namespace, release.nodes), []).append(pod)
    return found
