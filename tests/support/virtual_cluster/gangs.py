"""Gangs of all systems in a virtual cluster: they come, are withdrawn, and the controller dies.

Each gang is one workload, or two that start together, of as many pods as its size. What states the
size differs: the pods, an object, or another pod of the application. All pods have one cpu, so that
no node is left with room that is too small: a gang of which the scheduler places a part only is
another matter (docs/admission-order.md).
"""

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Final

from elasticquota.model.group import Group, GroupObject
from elasticquota.model.key import Key
from virtual_cluster.scene import Scene
from virtual_cluster.timeline import SECOND


NAMESPACE: Final = "teams"
KINDS: Final = ("own", "volcano", "yunikorn", "together", "alone")


@dataclass
class Gangs:
    """Mutable; ``all`` are the gangs that exist: the workloads of each, with their sizes."""

    scene: Scene
    teams: tuple[str, ...]
    all: dict[str, dict[str, int]] = field(default_factory=dict)
    count: int = 0

    def disturb(self, dice: Random, *, restarts: bool) -> None:
        """Do one thing at random."""
        deeds = (self.submit, self.withdraw, self.edit, self.play, self.restart)
        dice.choices(deeds, (8, 3, 2, 5, 2 if restarts else 0))[0](dice)

    def submit(self, dice: Random) -> None:
        """Create the pods of a gang; its object comes before or after them."""
        self.count += 1
        name, team, kind = f"g{self.count}", dice.choice(self.teams), dice.choice(KINDS)
        size = dice.randint(2, 4)
        parts = {name: Group(name, size)}
        late = dice.random() < 0.5
        if kind == "volcano":
            source = f"volcano/{name}"
            parts = {name: Group(source, 0, source)}
            if not late:
                self._state(name, size)
        elif kind == "yunikorn":
            source = f"yunikorn/{name}/worker"
            driver = Group(f"yunikorn/{name}/driver", 1, sizes=((source, size),))
            self.scene.run(f"{name}-driver", team, group=driver, priority=1)
            parts = {name: Group(source, 0, source)}
        elif kind == "together":
            both = tuple(Key(NAMESPACE, f"koordinator/{name}-{part}") for part in "ab")
            parts = {
                f"{name}-{part}": Group(f"koordinator/{name}-{part}", size, "", both)
                for part in "ab"
            }
        elif kind == "alone":
            parts, size = {name: None}, 1  # type: ignore[dict-item]  # a workload of single pods
        self.all[name] = dict.fromkeys(parts, size)
        for part, group in parts.items():
            self.scene.run(part, team, size, group=group, priority=dice.randint(0, 1))
        if kind == "volcano" and late:
            self.scene.timeline.after(dice.randint(0, 60) * SECOND, lambda: self._state(name, size))

    def withdraw(self, dice: Random) -> None:
        """Delete a gang, its object and its driver."""
        if self.all:
            self.remove(dice.choice(sorted(self.all)))

    def remove(self, name: str) -> None:
        for part in self.all.pop(name):
            self.scene.workloads.withdraw(part)
        if f"{name}-driver" in self.scene.workloads.all:
            self.scene.workloads.withdraw(f"{name}-driver")
        self.scene.cluster.remove_group_object(Key(NAMESPACE, f"volcano/{name}"))

    def edit(self, dice: Random) -> None:
        """Raise or lower the min of a team."""
        self.scene.quota(dice.choice(self.teams), dice.randint(0, 5))

    def restart(self, _: Random) -> None:
        self.scene.controller.restart()

    def play(self, dice: Random) -> None:
        self.scene.play(dice.choice((0, 0, 1, 6, 40, 130)) * SECOND)

    def admitted(self, name: str) -> dict[str, int]:
        """How many pods of each workload of a gang are admitted."""
        lifetimes = self.scene.cluster.lifetimes
        there = Counter(
            lifetimes[pod.uid].workload
            for pod in self.scene.cluster.pods.values()
            if not (pod.gated or pod.deleting)
        )
        return {part: there[part] for part in self.all[name]}

    def halves(self) -> list[str]:
        """The gangs of which a part is admitted."""
        return [
            f"{name}: {admitted} of {sizes}"
            for name, sizes in self.all.items()
            for admitted in (self.admitted(name),)
            if any(admitted.values()) and admitted != sizes
        ]

    def _state(self, name: str, size: int) -> None:
        if name in self.all or self.count == int(name[1:]):
            key = Key(NAMESPACE, f"volcano/{name}")
            self.scene.cluster.put_group_object(GroupObject(key, size))
