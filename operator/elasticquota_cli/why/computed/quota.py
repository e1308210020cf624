"""Explains one quota: its figures, how its runtime is computed, and which pods wait in it."""

from collections.abc import Sequence

from elasticquota import quantity
from elasticquota.ledger.nodes.tree_nodes import TreeNodes
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.decision import Wait
from elasticquota.model.key import Key
from elasticquota.model.quota import Figures, Quota
from elasticquota.resources import EMPTY
from elasticquota.status import reserved_by_jobs
from elasticquota.structs import replace
from elasticquota_cli.failures import nearest
from elasticquota_cli.failures.failure import Failure
from elasticquota_cli.printers import amount
from elasticquota_cli.why.computed import observed, siblings
from elasticquota_cli.why.computed.moment import Inputs, Moment
from elasticquota_cli.why.computed.pod import eviction_of, verdict, written
from elasticquota_cli.why.parts import report, rows


def explain(inputs: Inputs, moment: Moment, key: Key) -> tuple[report.QuotaAnswer, Sequence[str]]:
    """Explain the quota; ``key`` may lack the namespace. Raises `Failure` for an unknown one."""
    quota = _quota(moment, key)
    forest = moment.cluster.forest
    holds_name = forest.quotas[quota.name].key == quota.key
    tree_id = forest.tree_of.get(quota.name) if holds_name else None
    tree = None if tree_id is None else moment.cluster.trees[tree_id]
    answer = report.QuotaAnswer(
        namespace=quota.key.namespace,
        name=quota.name,
        tree=tree.tree.root if tree else "",
        path=list(forest.path(quota.name)) if tree else [],
        verdict=verdict(forest, quota),
        pods=None,
        figures=[],
    )
    notes = list(inputs.notes)
    if moment.policy.paused:
        notes.append("evictions are paused by the configuration")
    if holds_name:
        notes.extend(observed.notes_of_quota(moment, quota.name))
        notes.extend(reserved_by_jobs.sentences(moment.cluster, quota.name))
        answer = _with_pods(answer, moment, quota.name)
        answer = _shared(answer, moment, quota, tree) if tree else _own(answer, moment, quota)
    return answer, notes


def _quota(moment: Moment, key: Key) -> Quota:
    stored, named = moment.ledger.quotas, moment.cluster.forest.quotas
    found = stored.get(key) if key.namespace else named.get(key.name)
    if found is None:
        near = nearest.hint_of_key(key, stored) if key.namespace else nearest.hint(key.name, named)
        raise Failure(f"there is no quota {key if key.namespace else key.name}{near}")
    return found


def _with_pods(answer: report.QuotaAnswer, moment: Moment, name: str) -> report.QuotaAnswer:
    """With the pods that wait in the quota itself, and the evictions for it and from it."""
    waits = [wait for wait in moment.now.waits if wait.quota == name]
    return replace(
        answer,
        waiting=[
            _waiting(moment, wait)
            for wait in sorted(waits, key=lambda wait: (not wait.place, wait.place, wait.pod))
        ],
        would_reclaim=[eviction_of(gone) for gone in moment.given_to(name)],
        would_lose=[eviction_of(gone) for gone in moment.coming if gone.quota == name],
    )


def _waiting(moment: Moment, wait: Wait) -> report.WaitingRow:
    counted = moment.ledger.counted(wait.pod)
    stated = written(counted) if counted else None
    if stated is None:
        return report.WaitingRow(*wait.pod, wait.place, wait.reason, wait.stated)
    place = stated.line.place if stated.line else wait.place
    return report.WaitingRow(*wait.pod, place, stated.reason, stated.text)


def _shared(
    answer: report.QuotaAnswer, moment: Moment, quota: Quota, tree: TreeBooks
) -> report.QuotaAnswer:
    """With what a quota of a tree may use, and how that is computed."""
    keys, count = _keys(quota, tree), tree.pods[quota.name]
    levels = list(siblings.levels(moment, quota.name, keys))
    runtimes, name = tree.runtimes, quota.name
    low, request = moment.cluster.forest.effective_min(name), runtimes.request(name)
    shown = Figures(tree.used[name], request, runtimes.runtime(name), tree.admitted[name])
    return replace(
        answer,
        pods=report.QuotaPods(count.admitted, count.gated),
        levels=levels,
        ground=[_ground(tree, moment.cluster.nodes_by_tree[tree.tree.id], key) for key in keys],
        figures=[
            rows.figures_of(key, low, quota.max, shown, _weight(levels, name, key)) for key in keys
        ],
    )


def _own(answer: report.QuotaAnswer, moment: Moment, quota: Quota) -> report.QuotaAnswer:
    """With the figures of a quota in no tree: what its own pods hold and ask for."""
    own = moment.cluster.account(quota.name)
    held = Figures(own.used, own.request(accepted=False), admitted=own.admitted)
    keys = amount.ordered({*quota.min, *quota.max, *own.admitted})
    return replace(
        answer,
        pods=report.QuotaPods(len(own.running), own.gated),
        figures=[rows.figures_of(key, EMPTY, quota.max, held) for key in keys],
    )


def _keys(quota: Quota, tree: TreeBooks) -> list[str]:
    """The shared resources that the quota names, holds or asks for."""
    shared = tree.runtimes.runtime(quota.name)
    named = {*quota.min, *quota.max, *tree.runtimes.request(quota.name)}
    return amount.ordered(named & shared.keys())


def _weight(levels: Sequence[report.LevelRow], name: str, key: str) -> str | None:
    """The weight in the level of the quota; None for a root, which has no siblings."""
    rows = (
        share
        for level in levels
        if level.resource == key
        for share in level.shares
        if share.quota == name and not share.parents_own_pods
    )
    return next((share.weight for share in rows), None)


def _ground(tree: TreeBooks, nodes: TreeNodes, key: str) -> report.GroundRow:
    total, available = tree.total.get(key, 0), tree.available.get(key, 0)
    return report.GroundRow(
        resource=key,
        total=quantity.text(key, total),
        outside=quantity.text(key, total - available),
        evictable=quantity.text(key, tree.within_reach.get(key, 0) - available),
        available=quantity.text(key, available),
        mode=nodes.mode.mode,
        present=quantity.text(key, nodes.present.get(key, 0)) if nodes.mode.elastic else "",
    )
