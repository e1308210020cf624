"""Histories of a tree with pools: pods that may go to one pool, several or none of them.

Few names, so that objects meet. Nodes change their pool, flap, are removed by an autoscaler, and
claim a million devices. A second profile selects some of them.
Pools come, go and change their order, quotas bound them, and the tree grows or is only declared.
Pods wait alone, in groups or behind a job, for nodes too, and cycles choose pools for them.
"""

from typing import Any

from hypothesis import strategies as st

import node_constraints
from elasticquota import names, pool_keys
from elasticquota.model.capacity_mode import NODES, CapacityMode
from elasticquota.model.constraints import ANYWHERE, Constraints
from elasticquota.model.fault import Fault
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from elasticquota.model.node import Node, Taint
from elasticquota.model.pod import Pod
from elasticquota.model.pools import Pool, Pools
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.selector import Requirement, Selector
from elasticquota.model.workload import JobName, QueuedJob
from elasticquota.structs import replace
from replay import Changed, Cycle, Event, Gone, Thing


TREE = "42"
FAST, SLOW = Pool("fast", (("disk", "ssd"),)), Pool("slow", (("disk", "hdd"),))
POOLS = (
    Pools((FAST, SLOW), ("gpu",)),
    Pools((SLOW, FAST), ("gpu",)),
    Pools((FAST, SLOW), ("cpu", "gpu")),
    Pools((FAST, Pool("rest")), ("gpu",)),
    Pools((FAST,), ("gpu",)),
    None,
)
_TIME = "2026-01-01T00:00:00Z"
_OF_JOB = "batch.kubernetes.io/job-name=j"
_FORGED = pool_keys.key("slow", "gpu")
"""Two pods ask for it by themselves, and count in the first pool."""
_KEYS = ("gpu", *(pool_keys.key(pool, "gpu") for pool in ("fast", "slow", "rest")))
_ROOT = Quota(
    Key("system", "root"),
    "root",
    _TIME,
    is_parent=True,
    is_root=True,
    tree_id=TREE,
    profile="main",
    max=dict.fromkeys(("cpu", *_KEYS), 2**62),
)
_PROFILE = Profile(
    Key("system", "main"), "p", _TIME, "root", Selector(), tree_id=TREE, pools=POOLS[0]
)
_RIVAL = Profile(
    Key("system", "rival"),
    "r",
    "2026-06-01T00:00:00Z",
    "rival-root",
    Selector((Requirement("disk", "In", ("ssd",)),)),
    tree_id="43",
)
"""A younger profile that selects some of the same nodes. It may become the older one."""
_NODES = [
    Node(f"n{index}", _TIME, {"disk": disk} if disk else {}, {"cpu": 8, "gpu": 2, "pods": 9})
    for index, disk in enumerate(("ssd", "ssd", "hdd", "hdd", ""))
]
_QUOTAS = [
    Quota(
        Key("teams", name),
        name,
        _TIME,
        parent="root",
        tree_id=TREE,
        min={pool_keys.key("fast", "gpu"): low},
        max={pool_keys.key("fast", "gpu"): 3, pool_keys.key("slow", "gpu"): 3},
    )
    for name, low in (("a", 2), ("b", 1))
]
_RUNNING = {1: "n0", 3: "n0", 5: "n1"}
"""Pods of ``b``, which borrows what the first pods of ``a`` need."""
_PODS = [
    Pod(
        Key("teams", f"w{index}"),
        f"w{index}",
        f"2026-01-01T00:00:0{index}Z",
        quota_label="ab"[index % 2],
        request={"cpu": 1, "gpu": 1, "pods": 1, **({_FORGED: 7} if index > 5 else {})},
        gates=() if index in _RUNNING else (names.GATE,),
        node_name=_RUNNING.get(index, ""),
        constraints=Constraints((("disk", "ssd"),)) if index in (0, 2) else ANYWHERE,
    )
    for index in range(8)
]
_JOB = QueuedJob(
    Key("teams", "job.batch/j"),
    "j",
    _TIME,
    JobName("Job", Key("teams", "j")),
    quota_label="a",
    request={"cpu": 2, "gpu": 2, "pods": 2},
    parts=({"cpu": 1, "gpu": 1, "pods": 1},),
    gates=(names.GATE,),
    labels=(_OF_JOB,),
)
_CAPACITIES = (
    NODES,
    CapacityMode("Elastic", max={"cpu": 12, "memory": 9, "gpu": 6}, scale_up_timeout=10_000),
    CapacityMode("Elastic", max={"cpu": 2, "memory": 0}, largest_node={"cpu": 1}),
    CapacityMode("Declared", total={"cpu": 3, pool_keys.key("fast", "gpu"): 1}),
    CapacityMode("Declared", total={"gpu": 10**12}),
)
_NO_NODE = Selector((Requirement("", "In", ()),))
_REMOVED = (Taint("ToBeDeletedByClusterAutoscaler", "1", "NoSchedule"),)
START: tuple[Thing, ...] = (*_NODES, _PROFILE, _RIVAL, _ROOT, *_QUOTAS, *_PODS, _JOB)

