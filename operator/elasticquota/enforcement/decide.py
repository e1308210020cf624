"""Decide: from the ledger of this moment to everything that should be done now.

The one entrance of the shells and of simulations: verdicts, root quotas, runtimes, releases,
evictions and statuses of one consistent picture. It reads no clock (``now`` is an argument) and
changes nothing but the caller's ``notes``; what it returns is carried out or dropped, and decided
anew next time.
"""

from collections.abc import Iterable

from elasticquota.enforcement import (
    admit,
    idle,
    marks,
    nobody,
    observe,
    preempt,
    reclaim,
    report,
    roots,
    unscheduled,
)
from elasticquota.enforcement.notes import Notes
from elasticquota.enforcement.policy import Policy
from elasticquota.enforcement.room import Room
from elasticquota.enforcement.wave import Wave
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Clocks, Decisions, Eviction, Release, Wait


_DEFAULT_POLICY = Policy()
_ALL = 2**63


def decide(
    ledger: Ledger, now: int, policy: Policy = _DEFAULT_POLICY, notes: Notes | None = None
) -> Decisions:
    """Decisions for ``ledger`` at ``now`` (milliseconds of any clock that does not go back).

    With ``notes`` that were handed in each time before, the same at less cost.
    """
    balance = ledger.balance(policy.accounting)
    terminating = {name for name, found in ledger.namespaces.items() if found.terminating}
    releases: list[Release] = list(nobody.releases(balance))
    releases.extend(observe.releases(ledger, balance))
    waits: list[Wait] = list(nobody.waits(balance))
    would_wait: list[Wait] = []
    would_evict: list[Eviction] = []
    for wait in admit.turned_away(balance):
        (would_wait if balance.forest.observes(wait.quota) else waits).append(wait)
    observing: set[str] = set()
    evictions: list[Eviction] = []
    over_since: dict[str, int] = {}
    owner_waits_since: dict[str, int] = {}
    head_since: dict[str, int] = {}
    overdue = _overdue(ledger, policy, now)
    due = [] if balance.changes_in is None else [now + balance.changes_in]
    for tree_id, tree in sorted(balance.trees.items()):
        observes = balance.forest.observes(tree.tree.root)
        clocks = observe.clocks(ledger.clocks, tree_id, observes=observes)
        room = Room(balance, tree)
        admission = admit.Admission(balance, tree, room, terminating, overdue)
        admission.serve()
        wave = Wave(balance, tree, room, _most(policy, observes=observes))
        back = reclaim.reclaim(wave, admission.blocked, clocks, policy, now)
        waiting = admission.first_blocked
        first = idle.first_in_line(balance, tree, room, waiting, admission.owed)
        if first is not None:
            admission.release(*first)
        else:
            preempt.preempt(wave, admission.blocked, last=back.due is None)
        going = wave.evictions()
        if observes:
            observing.add(tree_id)
            would_wait.extend(observe.would_wait(tree, admission, wave, going))
            would_evict.extend(going)
        else:
            releases.extend(admission.releases)
            waits.extend(admission.waits())
            evictions.extend(going)
        over_since.update(back.clocks.over_since)
        owner_waits_since.update(back.clocks.owner_waits_since)
        if policy.head_of_line:
            head_since.update(admission.at_head(clocks.head_since, now))
        if back.due is not None:
            due.append(back.due)
    ends = (since + policy.head_of_line for since in head_since.values())
    due.extend(end for end in ends if end > now)
    return Decisions(
        roots=roots.wanted(ledger, balance),
        orphan_roots=roots.orphans(ledger, balance),
        profiles=roots.statuses(ledger, balance),
        statuses=notes.statuses(ledger, balance) if notes else report.statuses(ledger, balance),
        releases=tuple(releases),
        waits=tuple(waits),
        marks=marks.wanted(ledger, balance) if policy.mark_namespaces else (),
        evictions=tuple(_within_rate(evictions, ledger, policy)),
        would_wait=tuple(would_wait),
        would_evict=tuple(would_evict),
        unscheduled=unscheduled.pods(balance),
        clocks=Clocks(over_since, owner_waits_since, head_since, frozenset(observing)),
        wake_at=min(due, default=None),
    )


def _overdue(ledger: Ledger, policy: Policy, now: int) -> set[str]:
    if not policy.head_of_line:
        return set()
    since = ledger.clocks.head_since
    return {uid for uid, when in since.items() if now - when >= policy.head_of_line}


def _most(policy: Policy, *, observes: bool) -> int:
    """Victims that are of any use in one round; nothing holds up those that are only named."""
    if policy.paused:
        return 0
    return _ALL if observes else policy.max_in_flight


def _within_rate(evictions: list[Eviction], ledger: Ledger, policy: Policy) -> Iterable[Eviction]:
    """As many as may start now; the others are found again when those are gone."""
    if not evictions:
        return ()
    leaving = {pod.uid for pod in ledger.pods.values() if pod.deleting and pod.bound}
    return evictions[: max(0, policy.max_in_flight - len(leaving | ledger.evicting))]
