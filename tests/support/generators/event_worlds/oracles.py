"""The promises, judged on the objects of an event world: at each decision, and at rest.

Each oracle says nothing where it cannot be sure: what it reports is wrong by the rules, whatever
the runtimes are. While events happen only that is judged which no event excuses. ``idle`` is one
more: no pod waits beside room that only it wants.
"""

from collections.abc import Iterator, Sequence

import judgements
from elasticquota.model.decision import Decisions, Eviction
from event_worlds import ways
from event_worlds.description import RESOURCES, Amounts
from event_worlds.play import Play
from event_worlds.sums import Sums, Unit, names_of
from judgements import Failure, Taken


class Judge:
    """Sees a world and notes what breaks a promise."""

    def __init__(self) -> None:
        self.failures: list[Failure] = []
        self.facts: list[str] = []
        """What happened, for the figures."""
        self.restarted = False
        """A new process read a world at rest, and nothing happened since."""
        self._claims: dict[str, Unit] = {}
        """By name: what others were evicted for since the last event, and has not run yet."""
        self._victims: dict[str, set[str]] = {}
        """By the same names, the uids of these others; a budget may keep them."""
        self._happened = -1
        """How many events had happened then."""

    def decided(self, play: Play, decisions: Decisions) -> None:
        """Judge a decision before it is carried out."""
        if not (decisions.releases or decisions.evictions):
            return
        self.facts.extend(f"evictions: {each.right}" for each in decisions.evictions)
        if decisions.releases:
            self.facts.append("releases")
        if play.spec.faults:
            # The controller knows less than the cluster.
            return
        if self.restarted and not play.spec.patience:
            # The time at the head of a queue starts again, so it is no rest while that counts.
            self.fail("P2", "a restart at rest changes something", judgements.told(decisions))
        self._forget_claims_before_an_event(play)
        sums = Sums(play)
        out = {each.pod.name for each in decisions.releases}
        self._judge_releases(sums, out)
        self._judge_evictions(sums, out, decisions.evictions)

    def moves_on(self, play: Play) -> None:
        """Note that there is no rest."""
        last = play.scene.evictions[-12:]
        told = [
            f"{time / 1000:.1f} s {each.pod.name} for {each.preemptor} ({each.right})"
            for time, each in last
        ]
        self.fail("P2", "the world does not come to rest", "; ".join(told[-3:]))

    def rests(self, play: Play) -> None:
        """Judge the world at rest."""
        sums = Sums(play)
        self.facts.append("rests")
        if sums.waiting:
            self.facts.append("waits at rest")
        self._judge_claims(play)
        self._judge_gangs_at_rest(sums)
        self._judge_limits_at_rest(sums)
        if any(not unit.workload.malice for unit in sums.unplaced):
            self.facts.append("released without a node at rest")
            return
        judged = list(_judged(sums))
        self._judge_due(sums, judged)
        self._judge_priority(sums, judged)
        self._judge_idle(sums, judged)

    def fail(self, promise: str, kind: str, detail: str) -> None:
        """Note that a promise is broken."""
        self.failures.append(Failure(promise, kind, detail))

    # At a decision.

    def _judge_releases(self, sums: Sums, out: set[str]) -> None:
        units = [unit for unit in sums.units if any(pod.key.name in out for pod in unit.pods)]
        for unit in units:
            if len(unit.pods) > 1 and unit.waits:
                self.facts.append("releases of gangs")
                if not names_of([unit]) <= out:
                    self.fail("P8", "a gang is released in part", unit.name)
        released = [pod for unit in units for pod in unit.pods if pod.key.name in out and pod.gated]
        more = sums.total(released)
        firm = sums.total(
            pod
            for unit in units
            if not unit.workload.preemptible
            for pod in unit.pods
            if pod in released
        )
        for name, quota in sums.quotas.items():
            for key in RESOURCES:
                high, low = quota.max.get(key), quota.min.get(key)
                after = sums.held[name][key] + more[name][key]
                if more[name][key] and high is not None and after > high:
                    self.fail("P5", "a quota is released above its max", f"{name}: {after} {key}")
                after = sums.firm[name][key] + firm[name][key]
                if firm[name][key] and low is not None and after > low:
                    kind = "what is not preemptible is released beyond min"
                    self.fail("P6", kind, f"{name}: {after} {key}")

    def _judge_evictions(self, sums: Sums, out: set[str], evictions: Sequence[Eviction]) -> None:
        taken = list(self._taken(sums, evictions))
        by_name = {unit.name: unit for unit in sums.units}
        before = dict(self._claims)
        for each in taken:
            ran = any(pod.node_name in sums.nodes for pod in each.unit.pods)
            if ran and each.taker in by_name:
                self._claims[each.taker] = by_name[each.taker]
                victims = self._victims.setdefault(each.taker, set())
                victims.update(pod.uid for pod in each.unit.pods)
        claimed = {**by_name, **self._claims}
        gated = [
            pod
            for unit in sums.units
            for pod in unit.pods
            if pod.gated and (pod.key.name in out or unit.name in self._claims)
        ]
        self._judge_floors(sums, taken, sums.total(gated))
        for each in taken:
            self._judge_victim(sums, each, claimed.get(each.taker))
        if not before and not out:
            self._judge_spared(sums, taken)

    def _taken(self, sums: Sums, evictions: Sequence[Eviction]) -> Iterator[Taken[Unit]]:
        by_name = {eviction.pod.name: eviction for eviction in evictions}
        protected = sums.play.scene.budgets.protects
        for unit in sums.units:
            gone = [by_name[pod.key.name] for pod in unit.pods if pod.key.name in by_name]
            if not gone:
                continue
            if len(unit.pods) > 1:
                self.facts.append("evictions of gangs")
            if len(gone) != len(unit.pods) and unit.runs:
                whole_is_kept = any(protected(pod.uid) for pod in unit.pods)
                if not whole_is_kept:
                    self.fail("P8", "a gang is evicted in part", unit.name)
            yield Taken(unit, gone[0].right, gone[0].owner, judgements.taker(gone[0]))

    def _judge_floors(
        self, sums: Sums, taken: Sequence[Taken[Unit]], claims: dict[str, Amounts]
    ) -> None:
        """P4: no quota that holds no more than its min loses a pod.

        One that the scheduler refuses does not run: for a guarantee it makes way on its node.
        """
        losing: dict[str, list[Taken[Unit]]] = {}
        for each in taken:
            if each.right == "no node" and not any(pod.node_name for pod in each.unit.pods):
                continue
            for name in _losing(sums, each):
                losing.setdefault(name, []).append(each)
        for name, victims in losing.items():
            low = sums.quotas[name].min
            held = {key: sums.held[name][key] + claims[name][key] for key in RESOURCES}
            lost = {key: sum(v.unit.request.get(key, 0) for v in victims) for key in RESOURCES}
            if not any(
                asks and held[key] - lost[key] + asks > low.get(key, 0)
                for each in victims
                for key, asks in each.unit.request.items()
            ):
                where = "parent" if name.startswith("d") else "quota"
                rights = "/".join(sorted({each.right for each in victims}))
                kind = f"a {where} within its min loses a pod ({rights})"
                self.fail("P4", kind, f"{name} holds {held}: {judgements.listed(victims)}")

    def _judge_victim(self, sums: Sums, each: Taken[Unit], taker: Unit | None) -> None:
        victim = each.unit.workload
        firm = not victim.preemptible and each.right in ("min", "fair share", "limit")
        if firm and all(
            sums.firm[name][key] <= sums.quotas[name].min.get(key, -1)
            for name in sums.paths[victim.quota]
            for key in victim.request
        ):
            self.fail(
                "P4", "what is not preemptible is evicted within min", judgements.listed([each])
            )
        if each.right != "priority":
            return
        if each.owner != victim.quota:
            self.fail("P7", "preemption takes from another quota", judgements.listed([each]))
        elif taker is not None and each.unit.runs:
            if victim.priority >= taker.workload.priority:
                self.fail(
                    "P7",
                    "a pod is evicted for one that is no more important",
                    judgements.listed([each]),
                )
            elif not taker.workload.may_preempt:
                self.fail("P7", "a pod with policy Never preempts", judgements.listed([each]))

    def _judge_spared(self, sums: Sums, taken: Sequence[Taken[Unit]]) -> None:
        """P3: where only one unit waits, it needs all of its victims.

        It needs its node, every max, and what the nodes of the tree offer together: that is the
        limit of the root, which is a quota on its path.
        """
        pods = sums.play.scene.cluster.pods.values()
        if len(sums.waiting) != 1 or sums.any_exceeds or sums.unplaced:
            return
        taker = sums.waiting[0]
        if any(pod.deleting for pod in pods) or not sums.guarantees_fit:
            return
        if any(each.taker != taker.name for each in taken) or sums.beyond_min(taker):
            return
        self.facts.append("victims of the only unit that waits")
        for spared in taken:
            others = [each.unit for each in taken if each is not spared]
            fits = sums.fits_max(taker, others) and sums.fits_total(taker, others)
            if fits and sums.places(taker, names_of(others)):
                kind = f"a victim could be left out ({spared.right})"
                self.fail("P3", kind, f"{spared.unit.name} of {judgements.listed(taken)}")

    # At rest.

    def _judge_claims(self, play: Play) -> None:
        self._forget_claims_before_an_event(play)
        here = {pod.uid for pod in play.scene.cluster.pods.values()}
        for name, unit in self._claims.items():
            if any(pod.key.name in play.ran or pod.uid not in here for pod in unit.pods):
                continue
            if unit.workload.malice == "scheduler":
                continue  # no scheduler takes it, which only the time without a node says
            if self._victims[name] <= here:
                continue  # a budget refused all of its evictions, so nothing left for it
            self.fail("P3", "what others were evicted for does not run", name)
        self._claims, self._victims = {}, {}

    def _forget_claims_before_an_event(self, play: Play) -> None:
        """An event may take the place of what others were evicted for: its node may be gone."""
        if self._happened != play.happened:
            self._claims, self._victims, self._happened = {}, {}, play.happened

    def _judge_gangs_at_rest(self, sums: Sums) -> None:
        if sums.play.lost_nodes or sums.play.spec.faults:
            return
        for unit in sums.units:
            if len({pod.gated for pod in unit.pods}) > 1:
                self.fail("P8", "half of a gang runs at rest", unit.name)

    def _judge_limits_at_rest(self, sums: Sums) -> None:
        """P5: what exceeds a max is in quotas within their min, or not preemptible.

        No pod has to go for one that no node takes.
        """
        on_nodes = sums.total(pod for unit in sums.units for pod in unit.pods if pod.bound)
        for name, quota in sums.quotas.items():
            for key in (key for key, most in quota.max.items() if on_nodes[name][key] > most):
                for unit in sums.running:
                    path = sums.paths[unit.quota]
                    if name not in path or not unit.request.get(key):
                        continue
                    below = path[: path.index(name)]
                    if unit.workload.preemptible and all(
                        sums.held[each][key] > sums.quotas[each].min.get(key, 0) for each in below
                    ):
                        detail = f"{name} holds {on_nodes[name][key]} {key}: {unit.name}"
                        self.fail("P5", "a quota keeps a pod above its max", detail)
                        return

    def _judge_due(self, sums: Sums, judged: Sequence[Unit]) -> None:
        """P1: a unit within min on its path waits only if nodes cannot hold it."""
        for unit in judged:
            place = sums.due_from(unit)
            if place is None:
                continue
            self.facts.append("a due pod waits at rest")
            sort = "gang" if len(unit.pods) > 1 else "pod"
            if sums.places(unit):
                self.fail("P1", f"a due {sort} waits beside idle room", unit.name)
            elif victims := ways.victims(sums, unit, place):
                told = ", ".join(each.name for each in victims)
                kind = f"a due {sort} waits for what others hold beyond min"
                self.fail("P1", kind, f"{unit.name}; could go: {told}")

    def _judge_priority(self, sums: Sums, judged: Sequence[Unit]) -> None:
        """P7: no less important pod of the same quota and needs runs."""
        for unit in judged:
            mine = unit.workload
            if not mine.may_preempt or sums.beyond_min(unit):
                continue
            for other in sums.running:
                its = other.workload
                if (
                    its.quota == mine.quota
                    and its.priority < mine.priority
                    and its.preemptible
                    and its.request == mine.request
                    and len(other.pods) == len(unit.pods)
                    and sums.fits_max(unit, [other])
                    and sums.places(unit, names_of([other]))
                ):
                    kind = "a less important pod keeps the place of a more important one"
                    self.fail("P7", kind, f"{other.name} of {unit.name}")
                    break

    def _judge_idle(self, sums: Sums, judged: Sequence[Unit]) -> None:
        if len(sums.waiting) != 1 or not judged or sums.any_exceeds or sums.unplaced:
            return
        unit = judged[0]
        if not (sums.guarantees_fit and sums.fits_max(unit)) or sums.beyond_min(unit):
            return
        if sums.fits_total(unit) and sums.places(unit):
            self.fail("idle", "the only unit that waits has idle room", unit.name)


def _judged(sums: Sums) -> Iterator[Unit]:
    """What waits of quotas whose own pods do not keep it back."""
    heads = sums.heads()
    sick = {unit.quota for unit in sums.units if unit.workload.malice == "affinities"}
    for unit in sums.waiting:
        gang = unit.workload.gang
        whole = len(unit.pods) == unit.workload.pods or not gang
        behind = sums.play.spec.patience and heads[unit.quota] is not unit
        if whole and not behind and unit.quota not in sick and not unit.workload.malice:
            yield unit


def _losing(sums: Sums, each: Taken[Unit]) -> tuple[str, ...]:
    """The quotas that lose what is taken, and that must have more than their min."""
    if each.right not in ("min", "fair share") or each.owner not in sums.paths:
        return ()
    path = sums.paths[each.unit.quota]
    for number, name in enumerate(path):
        if sums.exceeded(name):
            # What exceeds a max may go for that limit, too.
            return path[:number]
    return sums.below(each.unit.quota, each.owner)
