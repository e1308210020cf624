"""A witness looks at a scene in every round, and says who waited for too long.

A state of things that must not last is given by a function from a standing to names. Whoever is
named in every round for longer than allowed is a fault. A round comes soon after every change, so
nothing begins or ends unseen.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from elasticquota import resources
from elasticquota.model.decision import Decisions
from virtual_cluster.figures import Standing
from virtual_cluster.scene import Scene


Names = Callable[[Standing], Iterable[str]]


@dataclass
class Patience:
    """``named`` may be true of nobody for longer than ``most`` milliseconds."""

    named: Names
    most: int
    longest: int = 0
    faults: list[str] = field(default_factory=list)
    _since: dict[str, int] = field(default_factory=dict)

    def look(self, now: int, standing: Standing) -> None:
        found = set(self.named(standing))
        self._since = {name: self._since.get(name, now) for name in found}
        for name, since in self._since.items():
            self.longest = max(self.longest, now - since)
            if now - since > self.most:
                self.faults.append(f"{name} from {since} to {now}")

    def begin_anew(self) -> None:
        self._since.clear()


def watch(scene: Scene, *patiences: Patience) -> None:
    """Let the patiences look in every round. A restarted controller's clocks begin anew."""
    ledger = scene.controller.ledger

    def look(_: Decisions) -> None:
        nonlocal ledger
        if ledger is not scene.controller.ledger:
            ledger = scene.controller.ledger
            for patience in patiences:
                patience.begin_anew()
        standing = Standing(scene)
        for patience in patiences:
            patience.look(scene.agenda.now, standing)

    scene.controller.on_round.append(look)


def owners_waiting(now: Standing) -> Iterable[str]:
    """Pods within their min that are not let in yet, whoever keeps them waiting."""
    return (pod.uid for _, pod in now.owed())


def takers_from_owners(now: Standing) -> Iterable[str]:
    """Quotas that hold too much and do not give it back, though an owner needs it."""
    for name, pod in now.owed():
        if not now.fits(name, pod.request):
            yield from (giver for giver, _ in now.singles(name, pod))


def takers_of_shares(now: Standing) -> Iterable[str]:
    """Quotas that hold a whole pod too much and keep it, though somebody lacks one of its share."""
    for name, pod in now.waiting:
        if not now.fits(name, pod.request):
            for giver, victim in now.singles(name, pod):
                if resources.fits(victim.request, now.over(giver)):
                    yield giver
