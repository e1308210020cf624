"""Hosts: of equally important victims those go together whose node then has room for who waits.

A quota that gives back four pods of one cpu on four nodes helps nobody who needs four cpus on one.
The fit is coarse: what the node offers without the pods that stay on it, its labels, and what is
kept of the waiting pod's affinity; no taints, no spreading, no volumes. Only nodes of candidates
are looked at, and as many pods of the same sizes go as without looking.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from elasticquota import names, resources
from elasticquota.enforcement import victims
from elasticquota.ledger.account import add
from elasticquota.ledger.books import Books
from elasticquota.model.pod import Pod
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
    alike = [pod for pod in candidates if victims.rank(pod) == last]
    before = [pod for pod in candidates if victims.rank(pod) < last]
    gone = [*going, *(pod for pod in plain if victims.rank(pod) < last)]
    together = _together(alike, len(plain), waiting, books, nodes, gone)
    if not together:
        return plain
    uids = {pod.uid for pod in together}
    rest = [pod for pod in alike if pod.uid not in uids]
    found = victims.choose([*before, *together, *rest], need, spare)
    return found if _sizes(found) == _sizes(plain) else plain


def _together(
    alike: Sequence[Pod],
    most: int,
    waiting: Pod,
    books: Books,
    nodes: Selector,
    gone: Sequence[Pod],
) -> list[Pod]:
    """The first of ``alike``, in their order, that let ``waiting`` onto their node; at most
    ``most``. None if it finds room without them.
    """
    asked_for = resources.positive(waiting.request)
    by_node: dict[str, list[Pod]] = {}
    for pod in alike:
        by_node.setdefault(pod.node_name, []).append(pod)
    for name, there in by_node.items():
        node = books.node(name)
        if node is None or not node.schedulable or not nodes.matches(node.labels):
            continue
        if not all(demand.holds(node.labels) for demand in waiting.demands):
            continue
        free = dict(books.free_on(node))
        for pod in gone:
            if pod.node_name == name:
                add(free, pod.request)
        for count in range(min(most, len(there)) + 1):
            if all(free.get(key, 0) >= asked for key, asked in asked_for.items()):
                return there[:count]
            if count < len(there):
                add(free, there[count].request)
    return []


def _sizes(pods: Iterable[Pod]) -> Counter[frozenset[tuple[str, int]]]:
    return Counter(frozenset(pod.request.items()) for pod in pods)
