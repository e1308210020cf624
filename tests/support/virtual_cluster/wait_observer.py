"""Checks a scene in every cycle, and reports states that lasted for too long.

A function from the figures of a scene to names gives the state that must not last. A name that
occurs in every cycle for longer than allowed is a fault. A cycle runs soon after every change, so
no beginning or end is missed.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from elasticquota import resources
from elasticquota.model.decision import Decisions
from virtual_cluster.figures import SceneFigures
from virtual_cluster.scene import Scene


Names = Callable[[SceneFigures], Iterable[str]]


@dataclass
class WaitLimit:
    """No name of ``named`` may last for longer than ``most`` milliseconds."""

    named: Names
    most: int
    longest: int = 0
    faults: list[str] = field(default_factory=list)
    _since: dict[str, int] = field(default_factory=dict)

    def look(self, now: int, figures: SceneFigures) -> None:
        found = set(self.named(figures))
        self._since = {name: self._since.get(name, now) for name in found}
        for name, since in self._since.items():
            self.longest = max(self.longest, now - since)
            if now - since > self.most:
                self.faults.append(f"{name} from {since} to {now}")

    def reset(self) -> None:
        self._since.clear()


def watch(scene: Scene, *limits: WaitLimit) -> None:
    """Check the limits in every cycle. When the controller restarts, its clocks restart too."""
    ledger = scene.controller.ledger

    def look(_: Decisions) -> None:
        nonlocal ledger
        if ledger is not scene.controller.ledger:
            ledger = scene.controller.ledger
            for limit in limits:
                limit.reset()
        figures = SceneFigures(scene)
        for limit in limits:
            limit.look(scene.timeline.now, figures)

    scene.controller.on_round.append(look)


def owners_waiting(now: SceneFigures) -> Iterable[str]:
    """Pods within their min that are not admitted yet, for whatever reason."""
    return (pod.uid for _, pod in now.owed())


def takers_from_owners(now: SceneFigures) -> Iterable[str]:
    """Quotas that hold too much and keep it, though an owner needs it.

    Where every max and a node have room for it once all that leaves is gone, it waits for that.
    """
    for name, pod in now.owed():
        if not now.fits(name, pod.request) and not now.fits_limits(name, pod.request):
            yield from (giver for giver, _ in now.singles(name, pod))


def takers_of_shares(now: SceneFigures) -> Iterable[str]:
    """Quotas that hold a whole pod too much and keep it, though a pod of another quota lacks its
    share.
    """
    for name, pod in now.waiting:
        if not now.fits(name, pod.request):
            for giver, victim in now.singles(name, pod):
                if resources.fits(victim.request, now.over(giver)):
                    yield giver
