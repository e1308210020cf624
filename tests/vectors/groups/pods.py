"""Pods: how large they are, where they count, which quota they belong to, which nodes they get."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import jsonpatch
import msgspec

from elasticquota import names, resources
from elasticquota.defaulting import pod_gate
from elasticquota.forest import acceptance
from elasticquota.forest.membership import Membership
from elasticquota.ledger.inputs.accounting import Accounting, IgnoreTerminating
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota.model.selector import Requirement, Selector
from elasticquota.resources import EMPTY
from elasticquota.wire.admission import patch
from elasticquota.wire.kubernetes import node_affinity, pods
from tests.vectors import figures, product, reading
from tests.vectors.figures import Figure
from tests.vectors.product import Cluster
from tests.vectors.reading import Fields, Row


_ACCOUNTING_SCHEMA = "quota max 40/40; pod request 10/10"
_SIZE = resources.parse({"cpu": "10", "memory": "10"})
_TERMINATING: Final[Mapping[str, IgnoreTerminating]] = {
    "ElasticQuotaIgnoreTerminatingPod": "afterGrace",
    "ElasticQuotaImmediateIgnoreTerminatingPod": "atOnce",
}
_OVERHEAD: Final[Mapping[str, bool]] = {
    "ElasticQuotaIgnorePodOverhead=false": False,
    "ElasticQuotaIgnorePodOverhead=true": True,
}
_NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
_AGE: Final = re.compile(r"now(?:-(\d+)s)?")
_AFFINITY_SCHEMA = (
    "profiles: profileA tree1 matchLabels node-pool=nodePoolA; profileB tree2 node-pool=nodePoolB. "
    "quotas: other-quota(no tree), root-quota-a(tree1), root-quota-a-child1(tree1), "
    "namespace1/namespace1(tree1), root-quota-b(tree2, annotation namespaces [namespace2]), "
    "root-quota-b-child1(tree2). null = affinity untouched. Gate MultiQuotaTree on, "
    "operation CREATE"
)
_TERMS = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")


def pod_accounting(row: Row, fields: Fields) -> Iterator[Figure]:
    """Sizes and sums of pods."""
    if row.schema != _ACCOUNTING_SCHEMA:
        raise reading.ReadingError("the schema of group 'pod_accounting' describes another ground")
    if "gate" in fields:
        yield from _terminating(fields)
    elif "steps" in fields:
        yield from _steps(fields)
    elif "overhead" in fields:
        yield from _overhead(fields)
    else:
        yield from _sizes(fields)


def pod_to_quota(row: Row, fields: Fields) -> Iterator[Figure]:
    """The quota that a pod's label or namespace names."""
    written = fields.part("pod")
    keys = [Key(*each.split("/")) for each in fields["quotas"]]
    label = written.get("label") or ""
    if label and label not in {key.name for key in keys}:
        # The row asks for the name alone; only a quota that exists can answer to it.
        keys.append(Key("elsewhere", label))
    forest = acceptance.build(Quota(key, str(key), "") for key in keys)
    pod = Pod(Key(written["namespace"], "pod"), "pod", "", quota_label=label)
    found = Membership(forest).quota_of(pod)
    yield Figure("quota", found, fields["expected"])


def affinity(row: Row, fields: Fields) -> Iterator[Figure]:
    """The required node affinity that a pod leaves admission with."""
    if row.schema != _AFFINITY_SCHEMA:
        raise reading.ReadingError("the schema of group 'affinity' describes another ground")
    if "profile_match_labels" in fields:
        selector = _selector(fields["profile_match_labels"])
        found = _terms(_narrowed({}, selector))
    else:
        found = _admitted(fields.part("pod"))
    expected = fields["expected_required_terms"]
    yield Figure("required_terms", _unordered(found), _unordered(expected))


