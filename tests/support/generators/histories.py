"""Arbitrary histories of a small cluster: events of watches, notes of actors and decisions.

Few names, so that objects meet: two node pools with their profiles, a department with teams, quotas
that move between trees, pods that are gated, released, bound, relabeled, resized, deleted and
created again under the same name, nodes that are tainted, cordoned, relabeled or not ready, and a
wall clock that moves. Every history starts from the same working cluster, so that its first event
already changes something.
"""

from typing import Any

from hypothesis import strategies as st

import node_constraints
from elasticquota import names, pool_keys
from elasticquota.model import limit
from elasticquota.model.capacity_mode import CapacityMode
from elasticquota.model.fault import Fault
from elasticquota.model.group import Group, GroupObject
from elasticquota.model.holder import NO_HOLDER, Holder
from elasticquota.model.key import Key
from elasticquota.model.limit import Limit, QuotaLimits
from elasticquota.model.namespace import Namespace
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.pools import Pool, Pools
from elasticquota.model.profile import WHOLE, Profile, Ratio
from elasticquota.model.quota import Quota
from elasticquota.model.selector import Requirement, Selector
from elasticquota.model.workload import JobName, QueuedJob
from elasticquota.structs import replace
from replay import (
    MARKS,
    Changed,
    Clock,
    Cycle,
    Event,
    Followed,
    Gone,
    Kind,
    Marked,
    Postponed,
    Relisted,
    Thing,
    key_of,
)


_TIMES = tuple(f"2026-01-01T00:00:0{second}Z" for second in range(4))
_UNLIMITED = 2**62
_OF_JOB, _OF_SET = "batch.kubernetes.io/job-name=j", "jobset.sigs.k8s.io/jobset-name=s"

Fields = dict[str, st.SearchStrategy[Any]]


def _pool(name: str) -> Selector:
    return Selector((Requirement("pool", "In", (name,)),))


def _amounts(most: int) -> st.SearchStrategy[dict[str, int]]:
    return st.dictionaries(st.sampled_from(("cpu", "gpu")), st.integers(0, most), max_size=2)


POOLS: tuple[Pools | None, ...] = (
    None,
    Pools((Pool("fast", (("disk", "ssd"),)), Pool("rest")), ("gpu",)),
    Pools((Pool("slow", (("disk", "hdd"),)), Pool("fast", (("disk", "ssd"),))), ("cpu", "gpu")),
)
"""What a profile may say; nodes without a label are in no pool of the last one."""


def _bounds(most: int) -> st.SearchStrategy[dict[str, int]]:
    inside = ("gpu", *(pool_keys.key(pool, "gpu") for pool in ("fast", "rest", "ghost")))
    of_pools = st.dictionaries(st.sampled_from(inside), st.integers(0, most), max_size=2)
    return _amounts(most) | of_pools


def _quota(name: str, parent: str, **fields: Any) -> Quota:
    key = Key(fields.pop("namespace", "teams"), name)
    return Quota(key, uid=f"{name}-1", created=_TIMES[1], parent=parent, **fields)


_OTHER_TREE = "10"
_MOMENTS = (0, 1_000, 60_000, 120_000, 300_000, 301_000, 10**9)
"""Times of the wall clock: around the end of a grace, and around the timeout of pods that no node
takes."""
LIMITS = (
    limit.NONE,
    QuotaLimits(1),
    QuotaLimits(2, (Limit(("ann", limit.ALL), max={"cpu": 6}),)),
    QuotaLimits(
        0, (Limit(("ann",), ("dev",), applications=1), Limit((), (limit.ALL,), {"cpu": 4}))
    ),
)
HOLDERS = (
    NO_HOLDER,
    Holder("ann", ("dev",), "one"),
    Holder("ann", ("ops", "dev"), "two"),
    Holder("bob", ("ops",), "one"),
)

CAPACITIES = (
    CapacityMode(),
    CapacityMode("Elastic", max={"cpu": 20, "memory": 9}),
    CapacityMode(
        "Elastic",
        max={"cpu": 30, "memory": 9, "gpu": 4},
        largest_node={"cpu": 6},
        scale_up_timeout=10_000,
    ),
    CapacityMode("Declared", total={"cpu": 12}),
)

