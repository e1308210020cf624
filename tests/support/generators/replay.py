"""A live ledger, and beside it a plain memory of all its input.

After any history the ledger must equal one that gets only the final objects (``rebuilt``): the same
figures, the same decisions. The memory is a dictionary by kind and key and three sets of marks, so
simple that it cannot forget. ``ledger_snapshots`` says what is compared.
"""

from dataclasses import dataclass
from typing import Literal

import ledger_snapshots
from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.clocks import Clocks
from elasticquota.model.group import GroupObject
from elasticquota.model.key import Key
from elasticquota.model.namespace import Namespace
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.workload import QueuedJob
from elasticquota.structs import replace


Mark = Literal["releasing", "evicting", "withheld"]
MARKS: tuple[Mark, ...] = ("releasing", "evicting", "withheld")

Thing = Quota | Profile | Pod | QueuedJob | Node | Namespace | GroupObject
Kind = (
    type[Quota]
    | type[Profile]
    | type[Pod]
    | type[QueuedJob]
    | type[Node]
    | type[Namespace]
    | type[GroupObject]
)


@dataclass(frozen=True)
class Changed:
    """A watch event: ``thing`` exists; if its key was known, only ``fields`` change."""

    thing: Thing
    fields: tuple[str, ...] = ()
    only_known: bool = False
    """Nothing happens if the key was not known."""


@dataclass(frozen=True)
class Gone:
    """A watch event: the object of this key is deleted, if it existed."""

    kind: Kind
    key: Key


@dataclass(frozen=True)
class Relisted:
    """A fresh list replaces all known objects of this kind; ``gone`` are not in it."""

    kind: Kind
    gone: frozenset[Key]


@dataclass(frozen=True)
class Marked:
    """A note that an actor sets in the ledger while its request is under way, or removes."""

    mark: Mark
    uid: str
    on: bool


@dataclass(frozen=True)
class Cycle:
    """A cycle of the engine, so many milliseconds after the last one; the ledger keeps its clocks.

    ``carried_out``: the actors start its releases and evictions.
    """

    after: int
    carried_out: bool


@dataclass(frozen=True)
class Clock:
    """The wall clock shows this (epoch milliseconds); it may be set back."""

    time: int


@dataclass(frozen=True)
class Followed:
    """All objects of this kind that state the size of groups are known from now on."""

    kind: str


@dataclass(frozen=True)
class Postponed:
    """A group is kept out of its queue, or put into it again."""

    group: Key
    on: bool


Event = Changed | Gone | Relisted | Marked | Cycle | Clock | Followed | Postponed


def key_of(thing: Thing) -> Key:
    return Key("", thing.name) if isinstance(thing, Node | Namespace) else thing.key


