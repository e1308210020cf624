"""Which products of choices are worth a run: no other stands for them, and something is decided."""

from itertools import combinations

from small_worlds.description import QuotaSpec, WorldSpec
from small_worlds.families import NEVER, ROOM_TO_MAX, Family, Shape


def is_wanted(family: Family, spec: WorldSpec) -> bool:
    """Whether a world that is backed is run."""
    return (
        _has_its_traits(family, spec)
        and is_first_of_its_kind(family.shape, spec)
        and _contends(spec)
    )


def _has_its_traits(family: Family, spec: WorldSpec) -> bool:
    """Whether the world has what its family is about; else another family has it."""
    plain = family.traits[0][3:9]
    if len(family.traits) > 1 and all(pod[3:9] == plain for pod in spec.pods):
        return False
    if family.maxes == ROOM_TO_MAX and all(quota.max[0] is None for quota in spec.quotas):
        return False
    if family.preempts and NEVER in family.traits and all(pod.may_preempt for pod in spec.pods):
        return False
    if family.second and not any(pod.second for pod in spec.pods):
        return False
    if family.preempts and not any(
        late.quota == early.quota
        and late.priority > early.priority
        and late.moment
        and late.may_preempt
        for early, late in combinations(spec.pods, 2)
    ):
        return False
    return not family.pooled or len(spec.nodes) > 1


def is_first_of_its_kind(shape: Shape, spec: WorldSpec) -> bool:
    """Whether of all worlds that differ by quotas that change places this one is tried."""
    used = [pod.quota for pod in spec.pods]
    by_name = {quota.name: quota for quota in spec.quotas}
    changed = spec.lowered.quota if spec.lowered is not None else ""
    for one, other in shape.alike:
        left = [_rank(by_name[name], changed) for name in one]
        right = [_rank(by_name[name], changed) for name in other]
        if left > right:
            return False
        if left == right and used.index(one[-1]) > used.index(other[-1]):
            return False
    return True


def _rank(quota: QuotaSpec, changed: str) -> tuple[int, ...]:
    bounds = (*quota.min, *quota.max)
    return (*(-1 if bound is None else bound for bound in bounds), quota.name == changed)


def is_backed(spec: WorldSpec) -> bool:
    """Whether the nodes offer what the first level is guaranteed."""
    top = [quota.min for quota in spec.quotas if not quota.parent]
    cpu = sum(low[0] or 0 for low in top)
    second = sum(low[1] or 0 for low in top)
    return cpu <= sum(node.cpu for node in spec.nodes) and second <= sum(
        node.second for node in spec.nodes
    )


def _contends(spec: WorldSpec) -> bool:
    """Whether a pod that comes late lacks room and may have a right to some.

    A rough sum; a world in which nothing happens is only a waste of time.
    """
    if spec.lowered is not None:
        before = next(q.max[0] for q in spec.quotas if q.name == spec.lowered.quota)
        return before is None or before > (spec.lowered.max[0] or 0)
    pods = spec.pods
    last = max(number for number, pod in enumerate(pods) if pod.moment)
    late = pods[last:]
    asked: dict[str, int] = {}
    for pod in pods[:last]:
        asked[pod.quota] = asked.get(pod.quota, 0) + pod.cpu * (1 + pod.gang)
    offered = sum(node.cpu for node in spec.nodes if not node.tainted)
    spare = offered - sum(asked.values())
    seconds = sum(node.second for node in spec.nodes) - sum(pod.second for pod in pods[:last])
    quotas = {quota.name: quota for quota in spec.quotas}
    most = max(asked.values())
    for pod in late:
        size = pod.cpu * (1 + pod.gang)
        if spare > size and not (pod.second and seconds < pod.second):
            continue
        quota = quotas[pod.quota]
        least = max(quota.min[0] or 0, quotas[quota.parent].min[0] or 0 if quota.parent else 0)
        if size <= least or asked.get(pod.quota, 0) + size < most:
            return True
        if any(e.quota == pod.quota and e.priority < pod.priority for e in pods[:last]):
            return True
    return False
