"""The result of a simulation: the figures of every quota, the waiting pods, and the evictions.

Amounts are accounting units. Borrowed is used above min. Lent is the part of min that no pod below
asks for and that others may use. A quota that does not lend asks for all of its min itself, and a
root quota has no siblings to lend to.
"""

from dataclasses import dataclass

from elasticquota import resources
from elasticquota.model.decision import Condition, ProfileStatus, QuotaStatus, Wait
from elasticquota.model.key import Key
from elasticquota.resources import EMPTY, Resources
from elasticquota.wire.quota import statuses
from elasticquota_cli.simulate.apply import Refusal
from elasticquota_cli.simulate.settle import Reclaim, Settling


@dataclass(frozen=True, slots=True)
class QuotaFigures:
    """The figures of one quota."""

    key: Key
    tree: str
    """Name of the tree's root quota; empty for a quota in no tree."""
    parent: str
    request: Resources
    used: Resources
    runtime: Resources
    min: Resources
    """The effective min: empty while the quota is not accepted."""
    max: Resources
    borrowed: Resources
    lent: Resources
    running: int
    waiting: int
    verdict: str
    """``Accepted``, or the reason why it is not."""
    message: str

    @property
    def accepted(self) -> bool:
        return self.verdict == "Accepted"


@dataclass(frozen=True, slots=True)
class ProfileFigures:
    """The status of one profile."""

    key: Key
    tree_id: str
    nodes: int
    ready: bool
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The whole result."""

    settled: bool
    rounds: int
    elapsed: int
    """Milliseconds of simulated time."""
    profiles: tuple[ProfileFigures, ...]
    quotas: tuple[QuotaFigures, ...]
    """Trees by name, every quota before those below it; then the quotas in no tree."""
    waiting: tuple[Wait, ...]
    reclaims: tuple[Reclaim, ...]
    refusals: tuple[Refusal, ...]

    @property
    def is_smooth(self) -> bool:
        """Whether all objects were accepted, no pod waits, and no pod was evicted."""
        return (
            self.settled
            and all(quota.accepted for quota in self.quotas)
            and all(profile.ready for profile in self.profiles)
            and not (self.waiting or self.reclaims or self.refusals)
        )


def of(settling: Settling, refusals: list[Refusal]) -> Outcome:
    """The outcome of ``settling``."""
    figures = [_quota(status) for status in settling.last.statuses]
    return Outcome(
        settled=settling.settled,
        rounds=settling.rounds,
        elapsed=settling.elapsed,
        profiles=tuple(_profile(status) for status in settling.last.profiles),
        quotas=tuple(_in_trees(figures)),
        waiting=tuple(
            sorted(
                settling.last.of_workloads.waits,
                key=lambda wait: (wait.quota, wait.place, wait.pod),
            )
        ),
        reclaims=settling.reclaims,
        refusals=tuple(refusals),
    )


def _quota(status: QuotaStatus) -> QuotaFigures:
    accepted = _condition(status.conditions, "Accepted")
    idle = resources.positive(resources.subtract(status.min, status.request))
    is_below = status.tree not in ("", status.key.name)
    return QuotaFigures(
        key=status.key,
        tree=status.tree,
        parent=status.parent,
        request=status.request,
        used=status.used,
        runtime=status.runtime,
        min=status.min,
        max=status.max,
        borrowed=statuses.borrowed(status) if is_below else EMPTY,
        lent=resources.masked(idle, status.min) if is_below else EMPTY,
        running=status.pods_admitted,
        waiting=status.pods_gated,
        verdict=accepted.reason,
        message="" if accepted.status else accepted.message,
    )


def _profile(status: ProfileStatus) -> ProfileFigures:
    ready = _condition(status.conditions, "Ready")
    return ProfileFigures(
        status.key, status.tree_id, status.nodes, ready.status, ready.reason, ready.message
    )


def _condition(conditions: tuple[Condition, ...], kind: str) -> Condition:
    return next(found for found in conditions if found.type == kind)


def _in_trees(figures: list[QuotaFigures]) -> list[QuotaFigures]:
    below: dict[str, list[QuotaFigures]] = {}
    tops: list[QuotaFigures] = []
    nowhere: list[QuotaFigures] = []
    held = {found.key.name for found in figures if found.tree}
    for found in sorted(figures, key=lambda found: (found.tree, found.key.name, found.key)):
        if not found.tree:
            nowhere.append(found)
        elif found.parent in held:
            below.setdefault(found.parent, []).append(found)
        else:
            tops.append(found)
    ordered: list[QuotaFigures] = []
    stack = tops[::-1]
    while stack:
        found = stack.pop()
        ordered.append(found)
        stack.extend(below.get(found.key.name, [])[::-1])
    return ordered + nowhere
