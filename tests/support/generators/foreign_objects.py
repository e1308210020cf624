"""Objects of neighbours as somebody may have stored them: names clash, amounts are odd or none.

As they are decoded, and small, so that much goes wrong at once.
"""

from typing import Any

import msgspec
from hypothesis import strategies as st

from elasticquota.integrations.yunikorn import requested_queues


_NAMES = st.sampled_from(("a", "b", "a-b", "b-a", "A", "root", "capacity", "x" * 60, "算", "a_b"))
NAMESPACES = st.sampled_from(("a", "b", "c", "capacity", "koordinator-default-quota"))
_AMOUNTS = st.dictionaries(
    st.sampled_from(("cpu", "memory", "vcore", "nvidia.com/gpu", "kube-queue/max-jobs")),
    st.integers(0, 20) | st.sampled_from(("1500m", "10Gi", "-1", "much", "9" * 60 + "E")),
    max_size=3,
)
WILD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


def _node(children: st.SearchStrategy[Any] | None = None) -> st.SearchStrategy[Any]:
    """A node; below it more of them, or nothing."""
    optional: dict[str, st.SearchStrategy[Any]] = {
        "min": _AMOUNTS,
        "max": _AMOUNTS,
        "namespaces": st.lists(NAMESPACES, max_size=3),
        "children": st.just([]) if children is None else st.lists(children, max_size=3),
        "attributes": st.just({"resourceflavors": "x"}),
    }
    return st.fixed_dictionaries({"name": _NAMES}, optional=optional)


_ROOTS = _node(_node(_node(_node())))


def _metadata(name: st.SearchStrategy[str], space: st.SearchStrategy[str]) -> Any:
    created = st.sampled_from(("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"))
    return st.fixed_dictionaries(
        {"name": name, "namespace": space}, optional={"creationTimestamp": created}
    )


def _key(found: Any) -> tuple[str, str]:
    return (found["metadata"].get("namespace", ""), found["metadata"]["name"])


TREES = st.lists(
    st.builds(
        lambda metadata, profile, root: {
            "metadata": {**metadata, "annotations": {"elasticquota.dev/profile": profile}},
            "spec": {"root": root},
        },
        _metadata(st.sampled_from("xyz"), st.sampled_from(("kube-system", "other"))),
        st.sampled_from(("", "", "ml/gpu", "art/gpu", "/", "a/root/a")),
        _ROOTS,
    ),
    max_size=3,
    unique_by=_key,
)
LIMITS = st.lists(
    st.builds(
        lambda metadata, low, high: {"metadata": metadata, "spec": {"min": low, "max": high}},
        _metadata(st.sampled_from("xyz"), NAMESPACES),
        _AMOUNTS,
        _AMOUNTS,
    ),
    max_size=6,
    unique_by=_key,
)
HARD = st.lists(
    st.builds(
        lambda metadata, hard: {"metadata": metadata, "spec": {"hard": hard}},
        _metadata(st.sampled_from("xyz"), NAMESPACES),
        _AMOUNTS,
    ),
    max_size=6,
    unique_by=_key,
)


_PEOPLE = st.lists(st.sampled_from(("ann", "*", "", "a\nb", "x@y.z")), max_size=2)
_USER_LIMITS = st.fixed_dictionaries(
    {},
    optional={
        "users": _PEOPLE,
        "groups": _PEOPLE,
        "maxresources": _AMOUNTS,
        "maxapplications": st.sampled_from((0, 3)),
    },
)


def _queue(children: st.SearchStrategy[Any] | None = None) -> st.SearchStrategy[Any]:
    """A queue; below it more of them, or nothing."""
    limits = st.fixed_dictionaries({}, optional={"guaranteed": _AMOUNTS, "max": _AMOUNTS})
    optional: dict[str, st.SearchStrategy[Any]] = {
        "parent": st.booleans(),
        "resources": limits,
        "childtemplate": st.fixed_dictionaries({"resources": limits}),
        "queues": st.just([]) if children is None else st.lists(children, max_size=3),
        "properties": st.fixed_dictionaries({"preemption.delay": st.sampled_from(("1s", "x"))}),
        "limits": st.lists(_USER_LIMITS, max_size=2) | WILD,
        "maxapplications": st.sampled_from((0, 3, -1, "x")),
    }
    return st.fixed_dictionaries({"name": _NAMES}, optional=optional)


_RULES = st.lists(
    st.sampled_from(
        (
            {"name": "provided"},
            {"name": "tag", "value": "namespace", "create": True},
            {"name": "tag", "value": "namespace"},
            *(
                {"name": "tag", "value": "namespace", "create": True, "parent": parent}
                for parent in (
                    {"name": "tag", "value": "namespace.parentqueue"},
                    {"name": "tag", "value": "namespace.parentqueue", "create": True},
                    {"name": "fixed", "value": "a.b", "create": True},
                    {"name": "user"},
                )
            ),
        )
    ),
    max_size=3,
)
CONFIGS = st.none() | st.builds(
    lambda queues, rules: {"partitions": [{"queues": queues, "placementrules": rules}]},
    st.lists(_queue(_queue(_queue())), max_size=3),
    _RULES,
)
_ANNOTATIONS = st.fixed_dictionaries(
    {},
    optional={
        "yunikorn.apache.org/namespace.quota": _AMOUNTS.map(
            lambda found: msgspec.json.encode(found).decode()
        ),
        "yunikorn.apache.org/namespace.guaranteed": st.sampled_from(('{"cpu": 3}', "{")),
        "yunikorn.apache.org/namespace.max.cpu": st.sampled_from(("4", "x")),
        "yunikorn.apache.org/parentqueue": st.sampled_from(("root.a", "b", "a.b", "root")),
    },
)
SPACES = st.lists(
    st.builds(
        lambda name, annotations: {"metadata": {"name": name, "annotations": annotations}},
        NAMESPACES,
        _ANNOTATIONS,
    ),
    max_size=4,
    unique_by=_key,
)
ASKED = st.lists(
    st.lists(st.sampled_from(("a", "b", "a-b", "c", "x" * 60)), min_size=1, max_size=3).map(
        lambda parts: ("root", *parts)
    ),
    max_size=5,
).map(lambda paths: sorted(requested_queues.together(paths)))
"""Paths of queues that pods ask for."""
