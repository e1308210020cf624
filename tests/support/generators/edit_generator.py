"""Histories of edits that keep every quota in its place, while pods and a leaf come and go.

The cluster of ``histories`` with more levels, and pods that wait at all of them. The guarantees of
the quotas just fit at first: most edits break a rule somewhere, or repair one. Every field of a
quota is edited that does not decide its place. Waiting pods have constraints, so that it matters
when a node gets a taint or loses a label. A whole tree may change its mode.
"""

from typing import Any, Final

from hypothesis import strategies as st

import histories
import node_constraints
from elasticquota import names
from elasticquota.model.capacity_mode import CapacityMode
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import NOT_EVER, KeyDifference, Quota
from elasticquota.model.selector import EVERYTHING, Requirement, Selector
from elasticquota.structs import replace
from replay import Changed, Cycle, Event, Gone, Thing


_CREATED: Final = "2026-01-01T00:00:01Z"
_NAMESPACES: Final = ("team-a", "team-b")


def _quota(name: str, parent: str, **fields: Any) -> Quota:
    return Quota(Key("teams", name), f"{name}-1", _CREATED, parent, **fields)


_BELOW: Final = [
    _quota("sub", "dept", is_parent=True, max={"cpu": 9, "gpu": 2}),
    _quota("e", "sub", is_parent=True, max={"cpu": 6}),
    _quota("f", "sub"),
    _quota("g", "e"),
    _quota("stray", "ghost", max={"cpu": 6}),
]
_LEAVES: Final = [
    _quota("x", "dept", min={"cpu": 1}, namespaces=("team-a",)),
    _quota("x", "sub", max={"cpu": 2, "gpu": 1}),
    replace(_quota("x", names.ROOT_QUOTA, is_parent=True), key=Key("others", "x")),
    replace(_quota("team-a", "sub", is_parent=True), key=Key("team-a", "team-a")),
    replace(_quota("team-b", names.ROOT_QUOTA), key=Key("team-b", "team-b")),
]
_PODS: Final = [
    Pod(
        Key(namespace, f"waits-{number}"),
        uid=f"waits-{number}",
        created=_CREATED,
        quota_label=label,
        request={"cpu": 1 + number % 4, "pods": 1},
        gates=(names.GATE,),
        holder=histories.HOLDERS[number % len(histories.HOLDERS)],
    )
    for number, (namespace, label) in enumerate(
        (namespace, label)
        for label in ("", "a", "b", "sub", "e", "f", "g", "x")
        for namespace in _NAMESPACES
    )
]
_EDITED: Final = [
    Key("teams", name)
    for name in ("dept", "dept", "sub", "sub", "a", "b", "c", "d", "e", "f", "g", "x", "stray")
]

_CPUS: Final = st.fixed_dictionaries(
    {}, optional={"cpu": st.integers(0, 12), "gpu": st.integers(0, 3)}
)
_LABELS: Final = (("pool", "main"), ("disk", "ssd"))
_ROOM: Final = st.sampled_from(({}, {"cpu": 2}, {"cpu": 9}, {"cpu": 9, "gpu": 2}, {"reader": 1}))