def _steps(fields: Fields) -> Iterator[Figure]:
    """The peer counts what its scheduler has reserved as used; here that is what we released."""
    cluster = Cluster()
    for step, expected in fields["steps"]:
        if step == "added":
            pod = cluster.pod("pod", "1", _SIZE, waiting=True)
            cluster.quota(product.make_quota("1", max=resources.parse({"cpu": 40, "memory": 40})))
        elif step == "reserved by scheduler":
            cluster.expect_release(pod)
        elif step == "bound":
            cluster.pod("pod", "1", _SIZE, node="node")
            yield from _used(f"used, {step},", cluster.used("1"), fields, expected)
        else:
            raise reading.ReadingError(f"{fields.where}.steps: '{step}' is no step")
        yield from _used(f"admitted, {step},", cluster.admitted("1"), fields, expected)


def _used(what: str, found: resources.Resources, fields: Fields, expected: Any) -> Iterator[Figure]:
    if expected.keys() != {"1"} or expected["1"].keys() != {"used"}:
        raise reading.ReadingError(f"{fields.where}.steps: only 'used' of '1' is understood")
    yield from figures.of_amounts(what, found, reading.amounts(expected["1"]["used"], what))


def _terminating(fields: Fields) -> Iterator[Figure]:
    """One running pod whose deletion began some time ago."""
    gate = fields["gate"]
    if gate not in _TERMINATING:
        raise reading.ReadingError(f"{fields.where}.gate: '{gate}' is no gate")
    cluster = Cluster(Accounting(ignore_terminating=_TERMINATING[gate]))
    cluster.quota(product.make_quota("1", max=resources.parse({"cpu": 40, "memory": 40})))
    cluster.set_time(int(_NOW.timestamp()))
    if "steps" in fields:
        grace, steps = fields["grace_seconds"], fields["steps"]
        ages = [(step.removeprefix("deletionTimestamp = "), grace, each) for step, each in steps]
    else:
        age, _, grace = fields["deletion"].partition(", grace ")
        ages = [(age, int(grace), fields["expected"])]
    for age, grace, expected in ages:
        found = _AGE.fullmatch(age)
        if found is None or expected.keys() != {"1"}:
            raise reading.ReadingError(f"{fields.where}: '{age}' is no age of pods of '1'")
        deleted = _NOW - timedelta(seconds=int(found[1] or 0))
        metadata = {
            "deletionTimestamp": deleted.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "deletionGracePeriodSeconds": grace,
        }
        requests = resources.text(_SIZE)
        cluster.see(_pod("1", {"nodeName": "node", **_asking(requests)}, metadata))
        sums = {"request": cluster.requested("1"), "used": cluster.used("1")}
        for what, written in expected["1"].items():
            what_of = f"{what}, {age},"
            yield from figures.of_amounts(what_of, sums[what], reading.amounts(written, what))


def _overhead(fields: Fields) -> Iterator[Figure]:
    spec = {**_asking(fields["container_request"]), "overhead": fields["overhead"]}
    for switch, written in fields["expected"].items():
        if switch not in _OVERHEAD:
            raise reading.ReadingError(f"{fields.where}.expected: '{switch}' is no switch")
        cluster = Cluster(Accounting(ignore_overhead=_OVERHEAD[switch]))
        cluster.quota(product.make_quota("1"))
        cluster.see(_pod("1", spec))
        counted = reading.amounts(written, switch)
        yield from figures.of_amounts(f"size {switch}", cluster.requested("1"), counted)


def _sizes(fields: Fields) -> Iterator[Figure]:
    cluster = Cluster()
    quotas = set()
    for index, part in enumerate(fields.parts("pods")):
        quota = part.get("quota", "q")
        quotas.add(quota)
        size = _read(
            {
                "initContainers": [{"resources": {"requests": r}} for r in part.get("init", [])],
                "containers": [{"resources": {"requests": r}} for r in part["containers"]],
            }
        )
        cluster.pod(f"pod-{index}", quota, size)
    for quota in quotas:
        cluster.quota(product.make_quota(quota))
    expected = fields["expected_request"]
    if quotas == {"q"}:
        expected = {"q": expected}
    for quota, written in expected.items():
        asked = reading.amounts(written, quota)
        yield from figures.of_amounts(f"request {quota}", cluster.requested(quota), asked)


