"""Victims on one node: which pods must leave it so that a waiting pod fits.

This is for a pod that no node takes although its quota has room: borrowers then run on the nodes
that it needs. A rule says which pods may go. External pods go first, then the least important.
The chosen node is the one whose most important victim is the least important. Of several such
nodes, the one with the fewest victims is chosen; in an elastic tree then one that they leave empty,
because an autoscaler can remove it later.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from elasticquota import names, resources, totals
from elasticquota.forest import preemption_policy
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Gang, Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.preemption import victims
from elasticquota.scheduling.preemption.targets import PreemptionTargets
from elasticquota.scheduling.snapshot.usage_tree import Place
from elasticquota.scheduling.status import eviction_messages
from elasticquota.scheduling.status.eviction_messages import Due


class Clearing(NamedTuple):
    """A node, and the workloads that must leave it, with their quotas."""

    node: str
    leave: list[tuple[str, Workload]]


class _Candidate(NamedTuple):
    """A workload with pods on the node, and its quota."""

    quota: str
    workload: Workload
    released: dict[str, int]
    """What the victim returns on this node."""


Taken = Mapping[Place, Resources]
"""What the victims chosen so far on a node return, by place."""
Rule = Callable[[str, Workload, Taken], bool]
"""Whether a workload of a quota may go as well."""


def keeping_min(targets: PreemptionTargets, owner: str, waiting: Workload | None = None) -> Rule:
    """A rule that allows external pods, and pods of other quotas that use more than their min.

    Each quota on the path below the common ancestor with ``owner`` keeps its min. With ``waiting``,
    a pod that is partly beyond min goes whole, if the quota has more than its min of what
    ``waiting`` needs. A fence of ``owner`` excludes all pods outside of it.
    """
    forest = targets.cluster.forest
    fence = preemption_policy.fence(forest, owner)
    above_owner = set(forest.path(owner))

    def may_go(quota: str, pod: Workload, taken: Taken) -> bool:
        if fence and fence not in forest.path(quota):
            return False
        if targets.is_external(pod):
            return True
        places = [
            place
            for place in targets.snapshot.places(quota)
            if not (place.quota in above_owner or place.itself)
        ]
        return quota != owner and all(
            _keeps(targets, place, pod, taken, forest.effective_min(place.quota))
            or (waiting is not None and _has_more(targets, place, pod, taken, waiting))
            for place in places
        )

    return may_go


def keeping(
    targets: PreemptionTargets, floors: Mapping[str, Resources], *, gangs: bool = False
) -> Rule:
    """A rule that allows pods of the quotas in ``floors``, while each quota keeps its floor.

    ``gangs``: gangs of these quotas are allowed in any case.
    """

    def may_go(quota: str, pod: Workload, taken: Taken) -> bool:
        floor = floors.get(quota)
        if floor is None:
            return False
        own = targets.snapshot.places(quota)[0]
        return (gangs and isinstance(pod, Gang)) or _keeps(targets, own, pod, taken, floor)

    return may_go


def external_pods(targets: PreemptionTargets) -> Rule:
    """A rule that allows external pods."""
    return lambda _, pod, __: targets.is_external(pod)


def less_important(owner: str, priority: int) -> Rule:
    """A rule that allows preemptible pods of ``owner`` with a lower priority."""
    return lambda quota, pod, _: quota == owner and pod.preemptible and pod.priority < priority


def search(
    targets: PreemptionTargets, waiting: Pod, nodes: Iterable[str], rule: Rule
) -> Clearing | None:
    """Find the best of ``nodes`` for the single pod ``waiting``; None if no node will do."""
    best: tuple[tuple[bool, tuple[bool, bool, int]], int, bool, str] | None = None
    found: Clearing | None = None
    for node in nodes:
        leave = _on(targets, waiting, node, rule)
        if not leave:
            continue
        most_important = max(_rank(targets, pod) for _, pod in leave)
        order = (most_important, len(leave), _stays_in_use(targets, node, leave), node)
        if best is None or order < best:
            best, found = order, Clearing(node, leave)
    return found


def message(
    targets: PreemptionTargets,
    victim: tuple[str, Workload],
    node: str,
    waiting: tuple[str, Workload],
    due: Due,
) -> str:
    """The message for a victim on ``node`` that makes room for ``waiting``, of the quota named."""
    (quota, pod), (owner, workload) = victim, waiting
    if targets.is_external(pod):
        return eviction_messages.external_pod(targets.tree, node, owner, workload)
    beyond = _beyond_min(targets, quota)
    return eviction_messages.cleared(quota, beyond, node, owner, workload, due)


def _stays_in_use(
    targets: PreemptionTargets, node: str, leave: Sequence[tuple[str, Workload]]
) -> bool:
    """Whether a node of an elastic tree still has pods when ``leave`` are gone; else False."""
    if targets.snapshot.nodes.growth is None:
        return False
    gone = {pod.key for _, victim in leave for pod in victim.pods}
    return any(pod.key not in gone for pod, _ in targets.cluster.fit.on(node))


def _beyond_min(targets: PreemptionTargets, quota: str) -> Resources:
    """What a quota uses beyond its min, without pod slots, which have no quota."""
    staying = targets.snapshot.staying(Place(quota))
    low = targets.cluster.forest.effective_min(quota)
    exceeding = resources.positive(resources.subtract(staying, low))
    return {key: most for key, most in exceeding.items() if key != names.PODS or key in low}


def _on(
    targets: PreemptionTargets, waiting: Pod, node: str, rule: Rule
) -> list[tuple[str, Workload]]:
    """The pods that must leave ``node``; empty if none must, or if ``rule`` allows too few."""
    missing = targets.snapshot.nodes.reservations.missing(node, waiting.request)
    if not missing:
        return []
    chosen: list[_Candidate] = []
    taken: dict[Place, dict[str, int]] = {}
    for each in _in_order(targets, _candidates(targets, node)):
        pod = each.workload
        helps = any(each.released.get(key, 0) > 0 for key in missing)
        if helps and rule(each.quota, pod, taken):
            chosen.append(each)
            missing = resources.positive(resources.subtract(missing, each.released))
            for place in targets.snapshot.places(each.quota):
                totals.add(taken.setdefault(place, {}), pod.request)
        if not missing:
            return [
                (found.quota, found.workload) for found in _needed(targets, waiting, node, chosen)
            ]
    return []


def _in_order(targets: PreemptionTargets, candidates: Iterable[_Candidate]) -> Iterator[_Candidate]:
    """Yield external pods first, then the least important; each quota evicts last whom it says."""
    by_uid = {each.workload.uid: each for each in candidates}
    order = victims.in_order_of_quotas(each.workload for each in by_uid.values())
    found = [by_uid[pod.uid] for pod in order]
    found.sort(key=lambda each: not targets.is_external(each.workload))
    own: dict[str, deque[_Candidate]] = {}
    for each in sorted(found, key=lambda each: each.workload.evict_last):
        own.setdefault(each.quota, deque()).append(each)
    for each in found:
        yield own[each.quota].popleft()


def _rank(targets: PreemptionTargets, pod: Workload) -> tuple[bool, tuple[bool, bool, int]]:
    """External pods are less important than pods of the tree's quotas."""
    return not targets.is_external(pod), victims.importance(pod)