_NODES = [
    Node(name, _TIMES[0], {"pool": pool}, {"cpu": 8, "gpu": 2, "pods": 9})
    for name, pool in (("n0", "main"), ("n1", "main"), ("n2", "other"), ("n3", "spare"))
]
_PROFILES = [
    Profile(Key("system", "main"), "p-1", _TIMES[0], "main-root", _pool("main"), tree_id="42"),
    Profile(
        Key("system", "other"), "p-2", _TIMES[1], "other-root", _pool("other"), tree_id=_OTHER_TREE
    ),
]
_QUOTAS = [
    _quota(
        "main-root",
        names.ROOT_QUOTA,
        namespace="system",
        is_parent=True,
        is_root=True,
        tree_id="42",
        profile="main",
        min={"cpu": 16, "gpu": 4},
        max={"cpu": _UNLIMITED, "gpu": _UNLIMITED},
    ),
    _quota("dept", "main-root", is_parent=True, min={"cpu": 10, "gpu": 2}),
    _quota("a", "dept", min={"cpu": 6}, max={"cpu": 12, "gpu": 2}, limits=LIMITS[1]),
    _quota("b", "dept", min={"cpu": 4}, max={"cpu": 9}, namespaces=("team-b",)),
    _quota("c", names.ROOT_QUOTA, min={"cpu": 2}, max={"cpu": 9}),
    _quota(
        "other-root",
        names.ROOT_QUOTA,
        namespace="system",
        is_parent=True,
        is_root=True,
        tree_id=_OTHER_TREE,
        profile="other",
        min={"cpu": 8, "gpu": 2},
    ),
    _quota("d", "other-root", min={"cpu": 5}),
]
_NAMESPACES = [Namespace("team-a"), Namespace("team-b"), Namespace("kube-system")]
_PODS = [
    Pod(
        Key(namespace, name),
        uid=f"{name}-1",
        created=_TIMES[2],
        quota_label=label,
        request={"cpu": cpu, "pods": 1},
        node_name=node,
        started=_TIMES[3] if node else "",
        gates=() if node else (names.GATE,),
    )
    for namespace, name, label, cpu, node in (
        ("team-a", "w0", "a", 3, "n0"),
        ("team-a", "w1", "a", 3, ""),
        ("team-b", "w2", "b", 4, "n0"),
        ("team-b", "w3", "", 4, "n1"),
        ("team-a", "w4", "c", 3, "n3"),
        ("team-a", "w5", "d", 3, ""),
        ("kube-system", "dns", "", 3, "n1"),
    )
]
_JOBS = [
    QueuedJob(
        Key("team-a", f"job.batch/{name}"),
        uid=f"{name}-1",
        created=_TIMES[2],
        name=JobName("Job", Key("team-a", name)),
        quota_label=label,
        request={"cpu": 6, "pods": 2, names.MAX_JOBS: 1},
        parts=({"cpu": 3, "pods": 1},),
        gates=gates,
        labels=labels,
    )
    for name, label, gates, labels in (
        ("j", "a", (names.GATE,), (_OF_JOB,)),
        ("s", "c", (), (_OF_SET,)),
    )
]
_TOGETHER = (Key("team-a", "koordinator/x"), Key("team-b", "koordinator/x"))
"""Two groups that start together when both say so."""
_GROUPS = (
    None,
    Group("g", 1),
    Group("g", 2),
    Group("g", 3),
    Group("h", 0),
    Group("koordinator/x", 2, "koordinator/x", _TOGETHER),
    Group("koordinator/x", 1, "koordinator/x", _TOGETHER),
    Group("koordinator/x", 0, "koordinator/x"),
    Group("koordinator/x", 2, "koordinator/x", fault="it cannot be read"),
    Group("yunikorn/app/driver", 1, sizes=(("yunikorn/app/worker", 2),)),
    Group("yunikorn/app/driver", 2, sizes=(("yunikorn/app/worker", 3),)),
    Group("yunikorn/app/worker", 0, "yunikorn/app/worker"),
)
_GROUP_OBJECTS = [GroupObject(key, 1, together=_TOGETHER) for key in _TOGETHER]
_OF_GROUP_OBJECT: Fields = {
    "size": st.integers(0, 3),
    "one_by_one": st.sampled_from((False, False, True)),
    "together": st.sampled_from((_TOGETHER, _TOGETHER, _TOGETHER[:1], ())),
    "fault": st.sampled_from(("", "", "it cannot be read")),
}
_START: list[Thing] = [*_NODES, *_PROFILES, *_QUOTAS, *_NAMESPACES, *_PODS]
_LATER: list[Thing] = [
    _quota("default", names.ROOT_QUOTA, namespace="team-a"),
    _quota("team-a", "dept", namespace="team-a", max={"cpu": 5}),
    _quota("a", "dept", namespace="team-b", min={"cpu": 1}),
    _quota(names.DEFAULT_QUOTA, names.ROOT_QUOTA, namespace="system", max={"cpu": 3}),
    _quota("blue-root", names.ROOT_QUOTA, is_parent=True, is_root=True, tree_id="blue"),
    Profile(Key("system", "late"), "p-3", _TIMES[2], "main-root", Selector()),
    *_JOBS,
    *_GROUP_OBJECTS,
]
_SHAPES = [*_START, *_LATER]

