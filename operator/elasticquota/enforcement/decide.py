"""Decide: from the ledger of this moment to everything that should be done now.

The one entrance of the shells and of simulations: verdicts, root quotas, runtimes, releases,
evictions and statuses of one consistent picture. It reads no clock (``now`` is an argument) and
changes nothing; what it returns is carried out or dropped, and decided anew next time.
"""

from collections.abc import Iterable

from elasticquota.enforcement import admit, idle, marks, nobody, preempt, reclaim, report, roots
from elasticquota.enforcement.policy import Policy
from elasticquota.enforcement.room import Room
from elasticquota.enforcement.wave import Wave
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Clocks, Decisions, Eviction, Release, Wait


_DEFAULT_POLICY = Policy()


def decide(ledger: Ledger, now: int, policy: Policy = _DEFAULT_POLICY) -> Decisions:
    """Decisions for ``ledger`` at ``now`` (milliseconds of any clock that does not go back)."""
    balance = ledger.balance(policy.accounting)
    terminating = {name for name, found in ledger.namespaces.items() if found.terminating}
    releases: list[Release] = list(nobody.releases(balance))
    waits: list[Wait] = [*nobody.waits(balance), *admit.turned_away(balance)]
    evictions: list[Eviction] = []
    over_since: dict[str, int] = {}
    owner_waits_since: dict[str, int] = {}
    due = [] if balance.changes_in is None else [now + balance.changes_in]
    for _, tree in sorted(balance.trees.items()):
        room = Room(balance, tree)
        admission = admit.Admission(balance, tree, room, terminating)
        admission.serve()
        wave = Wave(balance, tree, room, 0 if policy.paused else policy.max_in_flight)
        back = reclaim.reclaim(wave, admission.blocked, ledger.clocks, policy, now)
        first = idle.first_in_line(balance, tree, room, admission.first_blocked)
        if first is not None:
            admission.release(*first)
        else:
            preempt.preempt(wave, admission.blocked, last=back.due is None)
        releases.extend(admission.releases)
        waits.extend(admission.waits())
        evictions.extend(wave.evictions())
        over_since.update(back.clocks.over_since)
        owner_waits_since.update(back.clocks.owner_waits_since)
        if back.due is not None:
            due.append(back.due)
    return Decisions(
        roots=roots.wanted(ledger, balance),
        orphan_roots=roots.orphans(ledger, balance),
        profiles=roots.statuses(ledger, balance),
        statuses=report.statuses(ledger, balance),
        releases=tuple(releases),
        waits=tuple(waits),
        marks=marks.wanted(ledger, balance) if policy.mark_namespaces else (),
        evictions=tuple(_within_rate(evictions, ledger, policy)),
        clocks=Clocks(over_since, owner_waits_since),
        wake_at=min(due, default=None),
    )


def _within_rate(evictions: list[Eviction], ledger: Ledger, policy: Policy) -> Iterable[Eviction]:
    """As many as may start now; the others are found again when those are gone."""
    if not evictions:
        return ()
    leaving = {pod.uid for pod in ledger.pods.values() if pod.deleting and pod.bound}
    return evictions[: max(0, policy.max_in_flight - len(leaving | ledger.evicting))]
