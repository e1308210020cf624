"""The status of a quota: its figures, with its conditions (semantics 7).

Pods are counted with those of all quotas below; amounts are rolled up the same way, so a parent
shows the usage of its whole branch. A quota outside every tree shows only its own pods.
"""

from collections.abc import Mapping, Sequence

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.ledger.nodes import tree_nodes
from elasticquota.ledger.pods import usage
from elasticquota.ledger.tree_books import TreeBooks, TreePodCounts
from elasticquota.model.decision import Condition, QuotaStatus
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY, Resources
from elasticquota.status import quota_conditions
from elasticquota.structs import replace


def statuses(ledger: Ledger, cluster: ClusterSnapshot) -> tuple[QuotaStatus, ...]:
    """One status per stored quota."""
    return tuple(status(quota, ledger, cluster) for _, quota in sorted(ledger.quotas.items()))


def status(quota: Quota, ledger: Ledger, cluster: ClusterSnapshot) -> QuotaStatus:
    """The status of a stored quota; for a built-in quota, whatever its labels and spec say."""
    forest, name = cluster.forest, quota.name
    holds_name = forest.stands_for(quota)
    if holds_name:
        quota = _as_it_counts(quota, forest)
    tree_id = forest.tree_of.get(name) if holds_name else None
    tree = cluster.trees[tree_id] if tree_id is not None else None
    own = cluster.account(name) if holds_name else usage.IDLE
    counted = TreePodCounts(len(own.running), own.gated) if tree is None else tree.pods[name]
    own_request = EMPTY
    if tree is None or not tree.tree.children[name]:
        own_request = own.request(accepted=tree is not None and forest.accepted(name))
    return QuotaStatus(
        key=quota.key,
        generation=quota.generation,
        tree=tree.tree.root if tree else "",
        parent="" if quota.is_root else quota.parent,
        used=dict(tree.used[name] if tree else own.used),
        request=tree.runtimes.request(name) if tree else own_request,
        runtime=tree.runtimes.runtime(name) if tree else EMPTY,
        admitted=dict(tree.admitted[name] if tree else own.admitted),
        min=forest.effective_min(name) if holds_name else EMPTY,
        max=quota.max,
        weight=quota.shared_weight if quota.shared_weight is not None else quota.max,
        pods_admitted=counted.admitted,
        pods_gated=counted.gated,
        conditions=quota_conditions.of(quota, ledger, cluster, tree, own, holds_name=holds_name),
        tree_id=tree_id or names.DEFAULT_TREE,
        is_parent=quota.is_parent,
        unschedulable=_unschedulable(quota, cluster) if tree else EMPTY,
        child_request=tree.runtimes.child_request(name, own_request) if tree else EMPTY,
        allocated=_allocated(name, tree) if tree else EMPTY,
        guaranteed=_guaranteed(name, tree) if tree else EMPTY,
        non_preemptible_request=(
            dict(tree.non_preemptible_request[name])
            if tree
            else own.non_preemptible_request(accepted=False)
        ),
        non_preemptible_used=dict(tree.non_preemptible[name] if tree else own.non_preemptible),
    )


def _as_it_counts(quota: Quota, forest: Forest) -> Quota:
    """The quota that holds the name; an object of the root or the system quota has its place."""
    held = forest.quotas[quota.name]
    if held.key == quota.key:
        return held
    return replace(held, key=quota.key, generation=quota.generation, warnings=quota.warnings)


def with_conditions(
    quota_statuses: tuple[QuotaStatus, ...],
    conditions: Mapping[str, Sequence[Condition]],
    cluster: ClusterSnapshot,
) -> tuple[QuotaStatus, ...]:
    """``quota_statuses``, with the conditions of this cycle for the quotas in ``conditions``.

    They depend on more than the figures, and so are not cached with them.
    """
    if not conditions:
        return quota_statuses
    quotas = cluster.forest.quotas
    # An external pod that leaves may be of a quota that is gone already.
    of = {quotas[name].key: tuple(more) for name, more in conditions.items() if name in quotas}
    own = {name: of.get(Key("", name), ()) for name in (names.ROOT_QUOTA, names.SYSTEM_QUOTA)}
    return tuple(
        replace(status, conditions=quota_conditions.merged(status.conditions, more))
        if (more := of.get(status.key) or _of_built_in(status, own))
        else status
        for status in quota_statuses
    )


def _of_built_in(
    status: QuotaStatus, own: Mapping[str, tuple[Condition, ...]]
) -> tuple[Condition, ...]:
    """The conditions of a built-in quota for its object; an ignored object gets none."""
    return own.get(status.key.name, ()) if status.conditions[0].status else ()


def _unschedulable(quota: Quota, cluster: ClusterSnapshot) -> Resources:
    if quota.name == names.ROOT_QUOTA:
        return cluster.nodes_by_tree.get(names.DEFAULT_TREE, tree_nodes.NONE).unschedulable
    profile = Key(quota.key.namespace, quota.profile)
    if not quota.is_root or profile not in cluster.capacities:
        return EMPTY
    return cluster.capacities[profile].unschedulable


def _allocated(name: str, tree: TreeBooks) -> Resources:
    return tree.runtimes.allocated(name) if tree.tree.guarantees_use else EMPTY


def _guaranteed(name: str, tree: TreeBooks) -> Resources:
    """A root has what exists; no quota guarantees it."""
    if not tree.tree.guarantees_use or name == tree.tree.root:
        return EMPTY
    return tree.runtimes.guaranteed(name)
