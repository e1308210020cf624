"""The promises, judged on the objects of a world: at each decision, and at rest.

Each oracle says nothing where it cannot be sure: what it reports is wrong by the rules, whatever
the runtimes are. ``room`` and
``idle`` are two more: the scheduler preempts no running pod for a released one, and no pod waits
beside room that only it wants.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

import judgements
from elasticquota.model.decision import Decisions, Eviction
from judgements import Failure, Taken
from small_worlds.description import Amounts
from small_worlds.sums import Sums, Unit, exceeds, names_of
from small_worlds.world import GRACE, LivePod, World


OWNER_GRACE: Final = 5_000
"""``Policy.grace`` in ms."""
ALLOWED: Final = 10_000
"""How long a due pod may wait beyond the graces, in ms."""


class Judge:
    """Sees a world and notes what breaks a promise."""

    def __init__(self, *, compares: bool = False) -> None:
        """``compares``: each decision is compared with that of a new ledger."""
        self.failures: list[Failure] = []
        self.facts: list[str] = []
        """What happened, for the figures."""
        self.compares = compares
        self._claims: dict[str, Unit] = {}
        """By name: the units for which others were evicted and which have not run yet."""
        self._refused: dict[str, set[str]] = {}
        """By name: the other released pods that had no node then."""
        self._deadlines: list[tuple[Unit, int]] = []

    def decided(self, world: World, decisions: Decisions) -> None:
        """Judge a decision before it is carried out."""
        if self.compares and not world.replays:
            self.facts.append("compared with a new ledger")
            if world.decided_by(world.rebuilt()) != decisions:
                self._fail("P9", "a new ledger decides otherwise", f"cycle {world.cycles}")
        if not (decisions.releases or decisions.evictions):
            return
        sums = Sums(world)
        if world.restarted and not world.spec.patience:
            # The time at the head of a queue starts again, so it is no rest while that counts.
            self._fail("P2", "a restart at rest changes something", judgements.told(decisions))
        released = [world.live[each.pod.name] for each in decisions.releases]
        if released:
            self._judge_releases(sums, released)
        if decisions.evictions:
            self._judge_evictions(sums, released, decisions.evictions)

    def arrives(self, world: World, pods: Sequence[LivePod]) -> None:
        """Note until when what comes while the world rests has to start, if it is due."""
        unit = Unit(tuple(pods))
        sums = Sums(world)
        place = None if world.spec.patience else sums.due_from(unit)
        if place is None or not (sums.places(unit) or self._way(sums, unit, place)):
            return
        self.facts.append("a due pod comes at rest")
        slow = GRACE if any(live.spec.slow for live in world.live.values()) else 0
        self._deadlines.append((unit, world.now + OWNER_GRACE + slow + ALLOWED))

    def refused(self, world: World, pod: LivePod) -> None:
        """Judge a pod that was released and finds no node: it must not preempt running pods."""
        self.facts.append("refused by the scheduler")
        spec = pod.spec
        if not spec.may_preempt:
            return
        sums = Sums(world)
        lower = {
            live.name
            for live in world.live.values()
            if live.node >= 0 and live.spec.priority < spec.priority
        }
        if lower and sums.places(Unit((pod,)), lower):
            self._fail("room", "a released pod finds no node but by preemption", pod.name)

    def moves_on(self, world: World) -> None:
        """Note that there is no rest."""
        self._fail("P2", "the world does not come to rest", f"{world.cycles} cycles")

    def rests(self, world: World) -> None:
        """Judge the world at rest."""
        sums = Sums(world)
        self.facts.append("rests")
        if sums.waiting:
            self.facts.append("waits at rest")
        self._judge_claims(world)
        self._judge_starts(world)
        self._judge_gangs_at_rest(sums)
        self._judge_limits_at_rest(sums)
        if any(live.node < 0 and not live.gated for live in world.live.values()):
            return
        self._judge_due(sums)
        self._judge_priority(sums)
        self._judge_idle(sums)

    def _fail(self, promise: str, kind: str, detail: str) -> None:
        self.failures.append(Failure(promise, kind, detail))

    # At a decision.

    def _judge_releases(self, sums: Sums, released: Sequence[LivePod]) -> None:
        self.facts.append("releases")
        out = {live.name for live in released}
        for gang in {live.gang for live in released if live.gang}:
            self.facts.append("releases of gangs")
            members = [live for live in sums.world.live.values() if live.gang == gang]
            left = [live.name for live in members if live.name not in out and live.gated]
            if len(members) < 2 or left:
                self._fail("P8", "a gang is released in part", gang)
        more = sums.total(released)
        for name, has in sums.held_by_all.items():
            after = (has[0] + more[name][0], has[1] + more[name][1])
            for number in exceeds(after, sums.world.maxes[name]):
                if more[name][number]:
                    self._fail("P5", "a quota is released above its max", f"{name} to {after}")
        firm = [live for live in released if not live.spec.preemptible]
        if firm:
            self.facts.append("releases of pods that are not preemptible")
            held = [
                live
                for live in sums.world.live.values()
                if not live.gated and not live.spec.preemptible and live.ends is None
            ]
            after_all = sums.total([*held, *firm])
            for name in {name for live in firm for name in sums.paths[live.spec.quota]}:
                gain = sums.total(firm)[name]
                for number in exceeds(after_all[name], sums.quotas[name].min):
                    if gain[number]:
                        kind = "what is not preemptible is released beyond min"
                        where = "of a parent" if name not in sums.leaves else "of its quota"
                        self._fail("P6", f"{kind} {where}", f"{name} to {after_all[name]}")

    def _judge_evictions(
        self, sums: Sums, released: Sequence[LivePod], evictions: Sequence[Eviction]
    ) -> None:
        taken = list(self._taken(sums, evictions))
        self.facts.extend(f"evictions: {each.right}" for each in taken)
        if any(len(each.unit.pods) > 1 for each in taken):
            self.facts.append("evictions of gangs")
        before = dict(self._claims)
        for each in taken:
            taker = _unit(sums, each.taker)
            if taker is not None:
                self._claims[each.taker] = taker
                live = sums.world.live.values()
                refused = {pod.name for pod in live if pod.node < 0 and not pod.gated}
                self._refused[each.taker] = refused - {pod.name for pod in taker.pods}
        claims = sums.total(
            [*released, *(pod for unit in self._claims.values() for pod in unit.pods if pod.gated)]
        )
        self._judge_floors(sums, taken, claims)
        self._judge_firm_victims(sums, taken)
        self._judge_priority_victims(sums, taken)
        self._judge_limit_victims(sums, taken)
        if not before and not released:
            self._judge_spared(sums, taken)

    def _taken(self, sums: Sums, evictions: Sequence[Eviction]) -> Iterator[Taken[Unit]]:
        by_name = {eviction.pod.name: eviction for eviction in evictions}
        for unit in sums.units:
            gone = [by_name[pod.name] for pod in unit.pods if pod.name in by_name]
            if not gone:
                continue
            if len(gone) != len(unit.pods):
                placed = any(pod.node >= 0 for pod in unit.pods if pod.name in by_name)
                what = (
                    "one pod of a gang is evicted"
                    if placed
                    else "the pod of a gang that has no node is evicted"
                )
                self._fail("P8", f"{what} alone", unit.name)
            first = gone[0]
            yield Taken(unit, first.right, first.owner, judgements.taker(first))

    def _judge_floors(
        self, sums: Sums, taken: Sequence[Taken[Unit]], claims: dict[str, Amounts]
    ) -> None:
        """P4: no quota that holds no more than its min loses a pod.

        One that the scheduler refuses does not run: for a guarantee it makes way on its node.
        """
        losing: dict[str, list[Taken[Unit]]] = {}
        for each in taken:
            if each.right == "no node" and all(pod.node < 0 for pod in each.unit.pods):
                continue
            for name in self._losing(sums, each):
                losing.setdefault(name, []).append(each)
        for name, victims in losing.items():
            held = [a + b for a, b in zip(sums.held[name], claims[name], strict=True)]
            floor = [least or 0 for least in sums.quotas[name].min]
            where = "parent" if name not in sums.leaves else "quota"
            lost = [sum(each.unit.request[k] for each in victims) for k in (0, 1)]
            if not any(
                each.unit.request[k] and held[k] - lost[k] + each.unit.request[k] > floor[k]
                for each in victims
                for k in (0, 1)
            ):
                rights = "/".join(sorted({each.right for each in victims}))
                kind = f"a {where} within its min loses a pod ({rights})"
                self._fail(
                    "P4", kind, f"{name} {judgements.listed(victims)} holds {held} of min {floor}"
                )
                continue
            shared = [each for each in victims if each.right == "fair share"]
            less = [sum(each.unit.request[k] for each in shared) for k in (0, 1)]
            for k in (0, 1):
                if less[k] and held[k] - less[k] < floor[k]:
                    kind = f"a {where} falls below its min for a fair share"
                    self._fail(
                        "P4",
                        kind,
                        f"{name} {judgements.listed(shared)} holds {held} of min {floor}",
                    )

    def _losing(self, sums: Sums, each: Taken[Unit]) -> Iterable[str]:
        """The quotas that lose what is taken, and that must have more than their min."""
        path = sums.paths[each.unit.quota]
        for number, name in enumerate(path):
            if exceeds(sums.held[name], sums.world.maxes[name]):
                # What exceeds a max may go for that limit, too.
                return path[:number]
        return sums.below(each.unit.quota, each.owner) if each.owner in sums.paths else ()

    def _judge_firm_victims(self, sums: Sums, taken: Sequence[Taken[Unit]]) -> None:
        for each in taken:
            if each.unit.spec.preemptible or any(pod.node < 0 for pod in each.unit.pods):
                continue
            firm = sums.total(
                live
                for live in sums.world.live.values()
                if not live.gated and not live.spec.preemptible and live.ends is None
            )
            if all(
                least is not None and firm[name][k] <= least
                for name in sums.paths[each.unit.quota]
                for k, least in enumerate(sums.quotas[name].min)
                if each.unit.request[k]
            ):
                kind = "what is not preemptible is evicted within min"
                self._fail("P4", kind, judgements.listed([each]))

    def _judge_priority_victims(self, sums: Sums, taken: Sequence[Taken[Unit]]) -> None:
        for each in taken:
            taker = _unit(sums, each.taker)
            if each.owner != each.unit.quota or taker is None:
                if each.right == "priority":
                    self._fail(
                        "P7", "preemption takes from another quota", judgements.listed([each])
                    )
                continue
            if any(pod.node < 0 for pod in each.unit.pods):
                continue
            if each.unit.spec.priority >= taker.spec.priority:
                kind = "a pod is evicted for one of its quota that is no more important"
                self._fail("P7", kind, judgements.listed([each]))
            elif not taker.spec.may_preempt:
                self._fail("P7", "a pod with policy Never preempts", judgements.listed([each]))

    def _judge_limit_victims(self, sums: Sums, taken: Sequence[Taken[Unit]]) -> None:
        victims = [each for each in taken if each.right == "limit"]
        if not victims:
            return
        lost = sums.total(pod for each in victims for pod in each.unit.pods)
        for each in victims:
            if not any(
                asks and most is not None and has - less + asks > most
                for name in sums.paths[each.unit.quota]
                for has, less, asks, most in zip(
                    sums.held[name],
                    lost[name],
                    each.unit.request,
                    sums.world.maxes[name],
                    strict=True,
                )
            ):
                self._fail(
                    "P3", "a victim of a limit could be left out", judgements.listed(victims)
                )

    def _judge_spared(self, sums: Sums, taken: Sequence[Taken[Unit]]) -> None:
        """P3: where only one unit waits, it needs all of its victims.

        By priority a pod goes for the runtime of its own quota, too; these sums know no runtimes.
        """
        if len(sums.waiting) != 1 or sums.any_exceeds:
            return
        if any(
            live.ends is not None or (live.node < 0 and not live.gated)
            for live in sums.world.live.values()
        ):
            return
        taker = sums.waiting[0]
        if any(each.taker != taker.name for each in taken) or sums.beyond_min(taker):
            return
        for spared in taken:
            if spared.right == "priority":
                continue
            others = [each.unit for each in taken if each is not spared]
            if sums.fits_max(taker, others) and sums.places(taker, names_of(others)):
                kind = f"a victim could be left out ({spared.right})"
                self._fail("P3", kind, f"{spared.unit.name} of {judgements.listed(taken)}")

    # At rest.

    def _judge_claims(self, world: World) -> None:
        for name, unit in self._claims.items():
            if any(pod.name in world.ran for pod in unit.pods):
                continue
            out = all(not pod.gated for pod in unit.pods)
            if out and not self._refused[name].isdisjoint(world.ran):
                continue  # The scheduler took another pod for the room that it had refused, too.
            kind = "is released and has no node" if out else "does not run"
            self._fail("P3", f"what others were evicted for {kind}", name)
        self._claims, self._refused = {}, {}

    def _judge_starts(self, world: World) -> None:
        """P11: what was due when it came has run in time; at rest P1 judges what has not."""
        for unit, end in self._deadlines:
            late = [pod for pod in unit.pods if world.ran.get(pod.name, 0) > end]
            if late:
                self._fail("P11", f"a due {_sort(unit)} starts late", unit.name)
        self._deadlines = []

    def _judge_gangs_at_rest(self, sums: Sums) -> None:
        for unit in sums.units:
            if len({pod.gated for pod in unit.pods}) > 1:
                self._fail("P8", "half of a gang runs at rest", unit.name)

    def _judge_limits_at_rest(self, sums: Sums) -> None:
        """P5: what exceeds a max is in quotas within their min, or not preemptible.

        No pod has to go for one that no node takes.
        """
        live = sums.world.live.values()
        on_nodes = sums.total(each for each in live if each.node >= 0 and each.ends is None)
        for name, has in on_nodes.items():
            for number in exceeds(has, sums.world.maxes[name]):
                for unit in sums.running:
                    path = sums.paths[unit.quota]
                    if name not in path or not unit.request[number]:
                        continue
                    below = path[: path.index(name)]
                    if unit.spec.preemptible and all(
                        sums.held[each][number] > (sums.quotas[each].min[number] or 0)
                        for each in below
                    ):
                        where = "parent" if below else "quota"
                        kind = f"a {where} keeps a pod above its max"
                        self._fail("P5", kind, f"{name} holds {has}: {unit.name}")
                        return

    def _judge_due(self, sums: Sums) -> None:
        """P1: a unit within min on its path waits only if nodes cannot hold it."""
        heads = _heads(sums)
        for unit in sums.waiting:
            place = sums.due_from(unit)
            if place is None:
                continue
            if sums.world.spec.patience and heads[unit.quota] is not unit:
                continue
            if sums.places(unit):
                self._fail("P1", f"a due {_sort(unit)} waits beside idle room", unit.name)
                continue
            victims = self._way(sums, unit, place)
            if victims:
                told = ", ".join(each.name for each in victims)
                kind = f"a due {_sort(unit)} waits for what others hold beyond min"
                self._fail("P1", kind, f"{unit.name}; could go: {told}")

    def _way(self, sums: Sums, unit: Unit, place: int) -> tuple[Unit, ...]:
        """Victims that the guarantee of a due unit may take, or none."""
        others = [each for each in sums.running if sums.may_give(each, unit, place)]
        ways = [self._keeping_all(sums, unit, others)]
        if len(unit.pods) == 1:
            ways.append(self._keeping_what_lacks(sums, unit, others))
        for victims in chain.from_iterable(ways):
            if sums.places(unit, names_of(victims)):
                return victims
        return ()

    def _keeping_all(
        self, sums: Sums, unit: Unit, others: list[Unit]
    ) -> Iterator[tuple[Unit, ...]]:
        """The sets of victims that leave every quota its min in all that they request."""
        for victims in sums.subsets(others):
            lost = {name: [0, 0] for name in sums.quotas}
            for each in victims:
                for name in sums.below(each.quota, unit.quota):
                    lost[name][0] += each.request[0]
                    lost[name][1] += each.request[1]
            if victims and all(
                not less[k] or sums.held[name][k] - less[k] >= (sums.quotas[name].min[k] or 0)
                for name, less in lost.items()
                for k in (0, 1)
            ):
                yield victims

    def _keeping_what_lacks(
        self, sums: Sums, unit: Unit, others: list[Unit]
    ) -> Iterator[tuple[Unit, ...]]:
        """The sets of victims on one node that leave every quota its min in what the unit lacks.

        The last victim may be partly beyond min, as it is borrowed as a whole.
        """
        for node, free in enumerate(sums.free()):
            lacking = [k for k in (0, 1) if unit.request[k] > free[k]]
            there = [
                each
                for each in others
                if any(pod.node == node for pod in each.pods)
                and all(each.request[k] for k in lacking)
            ]
            for victims in sums.subsets(there):
                if victims and any(
                    self._leaves_min(sums, unit, victims, last, lacking) for last in victims
                ):
                    yield victims

    def _leaves_min(
        self, sums: Sums, unit: Unit, victims: Sequence[Unit], last: Unit, lacking: Sequence[int]
    ) -> bool:
        """Whether all but the last leave every quota its min, and the last one begins beyond it."""
        for name in sums.quotas:
            low = sums.quotas[name].min
            losing = [each for each in victims if name in sums.below(each.quota, unit.quota)]
            for k in lacking if losing else ():
                lost = sum(each.request[k] for each in losing if each is not last)
                left = sums.held[name][k] - lost - (low[k] or 0)
                if left < 0 or (last in losing and left == 0):
                    return False
        return True

    def _judge_priority(self, sums: Sums) -> None:
        """P7: no less important pod of the same quota and needs runs."""
        heads = _heads(sums)
        for unit in sums.waiting:
            spec = unit.spec
            if not spec.may_preempt or sums.beyond_min(unit):
                continue
            if sums.world.spec.patience and heads[unit.quota] is not unit:
                continue
            for other in sums.running:
                if (
                    other.quota == unit.quota
                    and other.spec.priority < spec.priority
                    and other.spec.preemptible
                    and other.request == unit.request
                    and len(other.pods) == len(unit.pods)
                    and other.spec.tolerates == spec.tolerates
                    and sums.fits_max(unit, [other])
                ):
                    kind = "a less important pod keeps the place of a more important one"
                    self._fail("P7", kind, f"{other.name} of {unit.name}")
                    break

    def _judge_idle(self, sums: Sums) -> None:
        if len(sums.waiting) != 1 or sums.any_exceeds:
            return
        unit = sums.waiting[0]
        if sums.fits_max(unit) and not sums.beyond_min(unit) and sums.places(unit):
            self._fail("idle", "the only unit that waits has idle room", unit.name)


def _sort(unit: Unit) -> str:
    return "gang" if len(unit.pods) > 1 else "pod"


def _heads(sums: Sums) -> dict[str, Unit]:
    """By quota: what its queue begins with."""
    found: dict[str, Unit] = {}
    for unit in sorted(
        sums.waiting, key=lambda unit: (-unit.spec.priority, unit.pods[0].pod.created)
    ):
        found.setdefault(unit.quota, unit)
    return found


def _unit(sums: Sums, name: str) -> Unit | None:
    return next((unit for unit in sums.units if unit.name == name), None)