def _asking(requests: Mapping[str, Any]) -> dict[str, Any]:
    return {"containers": [{"resources": {"requests": requests}}]}


def _pod(quota: str, spec: dict[str, Any], metadata: Mapping[str, Any] = EMPTY) -> Pod:
    labels = {names.QUOTA_NAME: quota}
    manifest = {
        "metadata": {"namespace": "ns", "name": "pod", "uid": "pod", "labels": labels, **metadata},
        "spec": spec,
    }
    return pods.read(msgspec.convert(manifest, pods.PodManifest))


def _read(spec: dict[str, Any]) -> resources.Resources:
    return _pod("", spec).request


def _admitted(written: Fields) -> Any:
    """The terms of a pod of the ground that the schema describes."""
    selectors = {
        "tree1": _selector({"node-pool": "nodePoolA"}),
        "tree2": _selector({"node-pool": "nodePoolB"}),
    }
    forest = acceptance.build(
        [
            _quota("other-quota"),
            _quota("root-quota-a", tree="tree1"),
            _quota("root-quota-a-child1", "root-quota-a"),
            _quota("namespace1", "root-quota-a", namespace="namespace1"),
            # Pods of a namespace go into leaf quotas, so the binding is on the child.
            _quota("root-quota-b", tree="tree2"),
            _quota("root-quota-b-child1", "root-quota-b", binds=("namespace2",)),
        ]
    )
    terms = written["required_terms"]
    spec: dict[str, Any] = {}
    if terms is not None:
        required = {"nodeSelectorTerms": [{"matchExpressions": term} for term in terms]}
        spec = {_TERMS[0]: {_TERMS[1]: {_TERMS[2]: required}}}
    label = written.get("quota_label") or ""
    pod = Pod(Key(written["namespace"], "pod"), "pod", "", quota_label=label)
    quota = Membership(forest).quota_of(pod)
    if not pod_gate.hold(pod, quota, forest).governed:
        return _terms(spec)
    return _terms(_narrowed(spec, selectors.get(forest.tree_of[quota], Selector())))


def _narrowed(spec: dict[str, Any], selector: Selector) -> dict[str, Any]:
    present = msgspec.convert(spec.get("affinity"), node_affinity.Affinity | None)
    operations = patch.affinity(None, present, selector)
    found: dict[str, Any] = jsonpatch.apply_patch({"spec": spec}, operations)["spec"]
    return found


def _terms(spec: dict[str, Any]) -> Any:
    required: Any = spec
    for step in _TERMS:
        required = (required or {}).get(step)
    return required and [term["matchExpressions"] for term in required["nodeSelectorTerms"]]


def _unordered(terms: Any) -> Any:
    """All requirements of a term hold together, in any order."""
    return terms and [sorted(term, key=lambda each: sorted(each.items())) for term in terms]


def _selector(match_labels: dict[str, str]) -> Selector:
    return Selector(
        tuple(sorted(Requirement(key, "In", (value,)) for key, value in match_labels.items()))
    )


def _quota(
    name: str,
    parent: str = names.ROOT_QUOTA,
    tree: str = "",
    namespace: str = "ns",
    binds: tuple[str, ...] = (),
) -> Quota:
    return Quota(
        key=Key(namespace, name),
        uid=name,
        created="",
        parent=parent,
        is_parent=bool(tree),
        is_root=bool(tree),
        tree_id=tree,
        namespaces=binds,
    )


TABLES = {
    ("pod_accounting", "vectors"): pod_accounting,
    ("pod_accounting", "pod_to_quota"): pod_to_quota,
    ("affinity", "vectors"): affinity,
}
