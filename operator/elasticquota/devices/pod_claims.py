"""Adds the devices of claims to the requests of pods (placement 4).

* A claim counts once, in the pod that uses it and came first: admitted pods come before waiting
  ones, then the older pod, then the smaller uid. When that pod goes, the next one carries it, until
  the last one is gone. An admitted job that reserves it for its pods (``job_claims``) comes after
  admitted pods and before waiting ones, a waiting job after all pods. Nothing is remembered, so the
  result depends only on the objects of now: not on the order of events, and not on restarts.
* A waiting pod that shares a claim with an older waiting pod waits for that one, unless both are
  in one group. Otherwise it would be admitted without the devices that it is going to use.
* The pod that carries a claim for others is evicted last in its quota: its eviction frees nothing,
  because the next pod carries the claim.
* A pod whose claim or template does not exist waits, with a line that says so; it is counted as
  soon as the object appears. A pod that was admitted already is reported and counts without it.
  This holds once all claims are known; if they may not be read, claims count nowhere.
* A pod whose claim names a class that does not exist waits, too: the scheduler would not place it.
* A request for an extended resource that devices of a class serve counts for that class, too,
  except where a device plugin serves it.

Pods without claims and without such resources go into the ledger unchanged.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from elasticquota import resources
from elasticquota.devices import demand, keys, references
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.claims import (
    ClaimingJob,
    ClaimingPod,
    ClaimReference,
    ClaimTemplate,
    ClassDemand,
    DeviceClaim,
)
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.structs import replace


_NOTHING: Final[Mapping[str, int]] = {}


class PodClaims:
    """Takes pods, claims and templates; ``flush`` brings the pods of the ledger up to date."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._pods: dict[Key, Pod] = {}
        """Pods as written, of which the ledger has another value."""
        self._claims: dict[Key, DeviceClaim] = {}
        self._templates: dict[Key, ClaimTemplate] = {}
        self._users: dict[Key, set[Key]] = {}
        """Claim -> the pods that use it."""
        self._instances: dict[Key, set[Key]] = {}
        """Template -> the pods that wait for a claim of it."""
        self._jobs: dict[Key, dict[Key, ClaimingJob]] = {}
        """Claim -> the jobs that reserve it for their pods."""
        self._holders: dict[Key, Pod | ClaimingJob] = {}
        """Claim -> the pod or job in which it counts, as written."""
        self.classes = ClassDemand()
        """How devices are counted."""
        self.served_by: dict[str, str] = {}
        """Extended resource -> the class whose devices serve it."""
        self.follows = False
        """Whether all claims and templates are known."""
        self.changed_claims: set[Key] = set()
        """Claims that may count differently in jobs; ``JobClaims`` empties it."""
        self.changed_templates: set[Key] = set()
        """Templates that came, changed or went; ``JobClaims`` empties it."""
        self._dirty_pods: set[Key] = set()
        self._dirty_claims: set[Key] = set()
        """Claims whose holder may be another pod."""
        self._changed_claims: set[Key] = set()

    def pod(self, key: Key) -> Pod | None:
        """Return a pod as it was written; None: there is none."""
        return self._pods.get(key) or self._ledger.pods.get(key)

    def claim(self, key: Key) -> DeviceClaim | None:
        """Return a claim; None: there is none."""
        return self._claims.get(key)

    def template(self, key: Key) -> ClaimTemplate | None:
        """Return a template; None: there is none."""
        return self._templates.get(key)

    def holder(self, claim: Key) -> Pod | ClaimingJob | None:
        """Return the pod or job in which a claim counts; None: nothing uses it."""
        return self._holders.get(claim)

    def reserve(self, claim: Key, job: ClaimingJob) -> None:
        """Take in that a job needs a claim for pods that may not exist yet."""
        self._jobs.setdefault(claim, {})[job.key] = job
        self._dirty_claims.add(claim)

    def release(self, claim: Key, job: Key) -> None:
        """Take in that a job needs a claim no longer."""
        found = self._jobs.get(claim, {})
        if found.pop(job, None) is not None:
            self._dirty_claims.add(claim)
        if not found:
            self._jobs.pop(claim, None)

    def follow(self) -> None:
        """Note that all claims and templates are known; before that, claims count nowhere."""
        if not self.follows:
            self.follows = True
            self._dirty_pods.update(self._pods)

    def upsert_pod(self, pod: Pod) -> None:
        """Take in a live pod."""
        self._forget(pod.key)
        if isinstance(pod, ClaimingPod):
            for claim, template in _used(pod):
                index, name = (self._users, claim) if claim.name else (self._instances, template)
                index.setdefault(name, set()).add(pod.key)
                if claim.name:
                    self._dirty_claims.add(claim)
        elif self.served_by.keys().isdisjoint(pod.request) and not _names_class(pod.request):
            self._ledger.upsert_pod(pod)
            return
        self._pods[pod.key] = pod
        self._dirty_pods.add(pod.key)

    def delete_pod(self, key: Key) -> None:
        """Take in that a pod is gone."""
        self._forget(key)
        self._ledger.delete_pod(key)

    def upsert_claim(self, claim: DeviceClaim) -> None:
        """Take in a claim."""
        self._claims[claim.key] = claim
        self._changed_claims.add(claim.key)

    def delete_claim(self, key: Key) -> None:
        """Take in that a claim is gone."""
        self._claims.pop(key, None)
        self._changed_claims.add(key)

    def upsert_template(self, template: ClaimTemplate) -> None:
        """Take in a template."""
        self._templates[template.key] = template
        self.changed_templates.add(template.key)
        self._dirty_pods |= self._instances.get(template.key, set())

    def delete_template(self, key: Key) -> None:
        """Take in that a template is gone."""
        self._templates.pop(key, None)
        self.changed_templates.add(key)
        self._dirty_pods |= self._instances.get(key, set())

    def set_classes(self, classes: ClassDemand) -> None:
        """Take in how devices are counted."""
        if classes == self.classes:
            return
        served_by = {resource: name for name, resource in classes.extended.items()}
        if served_by != self.served_by:
            self.served_by = served_by
            for pod in list(self._ledger.pods.values()):
                if pod.key not in self._pods and not served_by.keys().isdisjoint(pod.request):
                    self._pods[pod.key] = pod
        self.classes = classes
        self._dirty_pods.update(self._pods)

    def flush(self) -> bool:
        """Bring the pods of the ledger up to date; return whether one changed."""
        for key in self._dirty_claims | self._changed_claims:
            self._settle(key)
        self._dirty_claims.clear()
        self._changed_claims.clear()
        changed = False
        for key in sorted(self._dirty_pods):
            pod = self._pods.get(key)
            if pod is None:
                continue
            counted = self._counted(pod)
            if counted != self._ledger.pods.get(key):
                self._ledger.upsert_pod(counted)
                changed = True
        self._dirty_pods.clear()
        return changed

    def _forget(self, key: Key) -> None:
        pod = self._pods.pop(key, None)
        if not isinstance(pod, ClaimingPod):
            return
        for claim, template in _used(pod):
            index, name = (self._users, claim) if claim.name else (self._instances, template)
            users = index.get(name, set())
            users.discard(key)
            if not users:
                index.pop(name, None)
            if claim.name:
                self._dirty_claims.add(claim)

    def _settle(self, claim: Key) -> None:
        """Find the holder of a claim; count its users again if that makes a difference to them."""
        users = self._users.get(claim, set())
        jobs = self._jobs.get(claim, {})
        pods = (self._pods[key] for key in users)
        rivals: list[Pod | ClaimingJob] = [pod for pod in pods if self._may_use(pod, claim)]
        holder = min([*rivals, *jobs.values()], key=_rank, default=None)
        before = self._holders.pop(claim, None)
        if holder is not None:
            self._holders[claim] = holder
            self._dirty_pods.add(holder.key)
        self.changed_claims.add(claim)
        if claim in self._changed_claims or _role(before) != _role(holder):
            self._dirty_pods |= users

    def _may_use(self, pod: Pod, key: Key) -> bool:
        """Whether the scheduler would let the pod use the claim, if it exists."""
        claim = self._claims.get(key)
        return claim is None or not isinstance(pod, ClaimingPod) or _is_for(claim, pod)

    def _counted(self, pod: Pod) -> Pod:
        """Return ``pod`` as it counts."""
        added: dict[str, int] = {}
        if not (isinstance(pod, ClaimingPod) and self.follows):
            return replace(pod, request=self._named(pod, added))
        obstacles: list[Fault] = []
        faults: list[Fault] = []
        for reference in references.distinct(pod.claims):
            devices = self._of_reference(pod, reference, obstacles, faults)
            added = resources.add(added, demand.resources(devices, self.classes))
        return replace(
            pod,
            request=self._named(pod, added),
            obstacle=str([*faults, *obstacles, pod.obstacle][0]),
            evict_last=pod.evict_last or self._carries_for_others(pod),
            faults=(*pod.faults, *faults),
        )

    def _carries_for_others(self, pod: ClaimingPod) -> bool:
        """Whether a claim counts in the pod that others use, too."""
        return any(
            len(self._users.get(claim, ())) > 1 and self._holders.get(claim) == pod
            for claim, _ in _used(pod)
        )

    def _of_reference(
        self,
        pod: ClaimingPod,
        reference: ClaimReference,
        obstacles: list[Fault],
        faults: list[Fault],
    ) -> Mapping[str, int]:
        """Return class -> devices that one entry of ``spec.resourceClaims`` takes for this pod."""
        where = f"spec.resourceClaims[{reference.name}]"
        if reference.skipped:
            return _NOTHING
        referenced = self._found(pod, reference)
        if isinstance(referenced, Fault):
            faults.append(referenced.below(where))
            return _NOTHING
        holder = (
            self._holders.get(referenced.key, pod) if isinstance(referenced, DeviceClaim) else pod
        )
        if holder.key != pod.key:
            if holder.gated and not _together(holder, pod):
                obstacles.append(references.held(referenced.key, holder).below(where))
            return _NOTHING
        faults += [fault.below(where) for fault in references.unread(referenced)]
        is_open = not (isinstance(referenced, DeviceClaim) and referenced.allocated is not None)
        unknown = references.unknown_class(referenced, self.classes) if is_open else None
        if unknown is not None:
            obstacles.append(unknown.below(where))
        if isinstance(referenced, DeviceClaim):
            return demand.of_claim(referenced, self.classes)
        return demand.of_spec(referenced.spec, self.classes)

    def _found(
        self, pod: ClaimingPod, reference: ClaimReference
    ) -> DeviceClaim | ClaimTemplate | Fault:
        """Return the claim, or the template of one that is not made yet, or what is missing."""
        space = pod.key.namespace
        if not reference.claim:
            key = Key(space, reference.template)
            return self._templates.get(key) or references.missing_template(key)
        key = Key(space, reference.claim)
        claim = self._claims.get(key)
        if claim is None:
            return references.missing_claim(key)
        if not _is_for(claim, pod):
            return Fault("", f"ResourceClaim {key} was not made for this pod", "Delete the pod")
        return claim

    def _named(self, pod: Pod, claimed: Mapping[str, int]) -> dict[str, int]:
        """Return the request with the devices that are claimed, each under all its names."""

        def is_plugin(resource: str) -> bool:
            nodes: Collection[str] = self.classes.served.get(resource, ())
            return pod.node_name in nodes if pod.bound else bool(nodes)

        return demand.named(pod.request, claimed, self.classes, self.served_by, is_plugin)


