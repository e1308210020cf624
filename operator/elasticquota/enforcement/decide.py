"""Decide: from the ledger of this moment to everything that should be done now.

The one entrance of the shells and of simulations: verdicts, root quotas, runtimes, releases,
evictions and statuses of one consistent picture. It reads no clock (``now`` is an argument) and
changes nothing but the caller's ``notes``; what it returns is carried out or dropped, and decided
anew next time.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from elasticquota.enforcement import admit, marks, nobody, roots, tree_round, unscheduled
from elasticquota.enforcement.notes import Notes
from elasticquota.enforcement.policy import Policy
from elasticquota.enforcement.tree_round import Moment
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Clocks, Decisions, Eviction, Release, Wait


_DEFAULT_POLICY = Policy()


def decide(
    ledger: Ledger, now: int, policy: Policy = _DEFAULT_POLICY, notes: Notes | None = None
) -> Decisions:
    """Decisions for ``ledger`` at ``now`` (milliseconds of any clock that does not go back).

    With ``notes`` that were handed in each time before, the same at less cost.
    """
    balance = ledger.balance(policy.accounting)
    moment = Moment(
        now,
        policy,
        ledger.clocks,
        terminating={name for name, found in ledger.namespaces.items() if found.terminating},
        overdue=_overdue(ledger.clocks, policy, now),
    )
    news = balance.news() if notes is not None else None
    notes = notes if notes is not None else Notes()
    notes.follow(balance, news, moment)
    releases: list[Release] = list(nobody.releases(balance))
    waits: list[Wait] = [*nobody.waits(balance), *admit.turned_away(balance)]
    evictions: list[Eviction] = []
    over_since: dict[str, int] = {}
    owner_waits_since: dict[str, int] = {}
    head_since: dict[str, int] = {}
    due = [] if balance.changes_in is None else [now + balance.changes_in]
    for tree_id, tree in sorted(balance.trees.items()):
        found = tree_round.play(balance, tree, notes.stalls(tree_id), moment)
        releases.extend(found.releases)
        waits.extend(found.waits)
        evictions.extend(found.evictions)
        over_since.update(found.clocks.over_since)
        owner_waits_since.update(found.clocks.owner_waits_since)
        head_since.update(found.clocks.head_since)
        if found.due is not None:
            due.append(found.due)
    if head_since and (end := _next_end(head_since, policy, now)) is not None:
        due.append(end)
    return Decisions(
        roots=roots.wanted(ledger, balance),
        orphan_roots=roots.orphans(ledger, balance),
        profiles=roots.statuses(ledger, balance),
        statuses=notes.statuses(ledger, balance),
        releases=tuple(releases),
        waits=tuple(waits),
        marks=marks.wanted(ledger, balance) if policy.mark_namespaces else (),
        evictions=tuple(_within_rate(evictions, ledger, policy)),
        unscheduled=unscheduled.pods(balance),
        clocks=Clocks(over_since, owner_waits_since, head_since),
        wake_at=min(due, default=None),
    )


def _overdue(clocks: Clocks, policy: Policy, now: int) -> AbstractSet[str]:
    since, most = clocks.head_since, policy.head_of_line
    if not most or not since or now - min(since.values()) < most:
        return frozenset()
    return {uid for uid, when in since.items() if now - when >= most}


def _next_end(head_since: Mapping[str, int], policy: Policy, now: int) -> int | None:
    """When the next pod will have been at the head for too long."""
    first = min(head_since.values()) + policy.head_of_line
    if first > now:
        return first
    ends = (since + policy.head_of_line for since in head_since.values())
    return min((end for end in ends if end > now), default=None)


def _within_rate(evictions: list[Eviction], ledger: Ledger, policy: Policy) -> Iterable[Eviction]:
    """As many as may start now; the others are found again when those are gone."""
    if not evictions:
        return ()
    leaving = {pod.uid for pod in ledger.pods.values() if pod.deleting and pod.bound}
    return evictions[: max(0, policy.max_in_flight - len(leaving | ledger.evicting))]
