"""What an ElasticQuotaTree must not say: it is refused when it is written.

Trees that were stored before, or while no webhook answered, are followed with these parts cut
(``trees``). An edit may leave such faults as they are and must not add any.

The rules: every part can be read; min is at most max (Q4); names are unique in the tree (Q2); only
leaves have namespaces, and each namespace is in one leaf (Q3). A parent's min may exceed its
children's sum: the published example does (Q5), and so it is no fault.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from elasticquota import names, resources
from elasticquota.forest import wording
from elasticquota.integrations.ack import trees
from elasticquota.model.fault import Fault
from elasticquota.structs import replace
from elasticquota.wire.codec import fields
from elasticquota.wire.integrations.ack_trees import QuotaTree, TreeQuota


def faults(tree: QuotaTree) -> tuple[Fault, ...]:
    """Return all faults; unreadable parts come first."""
    if tree.root is None:
        return tree.faults
    nodes = list(_nodes(tree.root))
    of_nodes = (fault for node in nodes for fault in _of_node(node))
    return (*tree.faults, *of_nodes, *_repeated_names(nodes), *_repeated_namespaces(nodes))


def added(before: QuotaTree, after: QuotaTree) -> tuple[Fault, ...]:
    """Return the faults of ``after`` that ``before`` does not have.

    Nodes may have moved, so faults are compared without their paths; the rest of a fault depends on
    the content of nodes and not on their order.
    """
    left = Counter(replace(fault, path="") for fault in faults(before))
    found = []
    for fault in faults(after):
        anywhere = replace(fault, path="")
        if left[anywhere]:
            left[anywhere] -= 1
        else:
            found.append(fault)
    return tuple(found)


def rival(tree: QuotaTree, others: Iterable[QuotaTree]) -> Fault | None:
    """Return a fault if another tree in kube-system is already bound to the same tree of quotas.

    ``others`` are all stored trees, with or without this one. None: there is no rival.
    """
    if tree.key.namespace != trees.HOME:
        return None
    same = [each for each in others if each.profile == tree.profile and each.key != tree.key]
    counts = [each for each in trees.in_force(same) if each.profile == tree.profile]
    if not counts:
        return None
    whose = f"for profile {fields.shown(tree.profile)}" if tree.profile else f"in {trees.HOME}"
    return Fault(
        "metadata.name",
        f"there is a tree {whose} already, {counts[0].key.name}, and one counts; edit that one, or "
        f"bind this one to an {names.PROFILE_KIND} of its own by the annotation "
        f"{names.TREE_PROFILE}",
    )


def _nodes(root: TreeQuota) -> Iterator[TreeQuota]:
    yield root
    for child in root.children:
        yield from _nodes(child)


def _of_node(node: TreeQuota) -> Iterator[Fault]:
    for key, low in node.min.items():
        high = node.max.get(key)
        if high is not None and low > high:
            shown = resources.text({key: low})[key], resources.text({key: high})[key]
            yield Fault(
                f"{node.where}.min.{key}", f"{shown[0]} is above {shown[1]}, the max of the node"
            )
    if node.namespaces and node.children:
        yield Fault(
            f"{node.where}.namespaces",
            f"{len(node.namespaces)} of a node with children; only leaves have namespaces, so "
            f"move {fields.shown(min(node.namespaces))} to one of its leaves",
        )


def _repeated_names(nodes: Iterable[TreeQuota]) -> Iterator[Fault]:
    for name, found in _grouped((node.name, node) for node in nodes):
        for node in found[1:]:
            yield Fault(
                f"{node.where}.name",
                f"{fields.shown(name)} is the name of {len(found)} nodes; each must have a "
                "name of its own in the tree",
            )


def _repeated_namespaces(nodes: Iterable[TreeQuota]) -> Iterator[Fault]:
    pairs = ((name, node) for node in nodes for name in sorted(set(node.namespaces)))
    for name, found in _grouped(pairs):
        listed = wording.named(sorted(node.name for node in found))
        for node in found[1:]:
            yield Fault(
                f"{node.where}.namespaces",
                f"{fields.shown(name)} is in the nodes {listed}; a namespace belongs to one",
            )


def _grouped(pairs: Iterable[tuple[str, TreeQuota]]) -> Iterator[tuple[str, list[TreeQuota]]]:
    """The nodes of each key, in the order of the tree; of keys with more than one."""
    found: dict[str, list[TreeQuota]] = {}
    for key, node in pairs:
        found.setdefault(key, []).append(node)
    return ((key, nodes) for key, nodes in found.items() if len(nodes) > 1)
