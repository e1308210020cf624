"""Preempt: a more important pod takes the place of less important ones of its own quota (K 5.2).

For a waiting pod whose own quota has no room left by runtime, or for which nobody else has to give
back. Victims have a lower priority, are of exactly this quota, may be preempted, and go least
important first, no more than it takes; nobody goes unless the pod then fits on the whole path to
the root. A pod with ``preemptionPolicy: Never``
preempts nobody, and nobody in the default quota is preempted (K's disableDefaultQuotaPreemption).
There is no clock: like the scheduler's own, preemption is at once. Pods that no node takes for
longer than ``unschedulableTimeout`` make way for every other pod of their quota.

Not while reclaim may still fetch the room from other quotas. Nor where a pod within its runtime,
that waits for reclaim, would take the room: it is served before this one. Nor in a quota that holds
more than its runtime by more than the pod asks for: all that would have to go for a single pod.
"""

from collections.abc import Sequence

from elasticquota import names, resources
from elasticquota.ledger import usage
from elasticquota.ledger.books import Books
from elasticquota.model.pod import Pod
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.preemption import node_victims
from elasticquota.scheduling.preemption.targets import Wave
from elasticquota.scheduling.queue import order
from elasticquota.scheduling.status import messages


def preempt(wave: Wave, blocked: Sequence[tuple[str, Pod]], *, last: bool) -> None:
    """Add to ``wave`` the victims of the waiting pods, which are given in queue order.

    ``last``: reclaim has done all it can, none of its clocks is still running.
    """
    rivals: list[tuple[str, Pod]] | None = None
    for name, pod in blocked:
        if pod.uid in wave.served:
            continue
        if len(wave) and wave.room.will_fit(name, pod):
            # What one large victim leaves over is for those who are next.
            wave.seat(name, pod, len(wave))
            continue
        if not wave.full and covets(wave.books, name, pod):
            rivals = _rivals(wave, blocked) if rivals is None else rivals
            _replace(wave, name, pod, rivals, last=last)


def covets(books: Books, name: str, pod: Pod) -> bool:
    """Whether less important pods of its quota might go for ``pod``, or some that are stuck."""
    if name in names.RESERVED_QUOTAS:
        return False
    account = books.account(name)
    if account.stuck:
        return True
    least = account.least_priority
    return pod.may_preempt and least is not None and least < pod.priority


def _rivals(wave: Wave, blocked: Sequence[tuple[str, Pod]]) -> list[tuple[str, Pod]]:
    """Pods within their runtimes that wait for others to give back, the first of each size."""
    unserved = (each for each in blocked if each[1].uid not in wave.served)
    return [
        (name, pod)
        for name, pod in order.firsts(unserved, wave.room.allowances)
        if not wave.room.lack(wave.room.places(name)[0], pod.request)
    ]


def _replace(
    wave: Wave, name: str, pod: Pod, rivals: Sequence[tuple[str, Pod]], *, last: bool
) -> None:
    own, *above = wave.room.places(name)
    need = wave.room.lack(own, pod.request)
    if any(most > 2 * pod.request[key] for key, most in need.items()) or not (need or last):
        return
    for place in above:
        missing = wave.room.lack(place, pod.request)
        mine = missing.keys() if last else missing.keys() - wave.room.limit(own).keys()
        need = resources.maximum(need, resources.masked(missing, mine))
    mark = len(wave)
    _make_way(wave, name, pod, need)
    if any(_is_before(rival, (name, pod)) and wave.room.will_fit(*rival) for rival in rivals):
        wave.undo(mark)
    else:
        wave.seat(name, pod, mark)


def _make_way(wave: Wave, name: str, pod: Pod, need: Resources) -> None:
    """Stuck pods go before any other, whatever their priority: they run nowhere."""
    stuck = wave.books.account(name).stuck
    may_go = [
        victim
        for victim in wave.movable(name)
        if victim.key in stuck
        or (pod.may_preempt and victim.preemptible and victim.priority < pod.priority)
    ]
    may_go.sort(key=lambda victim: victim.key not in stuck)
    chosen = wave.choose(may_go, need, EMPTY, pod)
    for victim in chosen:
        said = (
            messages.gave_up(name, wave.tree, pod)
            if victim.key in stuck
            else messages.preempted(name, wave.tree, pod)
        )
        wave.evict(name, [victim], said, name)
    if chosen or need or wave.room.will_fit(name, pod) or not pod.may_preempt:
        return
    for one in wave.room.behind(pod):
        nodes = wave.room.nodes.candidates(name, one)
        rule = node_victims.less_important(name, pod.priority)
        clearing = node_victims.search(wave, one, nodes, rule)
        if clearing is not None:
            for _, victim in clearing.leave:
                wave.evict(name, [victim], messages.preempted(name, wave.tree, pod), name)


def _is_before(rival: tuple[str, Pod], waiting: tuple[str, Pod]) -> bool:
    """Whether ``rival`` may be served first: of another quota, or ahead in the same line."""
    (its_quota, other), (name, pod) = rival, waiting
    return its_quota != name or usage.queue_order(other) < usage.queue_order(pod)
