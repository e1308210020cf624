"""``status.root`` of an ElasticQuotaTree: what each node uses and requests, in the form of ACK.

It has the shape of ``spec.root``, with ``used`` and ``request`` instead of min and max: tools that
are made for ACK read it. A root without a quota of its own shows the sums of its children.
"""

from collections.abc import Mapping
from typing import Any, Final

from elasticquota import resources
from elasticquota.model.decision import QuotaStatus
from elasticquota.resources import EMPTY, Resources
from elasticquota.wire.integrations.ack_trees import TreeQuota


MOST_NAMESPACES: Final = 100
"""Namespaces that a node lists; the spec has them all."""


def document(
    root: TreeQuota, figures: Mapping[str, QuotaStatus | None], most: int
) -> dict[str, Any] | None:
    """Return the tree of figures; ``figures`` are by path (names with ``/`` between).

    The first ``most`` nodes are listed, parents before their children. None: no quota has figures.
    """
    if not any(figures.values()):
        return None
    return _node(root, (root.name,), figures, _first(root, most))


def _first(root: TreeQuota, most: int) -> set[int]:
    """The ids of the first ``most`` nodes, level by level, so that no parent is missing."""
    found, level = [root], [root]
    while level and len(found) < most:
        level = [child for node in level for child in node.children]
        found += level
    return {id(node) for node in found[:most]}


def _node(
    node: TreeQuota,
    path: tuple[str, ...],
    figures: Mapping[str, QuotaStatus | None],
    listed: set[int],
) -> dict[str, Any]:
    used, request = _sums(node, path, figures)
    children = [
        _node(child, (*path, child.name), figures, listed)
        for child in node.children
        if id(child) in listed
    ]
    return {
        "name": node.name,
        "used": resources.text(used),
        "request": resources.text(request),
        **({"namespaces": [*node.namespaces[:MOST_NAMESPACES]]} if node.namespaces else {}),
        **({"children": children} if children else {}),
    }


def _sums(
    node: TreeQuota, path: tuple[str, ...], figures: Mapping[str, QuotaStatus | None]
) -> tuple[Resources, Resources]:
    """What the node uses and requests: the figures of its quota, or else its children's sums."""
    name = "/".join(path)
    if name in figures or len(path) > 1:
        found = figures.get(name)
        return (found.used, found.request) if found is not None else (EMPTY, EMPTY)
    below = {child.name: child for child in node.children}
    parts = [_sums(child, (*path, child.name), figures) for child in below.values()]
    return (
        resources.add(*(used for used, _ in parts)),
        resources.add(*(request for _, request in parts)),
    )