_FIELDS: dict[type[Any], dict[str, st.SearchStrategy[Any]]] = {
    Node: {
        "labels": st.sampled_from(({}, {"disk": "ssd"}, {"disk": "hdd"}, {"disk": "tape"})),
        "allocatable": st.sampled_from((0, 1, 2, 3, 10**6)).map(
            lambda gpus: {"cpu": 8, "gpu": gpus, "pods": 9}
        ),
        "unschedulable": st.booleans(),
        "ready": st.booleans(),
        "taints": st.sampled_from((*node_constraints.TAINTS, _REMOVED)),
    },
    Profile: {
        "pools": st.sampled_from(POOLS),
        "pools_unreadable": st.sampled_from((False, False, True)),
        "capacity": st.sampled_from(_CAPACITIES),
        "capacity_unknown": st.sampled_from((False, False, True)),
        "created": st.sampled_from(("2025-01-01T00:00:00Z", "2027-01-01T00:00:00Z")),
        "selects_unknown": st.sampled_from((False, False, True)),
    },
    Quota: {
        "min": st.dictionaries(st.sampled_from(_KEYS), st.integers(0, 3), max_size=3),
        "max": st.dictionaries(st.sampled_from(_KEYS), st.integers(0, 5), max_size=4),
        "faults": st.sampled_from(((), (), (Fault("spec.min", "cannot be read"),))),
    },
    Pod: {
        "request": st.sampled_from(
            (
                {"cpu": 1, "gpu": 1, "pods": 1},
                {"cpu": 1, "gpu": 3, "pods": 1},
                {"cpu": 1, "pods": 1},
                {"gpu": 1, pool_keys.key("fast", "gpu"): 7},
            )
        ),
        "constraints": st.sampled_from(node_constraints.CONSTRAINTS),
        "quota_label": st.sampled_from(("a", "b", "root", "ghost")),
        "node_name": st.sampled_from(("", *(node.name for node in _NODES), "lost")),
        "gates": st.sampled_from(((names.GATE,), (names.GATE,), ())),
        "preemptible": st.booleans(),
        "group": st.sampled_from((None, Group("g", 2), Group("g", 3))),
        "jobs": st.sampled_from(((), (_OF_JOB,))),
        "deleting": st.sampled_from((False, False, True)),
        "unplaced_since": st.sampled_from((None, 0, 5_000)),
        "refused": st.booleans(),
    },
    QueuedJob: {
        "request": st.sampled_from(
            ({"cpu": 2, "gpu": 2, "pods": 2}, {"cpu": 2, "gpu": 5, "pods": 2})
        ),
        "gates": st.sampled_from(((names.GATE,), ())),
        "quota_label": st.sampled_from(("a", "b")),
        "constraints": st.sampled_from(node_constraints.CONSTRAINTS),
    },
}


@st.composite
def _changed(draw: st.DrawFn) -> Event:
    """Other values in one or two fields of one object."""
    kind: type = draw(st.sampled_from((Node, Profile, Quota, Pod, Pod, Pod, QueuedJob)))
    thing: Any = draw(st.sampled_from([each for each in START if type(each) is kind]))
    fields = _FIELDS[kind] if thing is not _ROOT else {"pools": st.sampled_from(POOLS)}
    chosen = draw(st.lists(st.sampled_from(sorted(fields)), min_size=1, max_size=2, unique=True))
    edited = replace(thing, **{name: draw(fields[name]) for name in chosen})
    if "selects_unknown" in chosen:  # such a profile has no nodes
        selector = _NO_NODE if edited.selects_unknown else thing.selector
        edited, chosen = replace(edited, selector=selector), [*chosen, "selector"]
    return Changed(edited, tuple(chosen))


_GONE = st.sampled_from(
    [
        *(Gone(Pod, pod.key) for pod in _PODS),
        *(Gone(Quota, quota.key) for quota in _QUOTAS),
        Gone(Profile, _PROFILE.key),
        Gone(Profile, _RIVAL.key),
    ]
)
_CYCLES = st.builds(Cycle, st.sampled_from((1, 1_000, 20_000)), st.booleans())


def pool_histories() -> st.SearchStrategy[list[list[Event]]]:
    """The start, then moments of one event or several."""
    event = st.one_of(_changed(), _changed(), _changed(), _CYCLES, _CYCLES, _GONE)
    start: list[Event] = [Changed(thing) for thing in START]
    moments = st.lists(st.lists(event, min_size=1, max_size=3), min_size=4, max_size=14)
    return moments.map(lambda rest: [start, *rest])
