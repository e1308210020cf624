"""Hosts: of equally important victims those go together whose node then has room for who waits.

A quota that gives back four pods of one cpu on four nodes helps nobody who needs four cpus on one.
The fit is coarse: what the node offers without the pods that stay on it, its labels, and what is
kept of the waiting pod's affinity; no taints, no spreading, no volumes. Only nodes of candidates
are looked at, and as many pods of the same sizes go as without looking.
"""

import bisect
from collections import Counter
from collections.abc import Iterable, Sequence

from elasticquota import names, resources
from elasticquota.enforcement import victims
from elasticquota.ledger.account import add
from elasticquota.ledger.books import Books
from elasticquota.model.pod import Pod, Size
from elasticquota.model.selector import Selector
from elasticquota.resources import Resources


def choose(
    candidates: Sequence[Pod],
    need: Resources,
    spare: Resources,
    waiting: Pod,
    books: Books,
    nodes: Selector,
    going: Iterable[Pod],
) -> Sequence[Pod]:
    """Victims like ``victims.choose``, together on one node if that does.

    ``candidates`` are in order; ``nodes`` are those of the tree, ``going`` goes already.
    """
    plain = victims.choose(candidates, need, spare)
    if not plain or not plain[-1].bound or waiting.request.get(names.PODS, 1) > 1:
        return plain
    last = victims.rank(plain[-1])
    before = [pod for pod in plain if victims.rank(pod) != last]
    alike = candidates[
        bisect.bisect_left(candidates, last, key=victims.rank) : bisect.bisect_right(
            candidates, last, key=victims.rank
        )
    ]
    hosts = _Hosts(waiting, books, nodes, [*going, *before])
    together = hosts.first(alike, len(plain) - len(before))
    if not together:
        return plain
    uids = {pod.uid for pod in together}
    others = [pod for pod in plain if pod.uid not in uids and victims.rank(pod) == last]
    found = victims.choose([*before, *together, *others], need, spare)
    return found if _sizes(found) == _sizes(plain) else plain


class _Hosts:
    """The nodes of candidates, as far as anybody looked; ``gone`` are pods that go anyhow."""

    def __init__(self, waiting: Pod, books: Books, nodes: Selector, gone: Iterable[Pod]) -> None:
        self._asked = resources.positive(waiting.request)
        self._demands = waiting.demands
        self._books = books
        self._nodes = nodes
        self._gone: dict[str, dict[str, int]] = {}
        for pod in gone:
            add(self._gone.setdefault(pod.node_name, {}), pod.request)

    def first(self, alike: Iterable[Pod], most: int) -> list[Pod]:
        """Those on the node that takes the waiting pod first as ``alike`` go, in their order.

        None if it has room without them, or no node takes it when ``most`` have gone there.
        """
        free: dict[str, dict[str, int] | None] = {}
        there: dict[str, list[Pod]] = {}
        for pod in alike:
            name = pod.node_name
            if name not in free:
                free[name] = self._free(name)
                there[name] = []
            offer = free[name]
            if offer is None or len(there[name]) == most:
                continue
            if self._fits(offer):
                return []
            there[name].append(pod)
            add(offer, pod.request)
            if self._fits(offer):
                return there[name]
        return []

    def _free(self, name: str) -> dict[str, int] | None:
        """What the node offers beside those that stay; None if it is not for the waiting pod."""
        node = self._books.node(name)
        if node is None or not node.schedulable or not self._nodes.matches(node.labels):
            return None
        if not all(demand.holds(node.labels) for demand in self._demands):
            return None
        return resources.add(self._books.free_on(node), self._gone.get(name, {}))

    def _fits(self, offer: Resources) -> bool:
        return all(offer.get(key, 0) >= asked for key, asked in self._asked.items())


def _sizes(pods: Iterable[Pod]) -> Counter[Size]:
    return Counter(pod.size for pod in pods)