class Replay:
    """Feed it events; then ``live`` and ``rebuilt()`` must be equal."""

    def __init__(self) -> None:
        self.live = Ledger()
        self.cache = CycleCache()
        """The cache of the decisions about ``live``."""
        self.now = 0
        self._things: dict[tuple[Kind, Key], Thing] = {}
        self._marks: dict[str, set[str]] = {
            "releasing": set(),
            "evicting": set(),
            "withheld": set(),
        }
        self._clocks = Clocks()
        self._time = 0
        self._followed: set[str] = set()
        self._postponed: set[Key] = set()

    def tell(self, event: Event) -> None:
        match event:
            case Changed():
                self._change(event)
            case Gone():
                self._remove(event.kind, event.key)
            case Relisted():
                self._relist(event)
            case Marked():
                self._mark(event.mark, event.uid, event.on)
            case Cycle():
                self._round(event)
            case Clock():
                self._time = event.time
                self.live.set_time(event.time)
            case Followed():
                self._followed.add(event.kind)
                self.live.follow_group_kind(event.kind)
            case Postponed(group, True):
                self._postponed.add(group)
                self.live.postpone_group(group, "later")
            case Postponed(group, _):
                self._postponed.discard(group)
                self.live.resume_group(group)

    def rebuilt(self) -> Ledger:
        """A new ledger that gets each object once, the latest first."""
        fresh = Ledger()
        for thing in reversed(self._things.values()):
            _put(fresh, thing)
        for mark, uids in self._marks.items():
            for uid in sorted(uids):
                _note(fresh, mark, uid, on=True)
        for kind in self._followed:
            fresh.follow_group_kind(kind)
        for group in sorted(self._postponed):
            fresh.postpone_group(group, "later")
        fresh.set_time(self._time)
        fresh.remember(self._clocks)
        return fresh

    def _change(self, event: Changed) -> None:
        known = self._things.get((type(event.thing), key_of(event.thing)))
        thing = event.thing
        if known is None and event.only_known:
            return
        if known is not None:
            thing = replace(known, **{name: getattr(thing, name) for name in event.fields})
        self._see(thing)

    def _see(self, thing: Thing) -> None:
        place = (type(thing), key_of(thing))
        known = self._things.get(place)
        if isinstance(thing, Pod | QueuedJob):
            if isinstance(known, Pod | QueuedJob) and known.uid != thing.uid:
                self._forget_marks(known.uid)
            if thing.deleting and not (isinstance(known, Pod | QueuedJob) and known.deleting):
                self._forget_marks(thing.uid)
            if not thing.gated:
                self._marks["releasing"].discard(thing.uid)
        self._things[place] = thing
        _put(self.live, thing)

    def _remove(self, kind: Kind, key: Key) -> None:
        known = self._things.pop((kind, key), None)
        if isinstance(known, Pod | QueuedJob):
            self._forget_marks(known.uid)
        _drop(self.live, kind, key)

    def _relist(self, event: Relisted) -> None:
        """Objects missing from a list are deleted after the others were read, as reflectors do."""
        for thing in [thing for (kind, _), thing in self._things.items() if kind is event.kind]:
            if key_of(thing) not in event.gone:
                self._see(thing)
        for key in sorted(event.gone):
            self._remove(event.kind, key)

    def _mark(self, mark: str, uid: str, on: bool) -> None:
        known = any(
            isinstance(thing, Pod | QueuedJob) and thing.uid == uid
            for thing in self._things.values()
        )
        if known or not on:
            (self._marks[mark].add if on else self._marks[mark].discard)(uid)
        _note(self.live, mark, uid, on=on)

    def _forget_marks(self, uid: str) -> None:
        for uids in self._marks.values():
            uids.discard(uid)

    def _round(self, event: Cycle) -> None:
        self.now += event.after
        found = ledger_snapshots.decisions(self.live, self.now, self.cache)
        self._clocks = found.clocks
        self.live.remember(found.clocks)
        if event.carried_out:
            for release in found.of_workloads.releases:
                self._mark("releasing", release.uid, on=True)
            for eviction in found.of_workloads.evictions:
                self._mark("evicting", eviction.uid, on=True)


def _put(ledger: Ledger, thing: Thing) -> None:
    match thing:
        case Quota():
            ledger.upsert_quota(thing)
        case Profile():
            ledger.upsert_profile(thing)
        case Pod():
            ledger.upsert_pod(thing)
        case QueuedJob():
            ledger.upsert_job(thing)
        case Node():
            ledger.upsert_node(thing)
        case Namespace():
            ledger.upsert_namespace(thing)
        case GroupObject():
            ledger.upsert_group_object(thing)


def _drop(ledger: Ledger, kind: Kind, key: Key) -> None:
    if kind is Quota:
        ledger.delete_quota(key)
    elif kind is Profile:
        ledger.delete_profile(key)
    elif kind is Pod:
        ledger.delete_pod(key)
    elif kind is QueuedJob:
        ledger.delete_job(key)
    elif kind is Node:
        ledger.delete_node(key.name)
    elif kind is GroupObject:
        ledger.delete_group_object(key)
    else:
        ledger.delete_namespace(key.name)


def _note(ledger: Ledger, mark: str, uid: str, *, on: bool) -> None:
    match mark:
        case "releasing":
            (ledger.expect_release if on else ledger.forget_release)(uid)
        case "evicting":
            (ledger.expect_eviction if on else ledger.forget_eviction)(uid)
        case _:
            (ledger.withhold if on else ledger.offer_again)(uid)
