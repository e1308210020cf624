"""Preempt: a more important pod takes the place of less important ones of its own quota (K 5.2).

For a waiting pod whose own quota has no room left by runtime. Victims have a lower priority, are of
exactly this quota, may be preempted, and go least important first, no more than it takes; nobody
goes unless the pod then fits on the whole path to the root. A pod with ``preemptionPolicy: Never``
preempts nobody, and nobody in the default quota is preempted (K's disableDefaultQuotaPreemption).
There is no clock: like the scheduler's own, preemption is at once.

Not for room that other quotas hold: that is reclaim, and an own pod given away would not help.
"""

from collections.abc import Sequence

from elasticquota import names
from elasticquota.enforcement import victims, wording
from elasticquota.enforcement.wave import Wave
from elasticquota.model.pod import Pod
from elasticquota.resources import EMPTY


def preempt(wave: Wave, blocked: Sequence[tuple[str, Pod]]) -> None:
    """Add to ``wave`` the victims of the waiting pods, which are given in queue order."""
    lowest: dict[str, int | None] = {}
    for name, pod in blocked:
        if name in names.RESERVED_QUOTAS or not pod.may_preempt or pod.uid in wave.served:
            continue
        if name not in lowest:
            running = victims.movable(wave.books.account(name), wave.books.withheld)
            lowest[name] = min((victim.priority for victim in running), default=None)
        least = lowest[name]
        if least is not None and least < pod.priority and not wave.full:
            _replace(wave, name, pod)


def _replace(wave: Wave, name: str, pod: Pod) -> None:
    own, *above = wave.room.places(name)
    need = wave.room.lack(own, pod.request)
    if not need:
        return
    for place in above:
        missing = wave.room.lack(place, pod.request)
        need.update({key: most for key, most in missing.items() if key not in wave.room.limit(own)})
    lower = [victim for victim in wave.movable(name) if victim.priority < pod.priority]
    mark = len(wave)
    wave.evict(name, victims.choose(lower, need, EMPTY), wording.preempted(name, wave.tree, pod))
    wave.seat(name, pod, mark)