def _used(pod: ClaimingPod) -> Iterator[tuple[Key, Key]]:
    """Iterate over the claims that the pod uses, and the templates of which it has none yet."""
    space = pod.key.namespace
    for each in references.distinct(pod.claims):
        if not each.skipped:
            yield Key(space, each.claim), Key(space, each.template)


def _is_for(claim: DeviceClaim, pod: ClaimingPod) -> bool:
    """Whether a claim that the pod has by a template was generated for this pod."""
    return claim.owner == pod.uid or not any(
        each.template and each.claim == claim.key.name for each in pod.claims
    )


def _role(holder: Pod | ClaimingJob | None) -> tuple[object, ...] | None:
    """What other users of a claim must know of the pod or job that carries it."""
    if holder is None:
        return None
    return holder.key, holder.uid, holder.gated, references.group(holder)


def _rank(user: Pod | ClaimingJob) -> tuple[bool, bool, str, str]:
    return user.gated, isinstance(user, ClaimingJob), user.created, user.uid


def _together(one: Pod | ClaimingJob, other: Pod) -> bool:
    """Whether both are admitted as one group."""
    name = references.group(one)
    return bool(name) and name == references.group(other)


def _names_class(request: Mapping[str, int]) -> bool:
    return any(each.startswith(keys.IMPLICIT) for each in request)
