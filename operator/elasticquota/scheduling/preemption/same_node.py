"""Of equally important victims, choose those whose node then has room for the waiting pod.

Four victims of 1 cpu on four nodes do not help a pod that needs 4 cpu on one node. Only nodes that
the waiting pod may use (``node_fit``) count. This step changes which pods go, not how many nor of
which sizes.
"""

import bisect
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeVar

from elasticquota import names, resources
from elasticquota.model.pod import Pod, Size
from elasticquota.model.workload import Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.preemption import victims
from elasticquota.scheduling.snapshot.nodes.node_capacity import NodeCapacity
from elasticquota.totals import add


_T = TypeVar("_T", bound=Workload)


def choose(
    candidates: Sequence[_T],
    need: Resources,
    spare: Resources,
    asked: Resources,
    snapshot: NodeCapacity,
    nodes: AbstractSet[str],
) -> Sequence[_T]:
    """Choose victims like ``victims.choose``, together on one node if that is enough.

    ``candidates`` are in order, the least important first. ``asked`` is the request of the waiting
    pod; ``nodes`` are those that it may use. ``snapshot`` counts earlier victims as gone.
    """
    plain = victims.choose(candidates, need, spare)
    if not plain or not plain[-1].bound or asked.get(names.PODS, 1) > 1:
        return plain
    last = victims.rank(plain[-1])
    before = [pod for pod in plain if victims.rank(pod) != last]
    alike = candidates[
        bisect.bisect_left(candidates, last, key=victims.rank) : bisect.bisect_right(
            candidates, last, key=victims.rank
        )
    ]
    hosts = _Hosts(asked, snapshot, nodes, before)
    together = hosts.first(alike, len(plain) - len(before))
    if not together:
        return plain
    uids = {pod.uid for pod in together}
    others = [pod for pod in plain if pod.uid not in uids and victims.rank(pod) == last]
    found = victims.choose([*before, *together, *others], need, spare)
    return found if _sizes(found) == _sizes(plain) else plain


class _Hosts:
    """The nodes of candidates, read on demand; ``gone`` are pods that leave in any case."""

    def __init__(
        self,
        asked: Resources,
        snapshot: NodeCapacity,
        nodes: AbstractSet[str],
        gone: Iterable[Workload],
    ) -> None:
        self._asked = resources.positive(asked)
        self._snapshot = snapshot
        self._nodes = nodes
        self._gone: dict[str, dict[str, int]] = {}
        for pod in gone:
            if isinstance(pod, Pod):
                add(self._gone.setdefault(pod.node_name, {}), pod.request)

    def first(self, alike: Iterable[_T], most: int) -> list[_T]:
        """The pods of ``alike`` that must leave one node, in their order.

        The node is the first that has room for the waiting pod as ``alike`` leave. The result is
        empty if a node has room without them, or if none has room after ``most`` pods have left it.
        """
        short: dict[str, dict[str, int]] = {}
        there: dict[str, list[_T]] = {}
        for pod in alike:
            name = pod.node_name if isinstance(pod, Pod) else ""
            if name not in self._nodes:
                continue
            if name not in short:
                missing = self._snapshot.reservations.missing(name, self._asked)
                gone = self._gone.get(name, {})
                short[name] = resources.positive(resources.subtract(missing, gone))
                there[name] = []
            if len(there[name]) == most:
                continue
            if not short[name]:
                return []
            there[name].append(pod)
            short[name] = resources.positive(resources.subtract(short[name], pod.request))
            if not short[name]:
                return there[name]
        return []


def _sizes(pods: Iterable[Workload]) -> Counter[Size]:
    return Counter(pod.size for pod in pods)
