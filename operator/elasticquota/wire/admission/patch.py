"""JSON patches (RFC 6902) with only the paths that change, never a whole object.

Values that a user wrote are not rewritten, but for `scheduler`: a patch appends to lists and adds
keys to maps. It adds a whole list or map only where none exists.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from elasticquota import names
from elasticquota.defaulting import pod_affinity
from elasticquota.defaulting.pod_affinity import Narrowing
from elasticquota.model.pod import Pod
from elasticquota.model.selector import Requirement, Selector
from elasticquota.wire.admission.review import Operation
from elasticquota.wire.kubernetes import node_affinity


_TERMS: Final = "nodeSelectorTerms"
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"


def labels(
    present: Mapping[str, str] | None,
    added: Mapping[str, str],
    *,
    where: str = "",
    has_metadata: bool = True,
) -> list[Operation]:
    """Return the patch that adds labels at ``where``: to the object or one of its pod templates.

    Labels with the same key are replaced.
    """
    if not has_metadata:
        return [_add(f"{where}/metadata", {"labels": dict(added)})]
    return _texts(f"{where}/metadata/labels", present, added)


def annotations(
    present: Mapping[str, str] | None,
    added: Mapping[str, str],
    *,
    where: str = "",
    has_metadata: bool = True,
) -> list[Operation]:
    """Return the patch that adds annotations at ``where``: to the object or its pod template."""
    if not has_metadata:
        return [_add(f"{where}/metadata", {"annotations": dict(added)})]
    return _texts(f"{where}/metadata/annotations", present, added)


def _texts(at: str, present: Mapping[str, str] | None, added: Mapping[str, str]) -> list[Operation]:
    if added and present is None:
        return [_add(at, dict(added))]
    return [_add(f"{at}/{_escaped(key)}", added[key]) for key in sorted(added)]


def fields(values: Mapping[str, Any]) -> list[Operation]:
    """Return the patch that gives fields of a spec, which has them, these values."""
    return [_add(f"/spec/{field}", value) for field, value in sorted(values.items())]


def gate(present: Sequence[str]) -> list[Operation]:
    """Return the patch that adds our scheduling gate after the gates of the pod."""
    ours = {"name": names.GATE}
    return [
        _add("/spec/schedulingGates/-", ours) if present else _add("/spec/schedulingGates", [ours])
    ]


def scheduler() -> list[Operation]:
    """Return the patch that gives a pod, which names another one, the scheduler of the cluster."""
    return [{"op": "replace", "path": "/spec/schedulerName", "value": names.STOCK_SCHEDULER}]


def opening(
    uid: str, place: int, *, still: Sequence[Operation], first: Sequence[Operation] = ()
) -> list[Operation]:
    """Return the patch that ungates the pod ``uid``, after the operations ``first``.

    Our gate has the index ``place``. A pod that is being deleted keeps its gate: its amount went to
    other pods when the deletion was seen. ``still`` has the other conditions on the pod:
    `still_judged` or `still_read`.
    """
    at = f"/spec/schedulingGates/{place}"
    return [
        _test("/metadata/uid", uid),
        _test("/metadata/deletionTimestamp", None),
        *still,
        _test(f"{at}/name", names.GATE),
        *first,
        {"op": "remove", "path": at},
    ]


def still_judged(pod: Pod) -> list[Operation]:
    """Return tests that spec, quota label and preemptibility are still those of ``pod``.

    The pod must have a quota label. A preemptible pod must have no preemptibility label, as most
    pods: the value ``true`` fails the test like a changed label.
    """
    return [
        _test("/metadata/generation", pod.generation or None),
        _test(f"/metadata/labels/{_escaped(names.QUOTA_NAME)}", pod.quota_label),
        _test(
            f"/metadata/labels/{_escaped(names.PREEMPTIBLE)}", None if pod.preemptible else "false"
        ),
    ]


def still_read(version: str) -> list[Operation]:
    """Return the test that the pod still has the resourceVersion at which it was read."""
    return [_test("/metadata/resourceVersion", version)]


def affinity(
    labels: Mapping[str, str] | None, present: node_affinity.Affinity | None, selector: Selector
) -> list[Operation]:
    """Return the patch that adds to a pod's affinity what it lacks of the nodes of ``selector``.

    ``labels`` are the pod's nodeSelector.
    """
    terms = node_affinity.terms(present)
    return _affinity(present, pod_affinity.narrow(labels or {}, terms, selector))


def _affinity(present: node_affinity.Affinity | None, narrowing: Narrowing) -> list[Operation]:
    if narrowing.new_term:
        return [_new_term(present, [_expression(each) for each in narrowing.new_term])]
    path = f"/spec/affinity/nodeAffinity/{_REQUIRED}/{_TERMS}"
    operations = []
    for index, (term, missing) in enumerate(
        zip(node_affinity.terms(present), narrowing.by_term, strict=True)
    ):
        target = f"{path}/{index}/matchExpressions"
        expressions = [_expression(requirement) for requirement in missing]
        if term.labels:
            operations += [_add(f"{target}/-", expression) for expression in expressions]
        elif expressions:
            operations.append(_add(target, expressions))
    return operations


def first_affinity(narrowing: Narrowing) -> list[Operation]:
    """The same patch for an unread pod; the API server refuses it if the pod has affinity."""
    added = _affinity(None, narrowing)
    return [_test("/spec/affinity", None), *added] if added else []


def _new_term(
    present: node_affinity.Affinity | None, expressions: list[dict[str, Any]]
) -> Operation:
    """Add at the deepest level that exists."""
    value: Any = [{"matchExpressions": expressions}]
    if present is None:
        return _add("/spec/affinity", {"nodeAffinity": {_REQUIRED: {_TERMS: value}}})
    if present.node_affinity is None:
        return _add("/spec/affinity/nodeAffinity", {_REQUIRED: {_TERMS: value}})
    if present.node_affinity.required is None:
        return _add(f"/spec/affinity/nodeAffinity/{_REQUIRED}", {_TERMS: value})
    return _add(f"/spec/affinity/nodeAffinity/{_REQUIRED}/{_TERMS}", value)


def _expression(requirement: Requirement) -> dict[str, Any]:
    written: dict[str, Any] = {"key": requirement.key, "operator": requirement.operator}
    return {**written, "values": list(requirement.values)} if requirement.values else written


def _test(path: str, value: str | int | None) -> Operation:
    """None tests that the path is absent: to the API server's test a missing value is null."""
    return {"op": "test", "path": path, "value": value}


def _add(path: str, value: Any) -> Operation:
    return {"op": "add", "path": path, "value": value}


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
