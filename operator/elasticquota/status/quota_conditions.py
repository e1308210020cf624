"""The conditions of a quota, by the API conventions (semantics 7).

``Accepted``, ``Ready``, ``Overused``, ``Starved`` and ``Reclaiming`` are always there, as True or
False. ``Stalled`` is there while the quota is refused: kstatus then reports a failure, and not work
in progress. The others are there while they are true.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from elasticquota import names, quantity
from elasticquota.derived import replaced_definitions, root_quotas
from elasticquota.forest import quota_warnings, wording
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.ledger.pods.usage import Account
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.capacity_mode import Mode
from elasticquota.model.decision import Condition
from elasticquota.model.quota import Quota
from elasticquota.model.verdict import Verdict
from elasticquota.resources import Resources
from elasticquota.status import amounts_text, without_node


WITH_WARNINGS: Final = "AcceptedWithWarnings"
"""The reason of ``Ready`` for a quota that does not mean what its author may think."""

_OFFERS: Final[Mapping[Mode, str]] = {
    "Nodes": "the nodes of the tree offer",
    "Elastic": "the nodes of the tree may become",
    "Declared": "the profile declares",
}
_NOT_STARVED: Final = Condition(
    "Starved", False, "NoPodStarves", "no pod within its guarantee waits for too long"
)
_NOT_RECLAIMING: Final = Condition(
    "Reclaiming", False, "NoPodEvicted", "none of its pods is being evicted for other quotas"
)


def merged(found: Sequence[Condition], of_cycle: Sequence[Condition]) -> tuple[Condition, ...]:
    """``found`` with the conditions of a cycle, which replace those of the same type."""
    new = {each.type: each for each in of_cycle}
    kept = [new.pop(each.type, each) for each in found]
    return (*kept, *new.values())


def of(
    quota: Quota,
    ledger: Ledger,
    cluster: ClusterSnapshot,
    tree: TreeBooks | None,
    own: Account,
    *,
    holds_name: bool,
) -> tuple[Condition, ...]:
    """The conditions of ``quota``, except for those that only a cycle knows; ``own`` is its usage.

    ``holds_name``: no other object has its name. ``tree`` is None for a quota in no tree.
    """
    name, forest = quota.name, cluster.forest
    verdict, paused = forest.verdicts[quota.key], "" if tree is None else forest.paused_at(name)
    if verdict.accepted and tree is not None:
        verdict = verdict.but(quota_warnings.of(quota, cluster.members, paused))
    conditions = [
        *_accepted(verdict, quota, tree, cluster),
        _overused(quota, tree, cluster),
        _NOT_STARVED,
        _NOT_RECLAIMING,
    ]
    if tree is not None:
        if name == tree.tree.root:
            conditions.extend(replaced_definitions.conditions(ledger.lacking))
            if ledger.unread:
                conditions.append(_definitions_not_read(ledger))
        conditions.extend(_not_backed(quota, tree, cluster))
        conditions.extend(_paused(paused))
        if forest.takes_labelled_only(quota) and own.empty:
            conditions.append(_limits_nothing(name))
    if holds_name and forest.observes(name):
        conditions.append(observed(tree))
    stuck = without_node.condition(own, name, cluster)
    if stuck is not None:
        conditions.append(stuck)
    if root_quotas.missing_profile(quota, ledger):
        text = f"profile {quota.profile_key} is gone: no pod starts in its tree until it is back"
        conditions.append(Condition("ProfileMissing", True, "ProfileDeleted", text))
    return tuple(conditions)


def observed(tree: TreeBooks | None) -> Condition:
    """The condition of a quota whose tree only observes."""
    who = f"tree {tree.tree.root}" if tree else "its tree"
    text = f"{who} only observes: no pod waits, and none is reclaimed"
    return Condition("Observed", True, "TreeOnlyObserves", text)


def _not_backed(quota: Quota, tree: TreeBooks, cluster: ClusterSnapshot) -> Iterator[Condition]:
    """What of its min the total of the tree does not back; nothing for the root and without min."""
    unbacked, root = cluster.unbacked.get(tree.tree.id), tree.tree.root
    if not unbacked or quota.name == root:
        return
    low = cluster.forest.effective_min(quota.name)
    keys = [key for key in sorted(unbacked) if low.get(key, 0) > 0]
    if not keys:
        return
    texts = []
    for key in keys:
        shortfall, text = unbacked[key], partial(quantity.shown, key)
        texts.append(
            f"min {text(low[key])} {key}, and all quotas below {root} are guaranteed "
            f"{text(shortfall.guaranteed)}, of {text(shortfall.offered)} "
            f"that {_OFFERS[shortfall.mode]}"
        )
    why = f"{'; '.join(texts)}. All of these guarantees shrink in proportion"
    yield Condition("GuaranteeNotBacked", True, "TotalTooSmall", why)


def _paused(where: str) -> Iterator[Condition]:
    """``where`` is the paused quota on the path; empty: none is."""
    if where:
        text = f"quota {where} is paused (spec.paused), so no pod in it or below it starts"
        yield Condition("Paused", True, "QuotaPaused", text)


def _definitions_not_read(ledger: Ledger) -> Condition:
    """The condition of every root quota: which pods and jobs it concerns is not known."""
    texts = sorted({str(found) for found in ledger.unread.values()})
    text = f"{'; '.join(texts)}: its objects count nowhere, so upgrade the operator"
    return Condition("DefinitionsNotRead", True, "NoVersionRead", text)


def _limits_nothing(quota: str) -> Condition:
    text = (
        f"it binds no namespace, and no pod has the label {names.QUOTA_NAME}: {quota}; to limit "
        f"all pods of a namespace, list it in spec.namespaces"
    )
    return Condition("LimitsNothing", True, "NoPodNamesIt", text)


def _accepted(
    verdict: Verdict, quota: Quota, tree: TreeBooks | None, cluster: ClusterSnapshot
) -> Iterator[Condition]:
    """``Accepted`` comes first."""
    if not verdict.accepted:
        yield Condition("Accepted", False, verdict.reason, verdict.message)
        yield Condition("Ready", False, verdict.reason, verdict.message)
        yield Condition("Stalled", True, verdict.reason, verdict.message)
        return
    text = _shares(quota, tree, cluster)
    if verdict.warnings:
        text = f"{text}; warning: {'; '.join(verdict.warnings)}"
    yield Condition("Accepted", True, verdict.reason, text)
    where = f"in force in tree {tree.tree.root}" if tree is not None else "in force"
    reason = WITH_WARNINGS if verdict.warnings else "Accepted"
    yield Condition("Ready", True, reason, where)


def _shares(quota: Quota, tree: TreeBooks | None, cluster: ClusterSnapshot) -> str:
    if tree is None:
        return "nothing limits the pods of this quota"
    if quota.name == tree.tree.root:
        return f"shares {wording.amounts(tree.total) or 'nothing yet'} among the quotas below"
    return amounts_text.guaranteed(cluster.forest.effective_min(quota.name))


def _overused(quota: Quota, tree: TreeBooks | None, cluster: ClusterSnapshot) -> Condition:
    """Whether a whole pod is too much, or anything is beyond max: that much is reclaimed.

    A share that is no multiple of the pods, because a DaemonSet takes a part of each node, leaves
    less than a pod too much, for which none goes.
    """
    if tree is None:
        return Condition("Overused", False, "InNoTree", "it is in no tree, so it has no share")
    name = quota.name
    admitted = tree.counted(name, tree.admitted[name])
    share = tree.runtimes.runtime(name)
    over = {
        key: held - most
        for key, most in share.items()
        if (held := admitted.get(key, 0)) > most and key != names.PODS
    }
    if over:
        to_go = _to_go(over, admitted, quota, cluster)
        used = amounts_text.used_of_share(admitted, share, to_go or over)
        text = f"uses {used}: {wording.amounts(to_go or over)} too much"
        if to_go:
            return Condition("Overused", True, "BeyondRuntime", text)
        text = f"{text}, which is less than any of its pods asks for"
        return Condition("Overused", False, "LessThanAPod", text)
    keys = [key for key, most in share.items() if most > 0 or admitted.get(key, 0) > 0]
    used = amounts_text.used_of_share(admitted, share, keys) or "nothing, and has no share"
    return Condition("Overused", False, "WithinRuntime", f"uses {used}")


def _to_go(
    over: Resources, admitted: Resources, quota: Quota, cluster: ClusterSnapshot
) -> Resources:
    """What of ``over`` is beyond max, or as much as a pod of the quota, or below it, asks for."""
    names_below = (quota.name, *cluster.forest.descendants(quota.name))
    least = [cluster.account(name).least_requests for name in names_below]
    return {
        key: more
        for key, more in over.items()
        if admitted[key] > quota.max.get(key, admitted[key])
        or any(0 < each.get(key, 0) <= more for each in least)
    }