def _needed(
    targets: PreemptionTargets, waiting: Pod, node: str, chosen: list[_Candidate]
) -> Iterator[_Candidate]:
    """The pods of ``chosen`` that must go; the most important ones are spared first."""
    missing = targets.snapshot.nodes.reservations.missing(node, waiting.request)
    sum_released = resources.add(*(each.released for each in chosen))
    for each in reversed(chosen):
        without = resources.subtract(sum_released, each.released)
        if all(without.get(key, 0) >= most for key, most in missing.items()):
            sum_released = without
        else:
            yield each


def _candidates(targets: PreemptionTargets, node: str) -> Iterator[_Candidate]:
    """The workloads with pods on ``node`` that may be chosen, with what each returns there."""
    tree = targets.tree.tree.children
    several: dict[str, _Candidate] = {}
    for pod, quota in targets.cluster.fit.on(node):
        if targets.is_external(pod) and targets.may_go(quota, pod):
            yield _Candidate(quota, pod, dict(pod.request))
            continue
        if quota == names.SYSTEM_QUOTA or quota not in tree:
            continue
        leaving = targets.leaves_with(quota, pod)
        if isinstance(leaving, Pod):
            yield _Candidate(quota, pod, dict(pod.request))
        elif leaving is not None:
            candidate = several.setdefault(leaving.uid, _Candidate(quota, leaving, {}))
            totals.add(candidate.released, pod.request)
    yield from several.values()


def _keeps(
    targets: PreemptionTargets, place: Place, pod: Workload, taken: Taken, floor: Resources
) -> bool:
    staying = resources.subtract(targets.snapshot.staying(place), taken.get(place, resources.EMPTY))
    return all(
        staying.get(key, 0) - asked >= floor[key]
        for key, asked in pod.request.items()
        if asked > 0 and key in floor
    )


def _has_more(
    targets: PreemptionTargets, place: Place, pod: Workload, taken: Taken, waiting: Workload
) -> bool:
    """Whether a quota has more than its min of what ``pod`` uses and ``waiting`` needs."""
    floor = targets.cluster.forest.quotas[place.quota].min
    staying = resources.subtract(targets.snapshot.staying(place), taken.get(place, resources.EMPTY))
    return any(
        staying.get(key, 0) > floor[key]
        for key in resources.positive(waiting.request)
        if key in floor and pod.request.get(key, 0) > 0
    )
