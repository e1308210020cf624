"""The objects of the three built-in quotas, which the controller keeps in its namespace (K 1.4).

They make visible what exists anyway: the root of the default tree with the tree's total, the quota
of all pods of no team, and that of the system. Each is created if there is none. An object that is
there is never changed but for the two annotations with the totals on the root quota: it is one that
Koordinator left, the default quota of an administrator, or one that asks for something, which is
ignored.
"""

from collections.abc import Mapping
from typing import Final

from elasticquota import names
from elasticquota.derived import totals_text
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.ledger.nodes import tree_nodes
from elasticquota.model.decision import BuiltInQuota
from elasticquota.model.key import Key


# As Koordinator labels its root; the other two have no labels there.
_LABELS: Final[Mapping[str, Mapping[str, str]]] = {
    names.ROOT_QUOTA: {names.IS_PARENT: "true", names.ALLOW_LENT: "false"},
}


def wanted(ledger: Ledger, cluster: ClusterSnapshot) -> tuple[BuiltInQuota, ...]:
    """The objects to keep: none where the release's namespace is unknown or terminating."""
    home = cluster.forest.terms.home
    namespace = ledger.namespaces.get(home) if home is not None else None
    if home is None or namespace is None or namespace.terminating:
        return ()
    found = (_one(Key(home, name), cluster) for name in sorted(names.RESERVED_QUOTAS))
    return tuple(each for each in found if not _is_taken(each.key, ledger, cluster))


def _one(key: Key, cluster: ClusterSnapshot) -> BuiltInQuota:
    return BuiltInQuota(
        key, _LABELS.get(key.name, {}), _totals(cluster) if key.name == names.ROOT_QUOTA else {}
    )


def _totals(cluster: ClusterSnapshot) -> Mapping[str, str]:
    found = cluster.nodes_by_tree.get(names.DEFAULT_TREE, tree_nodes.NONE)
    return totals_text.annotations(found.total, found.unschedulable)


def _is_taken(key: Key, ledger: Ledger, cluster: ClusterSnapshot) -> bool:
    """Whether the place is taken by an object that is not the built-in quota."""
    stored = ledger.quotas.get(key)
    return stored is not None and not cluster.forest.stands_for(stored)