_QUOTA_NAMES = sorted({thing.name for thing in _SHAPES if isinstance(thing, Quota)})
_UIDS = [f"{thing.key.name}-{birth}" for thing in _PODS for birth in (1, 1, 2)] + [
    thing.uid for thing in _JOBS
]

_OF_QUOTA: Fields = {
    "created": st.sampled_from(_TIMES),
    "parent": st.sampled_from((*_QUOTA_NAMES, names.ROOT_QUOTA, "ghost")),
    "is_parent": st.booleans(),
    "is_root": st.booleans(),
    "tree_id": st.sampled_from(("", "42", _OTHER_TREE, "blue")),
    "min": _bounds(9),
    "max": _bounds(14),
    "shared_weight": st.none() | _amounts(5),
    "allow_lent": st.booleans(),
    "namespaces": st.sampled_from(((), ("team-a",), ("team-a", "team-b"))),
    "profile": st.sampled_from(("", "main", "late")),
    "pools": st.sampled_from(POOLS),
    "total": st.none() | _amounts(20),
    "capacity": st.sampled_from((None, *CAPACITIES)),
    "shares_default_tree": st.booleans(),
    "observes": st.sampled_from((None, True, False)),
    "limits": st.sampled_from(LIMITS),
    "admission": st.sampled_from(({}, {"cpu": 0}, {"cpu": 3, "gpu": 1})),
    "nodes": st.sampled_from((Selector(), Selector((Requirement("disk", "In", ("ssd",)),)))),
    "generation": st.integers(1, 3),
    "faults": st.sampled_from(((), (Fault("spec.min", "cannot be read"),))),
}
_OF_POD: Fields = {
    "created": st.sampled_from(_TIMES),
    "quota_label": st.sampled_from(("", "ghost", *_QUOTA_NAMES, names.SYSTEM_QUOTA)),
    "request": _amounts(9).map(lambda amounts: {**amounts, "pods": 1}),
    "priority": st.integers(-1, 2),
    "preemptible": st.booleans(),
    "evict_last": st.booleans(),
    "may_preempt": st.booleans(),
    "scheduler": st.sampled_from((names.STOCK_SCHEDULER, "other")),
    "constraints": st.sampled_from(node_constraints.CONSTRAINTS),
    "refused": st.booleans(),
    "unplaced_since": st.none() | st.sampled_from(_MOMENTS),
    "gone_after": st.none() | st.sampled_from(_MOMENTS),
    "ends_at": st.none() | st.sampled_from(_MOMENTS),
    "node_name": st.sampled_from(("", "n0", "n1", "n2", "n3", "lost")),
    "started": st.sampled_from(("", *_TIMES)),
    "deleting": st.booleans(),
    "gates": st.sampled_from(((), (names.GATE,), ("theirs", names.GATE), ("theirs",))),
    "mirror": st.booleans(),
    "daemon": st.booleans(),
    "group": st.sampled_from(_GROUPS),
    "jobs": st.sampled_from(((), (_OF_JOB,), (_OF_SET, _OF_JOB), (_OF_SET,))),
    "holder": st.sampled_from(HOLDERS),
    "waiting_message": st.sampled_from(("", "no room")),
}
_OF_QUEUED_JOB: Fields = {
    "created": st.sampled_from(_TIMES),
    "quota_label": st.sampled_from(("", "ghost", *_QUOTA_NAMES)),
    "request": _amounts(9).map(lambda amounts: {**amounts, "pods": 2, names.MAX_JOBS: 1}),
    "parts": st.sampled_from(((), ({"cpu": 3, "pods": 1},), ({"gpu": 5, "pods": 1},))),
    "whole": st.booleans(),
    "priority": st.integers(-1, 2),
    "preemptible": st.booleans(),
    "gates": st.sampled_from(((), (names.GATE,), (names.GATE, "theirs"))),
    "deleting": st.booleans(),
    "labels": st.sampled_from(((_OF_JOB,), (_OF_SET,), (_OF_SET, _OF_JOB), ())),
    "holder": st.sampled_from(HOLDERS),
}
_OF_NODE: Fields = {
    "labels": st.builds(
        lambda pool, more: {"pool": pool, **more},
        st.sampled_from(("main", "other", "spare")),
        st.sampled_from(({}, {"disk": "ssd"}, {"disk": "hdd"})),
    ),
    "allocatable": _amounts(20).map(lambda amounts: {**amounts, "pods": 9}),
    "unschedulable": st.booleans(),
    "ready": st.booleans(),
    "taints": st.sampled_from(node_constraints.TAINTS),
}
_OF_PROFILE: Fields = {
    "created": st.sampled_from(_TIMES),
    "quota_name": st.sampled_from(("main-root", "other-root", "a", "")),
    "selector": st.sampled_from((Selector(), _pool("main"), _pool("other"))),
    "quota_labels": st.sampled_from(({}, {names.IGNORE_DEFAULT_TREE: "true"})),
    "ratio": st.sampled_from((WHOLE, Ratio(1, 2))),
    "resource_keys": st.sampled_from((None, ("cpu",))),
    "pools": st.sampled_from(POOLS),
    "pools_unreadable": st.booleans(),
    "tree_id": st.sampled_from(("", "42", _OTHER_TREE, "blue")),
    "capacity": st.sampled_from(CAPACITIES),
    "capacity_unknown": st.sampled_from((False, False, True)),
    "generation": st.integers(1, 3),
}
_OF_NAMESPACE: Fields = {"terminating": st.booleans()}


