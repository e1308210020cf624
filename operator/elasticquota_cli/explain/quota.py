"""Explains one quota: its figures, how its runtime is computed, and which pods wait in it."""

from collections.abc import Sequence

from elasticquota import quantity
from elasticquota.ledger.nodes.tree_nodes import TreeNodes
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.key import Key
from elasticquota.model.quota import Figures, Quota
from elasticquota.resources import EMPTY
from elasticquota.status import reserved_by_jobs
from elasticquota_cli import nearest
from elasticquota_cli.explain import observed, report, siblings
from elasticquota_cli.explain.moment import Inputs, Moment
from elasticquota_cli.explain.parts import rows
from elasticquota_cli.explain.pod import eviction_of, verdict
from elasticquota_cli.failure import Failure
from elasticquota_cli.printers import amount


def explain(inputs: Inputs, moment: Moment, key: Key) -> report.QuotaExplanation:
    """Explain the quota; ``key`` may lack the namespace. Raises `Failure` for an unknown one."""
    quota = _quota(moment, key)
    forest = moment.cluster.forest
    holds_name = forest.quotas[quota.name].key == quota.key
    tree_id = forest.tree_of.get(quota.name) if holds_name else None
    tree = None if tree_id is None else moment.cluster.trees[tree_id]
    found = report.QuotaExplanation(
        api_version=report.API_VERSION,
        basis="computed",
        namespace=quota.key.namespace,
        name=quota.name,
        tree=tree.tree.root if tree else "",
        path=list(forest.path(quota.name)) if tree else [],
        verdict=verdict(forest, quota),
        pods=None,
        figures=[],
        notes=list(inputs.notes),
    )
    if moment.policy.paused:
        found.notes.append("evictions are paused by the configuration")
    if holds_name:
        found.notes.extend(observed.notes_of_quota(moment, quota.name))
        found.notes.extend(reserved_by_jobs.sentences(moment.cluster, quota.name))
        _add_pods(found, moment, quota.name)
        if tree:
            _add_sharing(found, moment, quota, tree)
        else:
            _add_own(found, moment, quota)
    return found


def _quota(moment: Moment, key: Key) -> Quota:
    stored, named = moment.ledger.quotas, moment.cluster.forest.quotas
    found = stored.get(key) if key.namespace else named.get(key.name)
    if found is None:
        near = nearest.hint_of_key(key, stored) if key.namespace else nearest.hint(key.name, named)
        raise Failure(f"there is no quota {key if key.namespace else key.name}{near}")
    return found


def _add_pods(found: report.QuotaExplanation, moment: Moment, name: str) -> None:
    """Add the pods that wait in the quota itself, and the evictions for it and from it."""
    waits = [wait for wait in moment.now.waits if wait.quota == name]
    found.waiting = [
        report.Waiting(wait.pod.namespace, wait.pod.name, wait.place, wait.reason, wait.stated)
        for wait in sorted(waits, key=lambda wait: (not wait.place, wait.place, wait.pod))
    ]
    found.would_reclaim = [eviction_of(gone) for gone in moment.given_to(name)]
    found.gives_back = [eviction_of(gone) for gone in moment.coming if gone.quota == name]


def _add_sharing(
    found: report.QuotaExplanation, moment: Moment, quota: Quota, tree: TreeBooks
) -> None:
    keys = _keys(quota, tree)
    count = tree.pods[quota.name]
    found.pods = report.Pods(count.admitted, count.gated)
    found.levels = list(siblings.levels(moment, quota.name, keys))
    found.ground = [_ground(tree, moment.cluster.nodes_by_tree[tree.tree.id], key) for key in keys]
    runtimes, name = tree.runtimes, quota.name
    low, request = moment.cluster.forest.effective_min(name), runtimes.request(name)
    shown = Figures(tree.used[name], request, runtimes.runtime(name), tree.admitted[name])
    found.figures = [
        rows.figures_of(key, low, quota.max, shown, _weight(found.levels, name, key))
        for key in keys
    ]


def _add_own(found: report.QuotaExplanation, moment: Moment, quota: Quota) -> None:
    """Add the figures of a quota in no tree: what its own pods hold and ask for."""
    own = moment.cluster.account(quota.name)
    found.pods = report.Pods(len(own.running), own.gated)
    held = Figures(own.used, own.request(accepted=False), admitted=own.admitted)
    keys = amount.ordered({*quota.min, *quota.max, *own.admitted})
    found.figures = [rows.figures_of(key, EMPTY, quota.max, held) for key in keys]


def _keys(quota: Quota, tree: TreeBooks) -> list[str]:
    """The shared resources that the quota names, holds or asks for."""
    shared = tree.runtimes.runtime(quota.name)
    named = {*quota.min, *quota.max, *tree.runtimes.request(quota.name)}
    return amount.ordered(named & shared.keys())


def _weight(levels: Sequence[report.Level], name: str, key: str) -> str | None:
    """The weight in the level of the quota; None for a root, which has no siblings."""
    rows = (
        share
        for level in levels
        if level.resource == key
        for share in level.shares
        if share.quota == name and not share.parents_own_pods
    )
    return next((share.weight for share in rows), None)


def _ground(tree: TreeBooks, nodes: TreeNodes, key: str) -> report.Ground:
    total, available = tree.total.get(key, 0), tree.available.get(key, 0)
    return report.Ground(
        resource=key,
        total=quantity.text(key, total),
        outside=quantity.text(key, total - available),
        evictable=quantity.text(key, tree.within_reach.get(key, 0) - available),
        available=quantity.text(key, available),
        mode=nodes.mode.mode,
        present=quantity.text(key, nodes.present.get(key, 0)) if nodes.mode.elastic else "",
    )
