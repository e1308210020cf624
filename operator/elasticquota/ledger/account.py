"""An account: the pods that sit directly in one quota and their sums (semantics 3).

* request: every live pod, gated or not, except gated ones that can never be admitted.
* admitted: pods without our gate, and those whose release is under way.
* used: pods bound to a node. Terminating pods count in all three until they are gone.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from elasticquota import resources
from elasticquota.ledger.misfit import Misfit
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources


@dataclass(frozen=True, slots=True)
class Account:
    """One quota's own pods (children's excluded); amounts in accounting units."""

    running: tuple[Pod, ...] = ()
    """Admitted pods, by name."""
    waiting: tuple[Pod, ...] = ()
    """Pods held by our gate that may be admitted one day: first in the queue first."""
    misfits: tuple[tuple[Pod, Misfit], ...] = ()
    """Pods held by our gate that can never be admitted as things stand, and why."""
    request: Resources = field(default_factory=dict)
    used: Resources = field(default_factory=dict)
    admitted: Resources = field(default_factory=dict)
    leaving: frozenset[str] = frozenset()
    """Uids of running pods on their way out: terminating, or eviction asked for."""
    withheld: frozenset[str] = frozenset()
    """Uids of running pods that cannot be evicted for now."""
    returning: Resources = field(default_factory=dict)
    """The part of admitted that the leaving pods hold."""
    non_preemptible: Resources = field(default_factory=dict)
    """The part of admitted that may not be taken back."""

    @property
    def held(self) -> Resources:
        """Admitted without what is on its way back."""
        return resources.subtract(self.admitted, self.returning)

    @property
    def gated(self) -> int:
        return len(self.waiting) + len(self.misfits)


def queue_order(pod: Pod) -> tuple[int, str, str]:
    """Higher priority first, then older, then uid: the order inside one quota."""
    return (-pod.priority, pod.created, pod.uid)


def open_account(
    pods: Iterable[Pod],
    misfits: Mapping[str, Misfit],
    releasing: AbstractSet[str],
    evicting: AbstractSet[str],
    withheld: AbstractSet[str],
    *,
    accepted: bool,
) -> Account:
    """The account of ``pods``; ``misfits`` by pod uid.

    In a quota that is not accepted no waiting pod counts as request.
    """
    running: list[Pod] = []
    waiting: list[Pod] = []
    never: list[Pod] = []
    for pod in pods:
        if not pod.gated or pod.uid in releasing:
            running.append(pod)
        else:
            (never if pod.uid in misfits else waiting).append(pod)
    leaving = [pod for pod in running if pod.deleting or pod.uid in evicting]
    asking = [*running, *waiting] if accepted else running
    return Account(
        running=tuple(sorted(running, key=lambda pod: pod.key)),
        waiting=tuple(sorted(waiting, key=queue_order)),
        misfits=tuple((pod, misfits[pod.uid]) for pod in sorted(never, key=queue_order)),
        request=_sum(asking),
        used=_sum(pod for pod in running if pod.bound),
        admitted=_sum(running),
        leaving=frozenset(pod.uid for pod in leaving),
        withheld=frozenset(pod.uid for pod in running if pod.uid in withheld),
        returning=_sum(leaving),
        non_preemptible=_sum(pod for pod in running if not pod.preemptible),
    )


def _sum(pods: Iterable[Pod]) -> Resources:
    return resources.add(*(pod.request for pod in pods))