def _born(thing: Thing) -> Fields:
    """Quotas and pods are created again under the same name, with another uid."""
    if not isinstance(thing, Quota | Pod):
        return {}
    return {"uid": st.sampled_from((f"{thing.key.name}-1", f"{thing.key.name}-2"))}


def _fields_of(thing: Thing) -> Fields:
    if isinstance(thing, Quota):
        return {**_born(thing), **_OF_QUOTA}
    if isinstance(thing, Pod):
        return {**_born(thing), **_OF_POD}
    return {
        QueuedJob: _OF_QUEUED_JOB,
        Node: _OF_NODE,
        Profile: _OF_PROFILE,
        Namespace: _OF_NAMESPACE,
        GroupObject: _OF_GROUP_OBJECT,
    }[type(thing)]


@st.composite
def _changes(draw: st.DrawFn, things: list[Thing]) -> Changed:
    """Changes one to three fields of one object; an object that is gone is created again first."""
    thing = draw(st.sampled_from(things))
    fields = _fields_of(thing)
    chosen = draw(st.lists(st.sampled_from(sorted(fields)), min_size=1, max_size=3, unique=True))
    return Changed(
        replace(thing, **{name: draw(fields[name]) for name in chosen}), tuple(sorted(chosen))
    )


def _of(kind: Kind) -> list[Thing]:
    return [thing for thing in _SHAPES if type(thing) is kind]


_KINDS: tuple[Kind, ...] = (Quota, Profile, Pod, QueuedJob, Node, Namespace, GroupObject)
_CHANGES = st.one_of(*(_changes(_of(kind)) for kind in _KINDS), _changes(_of(Pod)))
_GONE = st.one_of(
    *(
        st.sampled_from(_of(kind)).map(lambda thing: Gone(type(thing), key_of(thing)))
        for kind in _KINDS
    )
)
_RELISTED = st.sampled_from(_KINDS).flatmap(
    lambda kind: st.builds(
        Relisted,
        st.just(kind),
        st.frozensets(st.sampled_from([key_of(thing) for thing in _of(kind)]), max_size=3),
    )
)
_MARKED = st.builds(
    Marked,
    st.sampled_from(MARKS),
    st.sampled_from(_UIDS),
    st.sampled_from((True, True, False)),
)
_REBORN = st.sampled_from([thing for thing in _SHAPES if isinstance(thing, Quota | Pod)]).map(
    lambda thing: Changed(replace(thing, uid=f"{thing.key.name}-2"), ("uid",))
)
_CLOCKS = st.sampled_from(_MOMENTS).map(Clock)
_FOLLOWED = st.just(Followed("koordinator"))
_POSTPONABLE = tuple(
    Key(space, name) for space in ("team-a", "team-b") for name in ("g", "h", "koordinator/x")
)
_POSTPONED = st.builds(Postponed, st.sampled_from(_POSTPONABLE), st.booleans())
_ROUNDS = st.builds(Cycle, st.sampled_from((0, 1_000, 5_000, 120_000)), st.booleans())

