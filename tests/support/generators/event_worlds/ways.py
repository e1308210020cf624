"""Which running pods the guarantee of a waiting pod may take, by trying all sets on each node."""

from collections.abc import Sequence

from event_worlds.sums import Sums, Unit, names_of, subsets, takes


_MOST: int = 12
"""Nodes with more candidates than this are not tried."""


def victims(sums: Sums, unit: Unit, place: int) -> tuple[Unit, ...]:
    """Victims that a due unit may take, due from ``place`` of its path on; none for gangs."""
    if len(unit.pods) > 1:
        return ()
    kept = sums.paths[unit.quota][place]
    for node in sums.nodes.values():
        if not takes(node, unit.workload):
            continue
        free = sums.free(node.name)
        lacking = [key for key, asks in unit.request.items() if asks > free[key]]
        there = [
            other
            for other in sums.running
            if other.workload.preemptible
            and kept not in sums.paths[other.quota]
            and any(pod.node_name == node.name for pod in other.pods)
            and all(other.request.get(key) for key in lacking)
        ]
        for found in subsets(there) if len(there) <= _MOST else ():
            left = sums.free(node.name, names_of(found))
            if all(left[key] >= asks for key, asks in unit.request.items()) and any(
                _leaves_min(sums, unit, found, last, lacking) for last in found
            ):
                return found
    return ()


def _leaves_min(
    sums: Sums, unit: Unit, found: Sequence[Unit], last: Unit, lacking: Sequence[str]
) -> bool:
    """Whether all but the last leave every quota its min, and the last one begins beyond it."""
    for name, quota in sums.quotas.items():
        losing = [each for each in found if name in sums.below(each.quota, unit.quota)]
        for key in lacking if losing else ():
            lost = sum(each.request[key] for each in losing if each is not last)
            left = sums.held[name][key] - lost - quota.min.get(key, 0)
            if left < 0 or (last in losing and left == 0):
                return False
    return True
