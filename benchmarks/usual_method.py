"""The usual way to share: by weight, limited by request, then the rest, until stable.

This is the baseline of the benchmark: Koordinator's algorithm (K 2.3 to 2.5), rewritten in Python
with the same state: for each parent a sibling set, in it for each resource a record of every child;
a version per sibling set that every change raises, and for each child the version at which it was
last computed.

What it does as Koordinator does:

* a request goes up the path by its difference, limited by max at each level;
* ``refresh`` goes down the path of one quota. On each step: min scaled to the parent's total; if
  the child's version is not that of its sibling set, *all* siblings computed in all resources and
  the child's own result taken; that result handed down as the total of the next set, which raises
  its version, changed or not;
* ``refresh_leaves`` refreshes one leaf after the other, as Koordinator's worker does. Siblings are
  thus computed once for each of them: n children of one parent cost n * n.

What it leaves out, in its own favor: no quantities are parsed, added or copied deeply, nothing is
locked, logged or measured, adding a quota does not look at all the others, and one dictionary per
step is the only copy. ``solve_once`` is the best case of the method, which Koordinator does not
have: each sibling set computed once, parents first, and no versions at all.

Left out because no input here needs it: the system and default quota, and the guarantee mode.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from benchmarks import rounds
from benchmarks.rounds import Record
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY, Resources


@dataclass(slots=True)
class _Siblings:
    """The children of one parent."""

    records: dict[str, dict[str, Record]] = field(default_factory=dict)
    """By resource, then by name of the child."""
    names: list[str] = field(default_factory=list)
    min_sum: dict[str, int] = field(default_factory=dict)
    total: Resources = field(default_factory=dict)
    version: int = 1

    def set_total(self, total: Resources) -> None:
        self.total = dict(total)
        self.version += 1

    def compute(self) -> None:
        for key, of_resource in self.records.items():
            rounds.redistribute(self.total.get(key, 0), of_resource.values())


@dataclass(slots=True)
class _State:
    """The state of one quota."""

    quota: Quota
    own: dict[str, int] = field(default_factory=dict)
    request: dict[str, int] = field(default_factory=dict)
    """The request of its own pods and its children; at least min where lending is off."""
    from_below: dict[str, int] = field(default_factory=dict)
    limited: dict[str, int] = field(default_factory=dict)
    runtime: dict[str, int] = field(default_factory=dict)
    version: int = 0


class UsualMethod:
    """One tree with the root ``root``; ``quotas`` come with their parents first."""

    def __init__(self, root: str, quotas: Iterable[Quota], *, scale_min: bool = True) -> None:
        self._root = root
        self._scale_min = scale_min
        self._states = {quota.name: _State(quota) for quota in quotas}
        self._siblings: dict[str, _Siblings] = {}
        # In the order of their names, which the records keep and which breaks ties.
        by_name = sorted(self._states)
        for name in by_name:
            parent = self._states[name].quota.parent
            self._siblings.setdefault(parent, _Siblings()).names.append(name)
        every_key = sorted({key for state in self._states.values() for key in state.quota.max})
        for parent, siblings in self._siblings.items():
            keys = every_key if parent == root else sorted(self._states[parent].quota.max)
            for key in keys:
                siblings.records[key] = {name: self._record(name, key) for name in siblings.names}
                siblings.min_sum[key] = sum(r.min for r in siblings.records[key].values())
        for name, state in self._states.items():
            if not state.quota.allow_lent:
                self.set_request(name, EMPTY)

    def _record(self, name: str, key: str) -> Record:
        quota = self._states[name].quota
        weight = quota.max if quota.shared_weight is None else quota.shared_weight
        return Record(quota.min.get(key, 0), weight.get(key, 0), quota.allow_lent)

    def set_total(self, available: Resources) -> None:
        """Set the total that the first level shares."""
        self._siblings[self._root].set_total(available)

    def set_request(self, name: str, own: Resources) -> None:
        """Set the request of the quota's own pods; goes up as far as limited requests change."""
        state = self._states[name]
        change = {
            key: own.get(key, 0) - state.own.get(key, 0) for key in state.own.keys() | own.keys()
        }
        state.own = dict(own)
        while True:
            change = self._change_request(state, change)
            parent = state.quota.parent
            if parent == self._root or not any(change.values()):
                return
            state = self._states[parent]

    def _change_request(self, state: _State, change: Mapping[str, int]) -> dict[str, int]:
        """Add a change from below to the request; returns the change of the limited request."""
        quota = state.quota
        floor = EMPTY if quota.allow_lent else quota.min
        passed_on: dict[str, int] = {}
        siblings = self._siblings[quota.parent]
        for key in change.keys() | floor.keys():
            below = state.from_below.get(key, 0) + change.get(key, 0)
            request = max(below, floor.get(key, 0))
            limited = min(request, quota.max.get(key, request))
            state.from_below[key], state.request[key] = below, request
            passed_on[key] = limited - state.limited.get(key, 0)
            state.limited[key] = limited
            if passed_on[key] and key in siblings.records:
                siblings.records[key][quota.name].request = limited
        if any(passed_on.values()):
            siblings.version += 1
        return passed_on

    def refresh(self, name: str) -> Mapping[str, int]:
        """The runtime of one quota, after all quotas on its path were updated."""
        path = [self._states[name]]
        while path[-1].quota.parent != self._root:
            path.append(self._states[path[-1].quota.parent])
        siblings = self._siblings[self._root]
        for state in reversed(path):
            if self._scale_min and self._scale(siblings, state.quota):
                siblings.version += 1
            if state.version != siblings.version:
                siblings.compute()
                self._take(siblings, state)
                state.version = siblings.version
            below = self._siblings.get(state.quota.name)
            if state.quota.name != name and below is not None:
                below.set_total(state.runtime)
                siblings = below
        return path[0].runtime

    def refresh_leaves(self) -> None:
        """Koordinator's full refresh: one leaf after the other."""
        for name in self._states:
            if name not in self._siblings:
                self.refresh(name)

    def solve_once(self) -> None:
        """The best case: each sibling set computed once, parents first."""
        waiting = [self._siblings[self._root]]
        for siblings in waiting:
            if self._scale_min:
                for name in siblings.names:
                    self._scale(siblings, self._states[name].quota)
            siblings.compute()
            for name in siblings.names:
                state = self._states[name]
                self._take(siblings, state)
                state.version = siblings.version
                below = self._siblings.get(name)
                if below is not None:
                    below.set_total(state.runtime)
                    waiting.append(below)

    def _scale(self, siblings: _Siblings, quota: Quota) -> bool:
        """Scale min to the parent's total; returns whether that changed anything."""
        changed = False
        for key, total in siblings.total.items():
            demanded = siblings.min_sum.get(key, 0)
            if key not in siblings.records:
                continue
            scaled = quota.min.get(key, 0)
            if demanded > total:
                # In floating point, as in Koordinator.
                scaled = int(float(max(total, 0)) * scaled / demanded)
            record = siblings.records[key][quota.name]
            changed = changed or record.min != scaled
            record.min = scaled
        return changed

    def _take(self, siblings: _Siblings, state: _State) -> None:
        name = state.quota.name
        state.runtime = {
            key: of_resource[name].runtime for key, of_resource in siblings.records.items()
        }

    def runtimes(self) -> Mapping[str, Resources]:
        """The runtimes as last computed, by quota name."""
        return {name: state.runtime for name, state in self._states.items()}

    def requests(self) -> Mapping[str, Resources]:
        """The requests by quota name, not yet limited by max."""
        return {name: state.request for name, state in self._states.items()}

    def limited_requests(self) -> Mapping[str, Resources]:
        """The requests limited by max, by quota name."""
        return {name: state.limited for name, state in self._states.items()}