_EVENTS: st.SearchStrategy[Event] = st.sampled_from(
    (
        *[_CHANGES] * 4,
        *(_GONE, _RELISTED, _REBORN, _MARKED, _MARKED, _ROUNDS, _CLOCKS, _FOLLOWED, _POSTPONED),
    )
).flatmap(lambda event: event)


POD_EVENTS: st.SearchStrategy[Event] = st.one_of(
    _changes(_of(Pod)),
    _changes(_of(Pod)),
    _changes(_of(QueuedJob)),
    st.sampled_from(_PODS).map(lambda pod: Gone(Pod, pod.key)),
    _MARKED,
    _CLOCKS,
)
NODE_EVENTS: st.SearchStrategy[Event] = _changes(_of(Node))
ROUNDS: st.SearchStrategy[Event] = _ROUNDS


def beginning() -> list[Event]:
    """The events that create the working cluster: b borrows what a waits for."""
    return [*(Changed(thing) for thing in _START), Cycle(0, carried_out=False)]


def histories() -> st.SearchStrategy[list[list[Event]]]:
    """A dozen moments: mostly one event each, sometimes a burst without a read, or none.

    Some begin with pools of the tree in which most of the quotas are.
    """
    one = _EVENTS.map(lambda event: [event])
    moments = st.lists(_EVENTS, max_size=4) | one | one
    first: st.SearchStrategy[list[Event]] = st.sampled_from(POOLS).map(
        lambda pools: [Changed(replace(_PROFILES[0], pools=pools), ("pools",))] if pools else []
    )
    return st.builds(
        lambda start, rest: [start, *rest], first, st.lists(moments, min_size=8, max_size=20)
    )


def end() -> list[Event]:
    """The events that delete all objects and end all requests of actors."""
    gone: list[Event] = [Gone(kind, key_of(thing)) for kind in _KINDS for thing in _of(kind)]
    gone += [Postponed(group, on=False) for group in _POSTPONABLE]
    return gone + [Marked(mark, uid, on=False) for mark in MARKS for uid in _UIDS]


def of_groups() -> st.SearchStrategy[list[list[Event]]]:
    """Moments about pod groups: small pods of five names wait or run in two quotas, in few groups.

    One group is as likely as all others together, so that it often has all its pods.
    """
    pods = [replace(pod, quota_label="a", gates=(names.GATE,), node_name="") for pod in _PODS[:5]]
    fields: Fields = {
        "group": st.sampled_from(_GROUPS) | st.just(Group("g", 2)),
        "request": st.just({"cpu": 1, "pods": 1}),
        "quota_label": st.sampled_from(("a", "a", "a", "b", "ghost")),
        "gates": st.sampled_from(((names.GATE,), (names.GATE,), ())),
        "deleting": st.sampled_from((False, False, True)),
    }

    def changed(pod: Pod) -> st.SearchStrategy[Event]:
        def event(found: dict[str, Any]) -> Event:
            return Changed(replace(pod, **found), tuple(fields))

        return st.fixed_dictionaries(fields).map(event)

    events: st.SearchStrategy[Event] = st.one_of(
        st.sampled_from(pods).flatmap(changed),
        st.sampled_from(pods).flatmap(changed),
        st.sampled_from(pods).map(lambda pod: Gone(Pod, pod.key)),
        _changes(_of(GroupObject)),
        st.sampled_from(_GROUP_OBJECTS).map(lambda found: Gone(GroupObject, found.key)),
        _FOLLOWED,
        _POSTPONED,
        _ROUNDS,
    )
    return st.lists(st.lists(events, max_size=4), min_size=5, max_size=15)
