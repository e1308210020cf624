"""Random events of claims, pods, queued jobs, classes, slices and nodes in a small cluster."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

import devices
from elasticquota import names
from elasticquota.devices.tracker import DeviceTracker
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.claims import ALL, ClaimReference
from elasticquota.model.devices import Reach, Slice
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod


Objects = dict[tuple[str, str], Any]
"""(kind, name) -> the object; what exists at the end."""

_NAMES = st.sampled_from("abcd")
_CLASSES = st.sampled_from(("gpu", "nic"))
_ASKS = st.tuples(_CLASSES, st.sampled_from((ALL, 1, 2, 5)))
_REQUESTS = st.lists(
    st.one_of(_ASKS, st.lists(_ASKS, min_size=1, max_size=3).map(tuple)), max_size=3
)
_ALLOCATED = st.none() | st.dictionaries(_CLASSES, st.integers(0, 4), max_size=2)
_SHARED = st.sampled_from([[ClaimReference("x", claim=name)] for name in "aab"])
_ANY = st.lists(
    st.one_of(
        st.builds(ClaimReference, st.sampled_from("xy"), claim=_NAMES),
        st.builds(ClaimReference, st.sampled_from("xy"), template=_NAMES),
        st.builds(ClaimReference, st.sampled_from("xy"), _NAMES, _NAMES),
        st.just(ClaimReference("x", template="a", skipped=True)),
    ),
    min_size=1,
    max_size=2,
    unique_by=lambda each: each.name,  # as the API server asks
)
_REFERENCES = st.sampled_from((_SHARED, _SHARED, _SHARED, _ANY)).flatmap(lambda found: found)
_REACHES = st.sampled_from((Reach("node-0"), Reach("node-1"), Reach(everywhere=True)))


def _pod(
    name: str, references: list[ClaimReference], gated: bool, born: int, group: bool, job: str
) -> Any:
    more = {
        "created": f"{born}",
        "group": Group("g", 2) if group else None,
        "jobs": (f"job={job}",) if job else (),
    }
    return devices.pod(name, *references, gated=gated, **more)


def _job(name: str, sets: list[tuple[int, list[ClaimReference]]], gated: bool, born: int) -> Any:
    made = ((number, *claims) for number, claims in sets)
    return devices.job(name, *made, gated=gated, created=f"{born}")


def _plain(name: str, count: int, node: str) -> Pod:
    request = {names.PODS: 1, "example.com/gpu": count}
    return Pod(Key("team", name), name, "5", request=request, node_name=node)


def _slice(name: str, generation: int, slices: int, count: int, reach: Reach) -> Slice:
    made = tuple(
        devices.device(f"{name}{i}", "gpu" if i % 2 else "nic", reach) for i in range(count)
    )
    return Slice(name, "d", "pool", generation, slices, made)


_PODS = st.tuples(
    st.just("pod"),
    st.builds(
        _pod,
        _NAMES,
        _REFERENCES,
        st.booleans(),
        st.integers(0, 3),
        st.booleans(),
        st.sampled_from(("", "", "j", "k")),
    ),
)
_BY_JOBS = st.lists(
    st.one_of(
        _NAMES.map(devices.shares),
        _NAMES.map(devices.generates),
    ),
    max_size=2,
)
_JOBS = st.tuples(
    st.just("job"),
    st.builds(
        _job,
        st.sampled_from("jk"),
        st.lists(st.tuples(st.integers(0, 3), _BY_JOBS), min_size=1, max_size=2),
        st.booleans(),
        st.integers(0, 3),
    ),
)
_OBJECTS = st.one_of(
    st.tuples(
        st.just("pod"),
        st.builds(_plain, _NAMES, st.integers(0, 3), st.sampled_from(("", "node-0", "node-1"))),
    ),
    st.tuples(
        st.just("claim"),
        st.builds(
            lambda name, requests, owner, allocated: devices.claim(
                name, *requests, owner=owner, allocated=allocated
            ),
            _NAMES,
            _REQUESTS,
            st.sampled_from(("", "a", "b")),
            _ALLOCATED,
        ),
    ),
    st.tuples(
        st.just("template"),
        st.builds(lambda name, requests: devices.template(name, *requests), _NAMES, _REQUESTS),
    ),
    st.tuples(
        st.just("class"),
        st.builds(
            lambda name, expression, extended, born: devices.device_class(
                name, expression, extended=extended, created=born
            ),
            _CLASSES,
            st.sampled_from(("gpu", "nic", "*", "?")),
            st.sampled_from(("", "example.com/gpu")),
            st.sampled_from("12"),
        ),
    ),
    st.tuples(
        st.just("slice"),
        st.builds(
            _slice,
            st.sampled_from("st"),
            st.just(1),
            st.just(2),
            st.integers(0, 4),
            _REACHES,
        ),
    ),
    st.tuples(
        st.just("node"),
        st.builds(
            lambda name, plugin: devices.node(name, **{"example.com/gpu": plugin}),
            st.sampled_from(("node-0", "node-1", "node-2")),
            st.sampled_from((0, 2)),
        ),
    ),
)

_BEGINNING: tuple[tuple[str, str, Any], ...] = (
    ("put", "class", devices.device_class("gpu", extended="example.com/gpu")),
    ("put", "claim", devices.claim("a", ("gpu", 2), ("nic", 1))),
    ("put", "claim", devices.claim("b", (("gpu", 1), ("nic", 4)), owner="b")),
    ("put", "template", devices.template("a", ("gpu", 5))),
)
"""So that most pods find what they refer to."""

_PUTS = st.sampled_from((_PODS, _PODS, _JOBS, _OBJECTS)).flatmap(lambda found: found)
_EVENT = st.sampled_from(
    (
        *[_PUTS.map(lambda found: ("put", *found))] * 4,
        _PUTS.map(lambda found: ("drop", *found)),
        *[st.just(("flush", "", None))] * 3,
    )
).flatmap(lambda found: found)
EVENTS = st.lists(_EVENT, min_size=8, max_size=40).map(lambda found: [*_BEGINNING, *found])


def tracker() -> DeviceTracker:
    """A tracker in which all claims are known."""
    found = DeviceTracker(Ledger(), devices.matches)
    found.pods.follow()
    return found


def feed(to: DeviceTracker, what: str, kind: str, obj: Any) -> None:
    """Tell the tracker of one event."""
    if what == "flush":
        to.flush()
        return
    name = obj.name if kind in ("class", "slice", "node") else obj.key
    put: dict[str, Callable[[Any], None]] = {
        "pod": to.pods.upsert_pod,
        "job": to.jobs.upsert_job,
        "claim": to.pods.upsert_claim,
        "template": to.pods.upsert_template,
        "class": to.nodes.upsert_class,
        "slice": to.nodes.upsert_slice,
        "node": to.nodes.upsert_node,
    }
    drop: dict[str, Callable[[Any], None]] = {
        "pod": to.pods.delete_pod,
        "job": to.jobs.delete_job,
        "claim": to.pods.delete_claim,
        "template": to.pods.delete_template,
        "class": to.nodes.delete_class,
        "slice": to.nodes.delete_slice,
        "node": to.nodes.delete_node,
    }
    if what == "put":
        put[kind](obj)
    else:
        drop[kind](name)


def remaining(events: list[tuple[str, str, Any]]) -> Objects:
    """What exists after the events."""
    found: Objects = {}
    for what, kind, obj in events:
        if what != "flush":
            name = str(obj.name if kind in ("class", "slice", "node") else obj.key)
            found.pop((kind, name), None)
            if what == "put":
                found[kind, name] = obj
    return found
