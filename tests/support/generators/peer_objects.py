"""Objects of Kueue, HNC, Volcano and KAI Scheduler as users may have stored them, also nonsense.

Few names, so that cycles, unknown parents and namespaces in two queues are frequent.
"""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from foreign_objects import NAMESPACES, WILD


NAMES = st.sampled_from(("a", "b", "c", "root", "a-b", "default", "x" * 70, "算", "a\nb", "a.b"))
_QUANTITIES = st.integers(0, 20) | st.sampled_from(("1500m", "10Gi", "-1", "much", "9" * 60 + "E"))
_RESOURCES = st.sampled_from(("cpu", "memory", "pods", "nvidia.com/gpu"))
_AMOUNTS = st.dictionaries(_RESOURCES, _QUANTITIES, max_size=3)


def _sometimes(fields: Mapping[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    """Any of these fields, or a value of no form at all."""
    return st.fixed_dictionaries({}, optional=dict(fields)) | WILD


def _objects(
    api: str, kind: str, name: st.SearchStrategy[str], spec: st.SearchStrategy[Any], **more: Any
) -> st.SearchStrategy[Any]:
    return st.builds(
        lambda called, content, rest: {
            "apiVersion": api,
            "kind": kind,
            "metadata": {"name": called, **rest},
            "spec": content,
        },
        name,
        spec,
        st.fixed_dictionaries(more),
    )


def _listed(*kinds: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.one_of(*kinds), max_size=8, unique_by=_key)


def _key(found: Any) -> tuple[str, str, str]:
    metadata = found["metadata"]
    return (found["kind"], metadata.get("namespace", ""), metadata["name"])


_FLAVOR_QUOTAS = st.lists(
    st.fixed_dictionaries(
        {"name": _RESOURCES, "nominalQuota": _QUANTITIES},
        optional={"borrowingLimit": _QUANTITIES, "lendingLimit": _QUANTITIES},
    ),
    max_size=3,
    unique_by=lambda each: each["name"],
)
_GROUPS = st.lists(
    st.builds(
        lambda flavors: {
            "coveredResources": ["cpu"],
            "flavors": [{"name": name, "resources": found} for name, found in flavors.items()],
        },
        st.dictionaries(st.sampled_from(("spot", "on-demand")), _FLAVOR_QUOTAS, max_size=2),
    ),
    max_size=2,
)
_MEMBER: dict[str, st.SearchStrategy[Any]] = {
    "resourceGroups": _GROUPS | WILD,
    "fairSharing": st.fixed_dictionaries({"weight": _QUANTITIES | st.just("0.5")}) | WILD,
}
_POLICIES = st.sampled_from(("Never", "Any", "LowerPriority", "x\ny"))
_KUEUE = "kueue.x-k8s.io/v1beta2"
KUEUE = _listed(
    _objects(
        _KUEUE,
        "Cohort",
        NAMES,
        _sometimes({"parentName": NAMES | WILD, "parent": NAMES, **_MEMBER}),
    ),
    _objects(
        _KUEUE,
        "ClusterQueue",
        NAMES,
        _sometimes(
            {
                "cohortName": NAMES | WILD,
                "cohort": NAMES,
                "queueingStrategy": st.sampled_from(("StrictFIFO", "BestEffortFIFO")),
                "namespaceSelector": st.sampled_from(({}, {"matchLabels": {"a": "b"}}, None, 5)),
                "stopPolicy": st.sampled_from(("None", "Hold", "x\ny")),
                "preemption": st.fixed_dictionaries(
                    {"reclaimWithinCohort": _POLICIES, "withinClusterQueue": _POLICIES}
                ),
                "admissionChecks": WILD,
                "flavorFungibility": WILD,
                **_MEMBER,
            }
        ),
    ),
    _objects(
        _KUEUE,
        "LocalQueue",
        NAMES,
        _sometimes({"clusterQueue": NAMES | WILD, "stopPolicy": st.just("Hold")}),
        namespace=NAMESPACES | st.just("a\nb"),
    ),
    _objects(
        _KUEUE,
        "ResourceFlavor",
        st.sampled_from(("spot", "on-demand")),
        _sometimes(
            {
                "nodeLabels": st.dictionaries(st.sampled_from(("x", "y")), st.just("1")) | WILD,
                "tolerations": WILD,
            }
        ),
    ),
)

_HNC = "hnc.x-k8s.io/v1alpha2"
_SPACES = NAMESPACES | st.just("a\nb")
HNC = _listed(
    _objects(
        _HNC,
        "HierarchicalResourceQuota",
        st.sampled_from("xy"),
        _sometimes({"hard": _AMOUNTS | WILD, "scopes": st.just(["BestEffort"])}),
        namespace=_SPACES,
    ),
    _objects(
        _HNC,
        "HierarchyConfiguration",
        st.sampled_from(("hierarchy", "other")),
        _sometimes({"parent": _SPACES | WILD}),
        namespace=_SPACES,
    ),
    _objects(_HNC, "SubnamespaceAnchor", _SPACES, st.none(), namespace=_SPACES),
    _objects(
        "v1",
        "Namespace",
        _SPACES,
        st.none(),
        annotations=st.dictionaries(st.just("hnc.x-k8s.io/subnamespace-of"), _SPACES),
    ),
)

VOLCANO = _listed(
    _objects(
        "scheduling.volcano.sh/v1beta1",
        "Queue",
        NAMES,
        _sometimes(
            {
                "parent": NAMES | WILD,
                "weight": st.integers(-1, 5) | WILD,
                "capability": _AMOUNTS | WILD,
                "deserved": _AMOUNTS | WILD,
                "guarantee": st.fixed_dictionaries({"resource": _AMOUNTS}) | WILD,
                "reclaimable": st.booleans() | WILD,
                "priority": WILD,
                "dequeueStrategy": st.sampled_from(("fifo", "traverse")),
                "affinity": st.just(
                    {
                        "nodeGroupAffinity": {
                            "requiredDuringSchedulingIgnoredDuringExecution": ["g1", "g\n2"]
                        }
                    }
                )
                | WILD,
            }
        ),
    ),
    _objects(
        "v1",
        "Namespace",
        _SPACES,
        st.none(),
        annotations=st.dictionaries(st.just("scheduling.volcano.sh/queue-name"), NAMES),
    ),
)

_NUMBERS = st.sampled_from((-1, 0, 1, 2.5, 1000, 1500.25, -3, 1e30, "5", True, None))
_SIDES = _sometimes(dict.fromkeys(("quota", "limit", "overQuotaWeight", "lendingLimit"), _NUMBERS))
KAI = _listed(
    _objects(
        "scheduling.run.ai/v2",
        "Queue",
        NAMES,
        _sometimes(
            {
                "parentQueue": NAMES | WILD,
                "priority": st.sampled_from((1, 100)) | WILD,
                "resources": _sometimes({"cpu": _SIDES, "gpu": _SIDES, "memory": _SIDES}),
                "reclaimMinRuntime": st.just("1m"),
            }
        ),
    )
)