FIELDS: Final[dict[str, st.SearchStrategy[Any]]] = {
    "min": _CPUS | st.sampled_from(({"cpu": 4}, {"cpu": 6}, {"cpu": 10}, {"cpu": -1}, {})),
    "max": _CPUS | _ROOM,
    "shared_weight": st.none() | _CPUS,
    "allow_lent": st.booleans(),
    "namespaces": st.sampled_from(((), ("team-a",), ("team-b",), _NAMESPACES)),
    "profile": st.sampled_from(("", "main")),
    "capacity": st.sampled_from((None, CapacityMode("Declared", total={"cpu": 4}))),
    "total": st.none() | _CPUS,
    "shares_default_tree": st.booleans(),
    "observes": st.sampled_from((None, True, False)),
    "pools": st.sampled_from(histories.POOLS),
    "strict_queue": st.booleans(),
    "paused": st.booleans(),
    "nodes": st.sampled_from(
        (EVERYTHING, *(Selector((Requirement(key, "In", (value,)),)) for key, value in _LABELS))
    ),
    "reclaim_grace": st.sampled_from((None, 0, 2_000)),
    "preemption": st.sampled_from(("", names.DEFAULT, names.FENCE, names.DISABLED)),
    "application_order": st.sampled_from(("", names.FIFO, names.FAIR)),
    "orders_by_priority": st.booleans(),
    "over_max_delay": st.sampled_from((None, NOT_EVER, 0, 2_000)),
    "limits": st.sampled_from(histories.LIMITS),
    "admission": st.sampled_from(({}, {"cpu": 0}, {"cpu": 5})),
    "strict_keys": st.sampled_from(((), ("cpu",))),
    "allowed_namespaces": st.sampled_from((None, (), ("team-a",), (names.EVERY_NAMESPACE,))),
    "placed_below": st.sampled_from(("", "dept", "sub")),
    "forced": st.booleans(),
    "kept_for": st.sampled_from(("", "ack")),
    "stated": st.sampled_from(((), ("parent",), ("namespaces", "weight"))),
    "differences": st.sampled_from(
        (
            (),
            (KeyDifference("parent", names.PARENT, "dept", "sub"),),
            (KeyDifference("weight", names.SHARED_WEIGHT, "{}", "", "annotations"),),
        )
    ),
    "generation": st.integers(1, 3),
    "warnings": st.sampled_from(((), (Fault("a label", "must be true or false"),))),
    "faults": st.sampled_from(((), (Fault("spec.min", "cannot be read"),))),
}
"""By the name of a field of a quota, its possible values."""


@st.composite
def _retouches(draw: st.DrawFn) -> Event:
    """Edits one or two fields of one quota; does nothing where there is none."""
    key = draw(st.sampled_from(_EDITED))
    chosen = draw(st.lists(st.sampled_from(sorted(FIELDS)), min_size=1, max_size=2, unique=True))
    found = Quota(key, "", "")
    edited = replace(found, **{name: draw(FIELDS[name]) for name in chosen})
    return Changed(edited, tuple(chosen), only_known=True)


_LIMITS: Final = st.sampled_from(
    ("min", "min", "max", "max", "limits", "admission", "nodes", "allowed_namespaces", "namespaces")
).flatmap(
    lambda field: st.builds(
        lambda key, limit: Changed(
            replace(Quota(key, "", ""), **{field: limit}), (field,), only_known=True
        ),
        st.sampled_from(_EDITED),
        FIELDS[field],
    )
)
_COMES: Final = st.sampled_from(_LEAVES).map(lambda leaf: Changed(leaf, ("min", "max")))
_GOES: Final = st.sampled_from(_LEAVES).map(lambda leaf: Gone(Quota, leaf.key))
_EVENTS: Final = st.one_of(
    _retouches(),
    _retouches(),
    _LIMITS,
    _LIMITS,
    _LIMITS,
    histories.POD_EVENTS,
    histories.POD_EVENTS,
    _COMES,
    _GOES,
    histories.NODE_EVENTS,
    histories.NODE_EVENTS,
    histories.ROUNDS,
)


def _mode(**fields: Any) -> Event:
    root = Quota(Key("system", "main-root"), "", "", **fields)
    return Changed(root, tuple(fields), only_known=True)


_MODES: Final = st.sampled_from(
    ([], [], [_mode(guarantee_usage=True)], [_mode(observes=True)], [_mode(allow_lent=False)])
)


@st.composite
def retouched(draw: st.DrawFn) -> list[list[Event]]:
    """The beginning, then moments: mostly one event, sometimes a burst without a read."""
    waiting = draw(st.lists(st.sampled_from(_PODS), min_size=4, unique_by=lambda pod: pod.key))
    chosen = [draw(st.sampled_from(node_constraints.CONSTRAINTS)) for _ in waiting]
    placed = [replace(pod, constraints=found) for pod, found in zip(waiting, chosen, strict=True)]
    more: list[Thing] = [*_BELOW, *placed]
    start = [*histories.beginning(), *map(Changed, more), *draw(_MODES)]
    one = _EVENTS.map(lambda event: [event])
    moments = st.lists(_EVENTS, min_size=2, max_size=5) | one | one | one
    return [
        [*start, Cycle(0, carried_out=False)],
        *draw(st.lists(moments, min_size=8, max_size=20)),
    ]


def end() -> list[Event]:
    """Deletes what this module adds to the cluster of ``histories``."""
    quotas: list[Event] = [Gone(Quota, quota.key) for quota in (*_BELOW, *_LEAVES)]
    pods: list[Event] = [Gone(Pod, pod.key) for pod in _PODS]
    return quotas + pods
